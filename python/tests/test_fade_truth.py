"""fade_truth before a PyTorch of one's own making and, where installed, before the real one."""
import json
import os
import shutil
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'python'))
import fade_truth  # noqa: E402
from fade_truth.guard import on_cpu  # noqa: E402
from fade_truth.match import device_of, parsed  # noqa: E402

BUILT = ROOT / 'build' / 'host' / 'bin' / 'fade-doctor'
DOCTOR = os.environ.get('FADE_DOCTOR') or (str(BUILT) if BUILT.exists() else shutil.which('fade-doctor'))
RECORD = {'schema': 1, 'id': 'x', 'torch': {'gcnArchName': 'gfx1030', 'multi_processor_count': 36, 'L2_cache_size_mb': 0}, 'rocminfo': {'chip_id': 29631, 'compute_units': 72}}
FOLDER = Path(os.environ.get('ISA_TOOLS', ROOT.parent / 'shared' / 'tools')).parent / 'devices'
RECORDS = [p for p in sorted(FOLDER.glob('*.json')) if 'torch' in json.loads(p.read_text())]
try:
    import torch
except ImportError:
    torch = None


class Properties:
    name, multi_processor_count, warp_size, L2_cache_size = 'AMD Radeon RX 6800 XT', 36, 32, 0
    max_threads_per_multi_processor = 2048


def fake_torch():
    made = types.SimpleNamespace(cuda=types.SimpleNamespace(get_device_properties=lambda device=None: Properties()))
    return made


