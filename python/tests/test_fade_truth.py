"""fade_truth before a PyTorch of one's own making and, where installed, before the real one."""
import json
import os
import shutil
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'python'))
import fade_truth  # noqa: E402
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
        self.assertEqual(parsed('0001:c1:00.0'), (1, 0xc1, 0))
        self.assertIsNone(parsed('nonsense'))


@unittest.skipUnless(torch, 'PyTorch is not installed')
class Guard(unittest.TestCase):
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
