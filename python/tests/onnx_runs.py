"""ONNX's own tests through fade.onnx_backend on a device, for the tests that import it."""
import functools
import os
import tempfile
import unittest
import warnings
from typing import NamedTuple

from onnx.backend.test import BackendTest

from fade import onnx_backend

warnings.simplefilter('ignore')
os.environ['ONNX_HOME'] = tempfile.mkdtemp(prefix='fade-onnx-')  # where ONNX's runner writes inputs of large models


class Found(NamedTuple):
    passed: int
    failed: dict[str, str]       #: what a test said
    left_out: dict[str, str]     #: why


@functools.cache
def tests_of(device: str) -> dict:
    """{kind: a TestCase} of all of ONNX's tests, which takes a second."""
    class OnDevice(onnx_backend.FadeBackend):
        """What is not implemented counts as skipped, with its sentence: ONNX's runner would count it as passed."""

        @classmethod
        def device_name(cls, _):
            return device

        @classmethod
        def prepare(cls, model, device='CPU', **more):
            rep = or_skipped(super().prepare)(model, device, **more)
            rep.run = or_skipped(rep.run)
            return rep
    return BackendTest(OnDevice, __name__).test_cases


def or_skipped(f):
    def called(*args, **more):
        try:
            return f(*args, **more)
        except onnx_backend.BackendIsNotSupposedToImplementIt as why:
            raise unittest.SkipTest(str(why)) from why
    return called


def run(device: str, kinds, chosen=lambda name: True) -> Found:
    """ONNX's tests of these kinds (NodeModel, RealModel, ...) whose names are chosen."""
    suite = unittest.TestSuite()
    for kind in kinds:
        cases = tests_of(device)[f'OnnxBackend{kind}Test']
        names = [n for n in unittest.defaultTestLoader.getTestCaseNames(cases) if n.endswith('_cpu') and chosen(n.removesuffix('_cpu'))]
        suite.addTests(cases(n) for n in names)
    with open(os.devnull, 'w') as nowhere:
        result = unittest.TextTestRunner(stream=nowhere).run(suite)
    named = lambda pairs: {case.id().rpartition('.')[2].removesuffix('_cpu'): said.strip().splitlines()[-1] for case, said in pairs}
    failed, left_out = named([*result.failures, *result.errors]), named(result.skipped)
    return Found(result.testsRun - len(failed) - len(left_out), failed, left_out)


def tell(found: Found, device: str, what: str) -> None:
    """Prints what was left out and why, what failed, and how many passed."""
    reasons, lacking = {}, 'the operator '
    for why in (w.removeprefix('fade.onnx_backend: ') for w in found.left_out.values()):
        reasons.setdefault('operators that FADE has not' if why.startswith(lacking) else why[:100], []).append(why.removeprefix(lacking))
    for why, names in sorted(reasons.items()):
        which = '' if names[0][:100] == why else f': {", ".join(sorted(set(names)))}'
        print(f'skipped: {len(names)} of ONNX\'s {what} on {device}: {why}{which}')
    for name, said in found.failed.items():
        print(f'FAILED {name}: {said[:200]}')
    print(f'{found.passed} of ONNX\'s {what} passed on {device}, {len(found.failed)} failed, {len(found.left_out)} left out', flush=True)