@unittest.skipUnless(DOCTOR, 'fade-doctor is not built')
class Applied(unittest.TestCase):
    def setUp(self):
        os.environ['FADE_DOCTOR'] = DOCTOR
        self.folder = tempfile.TemporaryDirectory()
        self.record = Path(self.folder.name) / 'record.json'
        self.record.write_text(json.dumps(RECORD))

    def tearDown(self):
        fade_truth.undo()
        self.folder.cleanup()

    def test_units_of_the_runtime_by_default(self):
        made = fake_torch()
        changed = fade_truth.apply(made, record=self.record, log=False)
        p = made.cuda.get_device_properties(0)
        self.assertEqual((p.multi_processor_count, p.L2_cache_size, p.warp_size), (36, 4194304, 32))
        self.assertEqual(changed, {0: {'L2_cache_size': (0, 4194304)}})

    def test_compute_units_with_their_own_limits(self):
        made = fake_torch()
        fade_truth.apply(made, record=self.record, unit='cu', log=False)
        p = made.cuda.get_device_properties(0)
        self.assertEqual((p.multi_processor_count, p.max_threads_per_multi_processor, p.warp_size), (72, 1024, 32))
        self.assertIn('fade_truth', repr(p))
        with self.assertRaises(AttributeError):
            p.warp_size = 64

    def test_undo(self):
        made = fake_torch()
        before = made.cuda.get_device_properties
        fade_truth.apply(made, record=self.record, log=False)
        with self.assertRaises(RuntimeError):
            fade_truth.apply(made, record=self.record)
        fade_truth.undo()
        self.assertIs(made.cuda.get_device_properties, before)

    def test_a_bad_record_is_a_sentence(self):
        self.record.write_text('{}')
        with self.assertRaisesRegex(fade_truth.DoctorError, 'schema'):
            fade_truth.apply(fake_torch(), record=self.record)

    def test_garbage_is_an_error_of_fade_truth(self):
        program = Path(self.folder.name) / 'doctor'
        for words in ('', 'null', '[]', '{}', '{"devices": 5}', '{"devices": [5]}', '{"devices": [{"backend": "hip", "traits": []}]}', '{"devices": [{"backend": "hip", "traits": {"x": 1}}]}', '\\377\\376'):
            program.write_text(f"#!/bin/sh\nprintf '{words}'\n")
            program.chmod(0o755)
            with self.assertRaises(fade_truth.Error, msg=words):
                fade_truth.describe(doctor=program)

    def test_indices_are_those_of_devices(self):
        made = fake_torch()
        made.cuda.current_device = lambda: 2
        changed = fade_truth.apply(made, record=self.record, log=False)
        for device in (3, 'cuda:1', types.SimpleNamespace(type='cuda', index=5), None, 3):
            made.cuda.get_device_properties(device)
        self.assertEqual(sorted(changed), [1, 2, 3, 5])

    def test_later_patches_stay(self):
        made = fake_torch()
        fade_truth.apply(made, record=self.record, log=False)
        ours = made.cuda.get_device_properties
        made.cuda.get_device_properties = later = lambda device=None: ours(device)
        self.assertEqual(made.cuda.get_device_properties(0).L2_cache_size, 4194304)
        fade_truth.undo()
        self.assertIs(made.cuda.get_device_properties, later)
        self.assertEqual(made.cuda.get_device_properties(0).L2_cache_size, 0)
        fade_truth.apply(made, record=self.record, log=False)
        self.assertEqual(made.cuda.get_device_properties(0).L2_cache_size, 4194304)
        fade_truth.undo()
        self.assertIs(made.cuda.get_device_properties, later)

    def test_of_threads_that_apply_at_once_one_does(self):
        slow = Path(self.folder.name) / 'slow'
        slow.write_text(f'#!/bin/sh\nsleep 0.3\nexec {DOCTOR} "$@"\n')
        slow.chmod(0o755)
        os.environ['FADE_DOCTOR'] = str(slow)
        made, ends = fake_torch(), []

        def one():
            try:
                fade_truth.apply(made, record=self.record, log=False)
                ends.append('applied')
            except fade_truth.Error:
                ends.append('refused')
        threads = [threading.Thread(target=one) for _ in range(3)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(sorted(ends), ['applied', 'refused', 'refused'])

    def test_threads_apply_and_undo(self):
        class Slow(types.SimpleNamespace):
            def __setattr__(self, name, value):
                time.sleep(1e-4)                 # another thread's turn, between what is looked at and what is set
                super().__setattr__(name, value)

        made, devices, faults = types.SimpleNamespace(cuda=Slow(**vars(fake_torch().cuda))), fade_truth.describe(self.record), []
        before = made.cuda.get_device_properties

        def busy():
            for _ in range(100):
                try:
                    fade_truth.apply(made, devices=devices, log=False)
                except fade_truth.Error:
                    pass
                if made.cuda.get_device_properties(0).L2_cache_size not in (0, 4194304):
                    faults.append('an answer of neither')
                fade_truth.undo()
        switch = sys.getswitchinterval()
        sys.setswitchinterval(1e-6)
        threads = [threading.Thread(target=busy) for _ in range(4)]
        try:
            [t.start() for t in threads], [t.join() for t in threads]
        finally:
            sys.setswitchinterval(switch)
        fade_truth.undo()
        self.assertEqual(faults, [])
        self.assertIs(made.cuda.get_device_properties, before)

    def test_a_correction_that_is_no_doubling_leaves_the_limits(self):
        for count, threads in ((72, 1024), (60, 2048), (40, 2048), (18, 2048)):
            device = {'backend': 'hip', 'traits': {'usable_cu_count': {'value': count}}}
            made = fake_torch()
            fade_truth.apply(made, devices=[device], unit='cu', log=False)
            p = made.cuda.get_device_properties(0)
            self.assertEqual((p.multi_processor_count, p.max_threads_per_multi_processor), (count, threads))
            fade_truth.undo()

    @unittest.skipUnless(torch, 'PyTorch is not installed')
    def test_the_real_pytorch(self):
        original = torch.cuda.get_device_properties
        torch.cuda.get_device_properties = stand_in = lambda device=None: Properties()      # a CPU build: the GPU's answers come from a record
        try:
            fade_truth.apply(record=self.record, unit='cu', log=False)
            self.assertEqual(torch.cuda.get_device_properties(0).multi_processor_count, 72)
            fade_truth.undo()
            self.assertIs(torch.cuda.get_device_properties, stand_in)
        finally:
            torch.cuda.get_device_properties = original


def answers_of(record):
    """What PyTorch answered on a recorded machine, as an object; quantities in bytes."""
    made = types.SimpleNamespace()
    for name, value in record['torch'].items():
        for suffix, factor in (('_kb', 2**10), ('_mb', 2**20), ('_gb', 2**30)):
            if name.endswith(suffix):
                name, value = name[:-len(suffix)], int(value * factor)
        setattr(made, name, value)
    return made


@unittest.skipUnless(DOCTOR and RECORDS, 'fade-doctor is not built, or there are no recorded machines')
class Recorded(unittest.TestCase):
    def tearDown(self):
        fade_truth.undo()

    def test_recorded_answers_become_the_truth_or_stay(self):
        os.environ['FADE_DOCTOR'] = DOCTOR
        corrected = 0
        for path in RECORDS:
            record = json.loads(path.read_text())
            answers = answers_of(record)
            made = torch_or_stand_in(answers)
            before = getattr(answers, 'multi_processor_count', None)
            fade_truth.apply(made, record=path, unit='cu', log=False)
            after = made.cuda.get_device_properties(0)
            count = getattr(after, 'multi_processor_count', None)
            self.assertIn(count, (before, record['truth']['cu_count']), path.stem)
            self.assertEqual(getattr(after, 'warp_size', None), getattr(answers, 'warp_size', None), path.stem)
            if getattr(answers, 'L2_cache_size', None) is not None and 'l2_bytes_total' in record['truth']:
                self.assertEqual(after.L2_cache_size, record['truth']['l2_bytes_total'], path.stem)
            corrected += count != before
            fade_truth.undo()
            self.assertIs(made.cuda.get_device_properties(0), answers)
        self.assertGreaterEqual(corrected, 4)


def torch_or_stand_in(answers):
    """The real PyTorch with a GPU's answers behind it, or an object like it."""
    made = torch or fake_torch()
    made.cuda.get_device_properties = lambda device=None: answers
    return made


class Matching(unittest.TestCase):
    def test_by_address_never_by_name_or_index(self):
        devices = [{'backend': 'hip', 'slot': '0000:2d:00.0'}, {'backend': 'hip', 'slot': '0000:09:00.0'}, {'backend': 'host', 'slot': None}]
        self.assertIs(device_of(types.SimpleNamespace(pci_bus_id=9), devices), devices[1])
        self.assertIsNone(device_of(types.SimpleNamespace(pci_bus_id=10), devices))
        self.assertIsNone(device_of(types.SimpleNamespace(name='a'), devices))
        placed, unplaced = devices[0], {'backend': 'hip', 'slot': None}
        for both in ([placed, unplaced], [unplaced, placed]):
            self.assertIs(device_of(types.SimpleNamespace(pci_bus_id=0x2d), both), placed)
            self.assertIsNone(device_of(types.SimpleNamespace(pci_bus_id=9), both))
            self.assertIsNone(device_of(types.SimpleNamespace(name='a'), both))
        self.assertIs(device_of(types.SimpleNamespace(name='a'), [unplaced, devices[2]]), unplaced)
        self.assertEqual(parsed('0001:c1:00.0'), (1, 0xc1, 0))
        self.assertIsNone(parsed('nonsense'))


class Scalars(unittest.TestCase):
    def test_a_scalar_on_the_cpu_is_no_fallback(self):
        def tensor(place, rank):
            return types.SimpleNamespace(device=types.SimpleNamespace(type=place), dim=lambda: rank)
        self.assertEqual([on_cpu(tensor(*t)) for t in (('cpu', 0), ('cpu', 1), ('cpu', 4), ('cuda', 0), ('cuda', 2))], [False, True, True, False, False])


@unittest.skipUnless(torch, 'PyTorch is not installed')
class Guard(unittest.TestCase):
    def test_a_scalar_beside_a_gpu_tensor_passes(self):
        with fade_truth.on_gpu():
            self.assertEqual((torch.ones(4, device='meta') * torch.tensor(2.0)).device.type, 'meta')

    def test_a_cpu_operator_raises_with_its_name(self):
        a, b = torch.ones(4, 4), torch.ones(4, 4)
        with self.assertRaisesRegex(fade_truth.CpuFallback, 'aten::mm'):
            with fade_truth.on_gpu():
                torch.mm(a, b)
        with fade_truth.on_gpu(allow=('aten::mm',)):
            torch.mm(a, b)

    def test_or_warns_once_an_operator_and_goes_on(self):
        a = torch.ones(4, 4)
        with warnings.catch_warnings(record=True) as said, fade_truth.on_gpu(warn=True):
            warnings.simplefilter('always')
            self.assertEqual(torch.mm(a, a)[0, 0].item(), 4)
        words = [str(w.message) for w in said if w.category is fade_truth.CpuFallbackWarning]
        self.assertEqual(sum('aten::mm' in w for w in words), 1, words)

    def test_other_devices_pass(self):
        a = torch.ones(4, 4, device='meta')                    # any device that is not the CPU
        with fade_truth.on_gpu():
            self.assertEqual(torch.mm(a, a).device.type, 'meta')


SYSTEM = '/usr/bin/python3'                 # a PyTorch of Debian belongs to Debian's interpreter

if __name__ == '__main__':
    if torch is None and sys.executable != SYSTEM and os.path.exists(SYSTEM):
        os.execv(SYSTEM, [SYSTEM, *sys.argv])
    result = unittest.main(exit=False).result
    for test, why in result.skipped:
        print(f'skipped: {test.id().removeprefix("__main__.")}: {why}')
    sys.exit(not result.wasSuccessful())
