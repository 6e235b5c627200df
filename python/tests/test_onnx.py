"""ONNX's own node tests of the operators that fade.onnx_backend has: test_onnx.py [DEVICE]

Outputs are held to ONNX's tolerances. float16 attention on emulated GPUs is the exception, see SIXTEEN.
"""
import sys
import unittest
import warnings

try:
    import ml_dtypes  # noqa: F401
    import onnx
    from onnx.backend.test import BackendTest
except ImportError:
    print('skipped: python-onnx: onnx or ml_dtypes is not here')
    sys.exit(77)
import numpy as np
from common import attention, off

import fade
from fade import onnx_backend

warnings.simplefilter('ignore')
DEVICE = sys.argv.pop(1) if len(sys.argv) > 1 else 'host'
PATTERN = (r'^test_(attention|argmax|argmin|averagepool|batchnorm|clip|basic_conv|conv|convinteger|convtranspose|gelu|gemm|globalaveragepool|'
           r'globalmaxpool|gridsample|layer_normalization|logsoftmax|matmul|matmulinteger|maxpool|resize|upsample|'
           r'qlinearconv|qlinearmatmul|reduce_max|reduce_mean|reduce_min|reduce_sum|relu|rms_normalization|'
           r'rotary_embedding|sigmoid|softmax|swish|top_k)(_.*)?_cpu$')
# Expected outputs were computed in float16 throughout, and are compared to a thousandth: one or two units in the last place. GPUs round
# weights to float16 before the second product. Against float64 the outputs must be within the bound of float16.
SIXTEEN = {'test_attention_4d_fp16_cpu': None, 'test_attention_4d_causal_fp16_cpu': 'top-left'}
FEWEST = 250 if DEVICE == 'emulated:gfx942' else 370         # ONNX's suite has so many; fewer passed means that it did not run


class OnDevice(onnx_backend.FadeBackend):
    """What is not implemented counts as skipped, with its sentence: ONNX's runner would count it as passed."""

    @classmethod
    def device_name(cls, device):
        return DEVICE

    @classmethod
    def prepare(cls, model, device='CPU', **more):
        try:
            rep = super().prepare(model, device, **more)
        except onnx_backend.BackendIsNotSupposedToImplementIt as why:
            raise unittest.SkipTest(str(why)) from why
        run = rep.run

        def or_skipped(inputs, **more):
            try:
                return run(inputs, **more)
            except onnx_backend.BackendIsNotSupposedToImplementIt as why:
                raise unittest.SkipTest(str(why)) from why
        rep.run = or_skipped
        return rep


def against_float64(name):
    """The inputs of a test of ONNX through FADE, beside float64."""
    from onnx.backend.test.loader import load_model_tests
    case = next(t for t in load_model_tests(kind='node') if t.name == name.removesuffix('_cpu'))
    q, k, v = case.data_sets[0][0]
    y = onnx_backend.run_model(case.model, [q, k, v], DEVICE)[0]
    wanted = attention(*(t.transpose(0, 2, 1, 3) for t in (q, k, v)), causal=SIXTEEN[name]).transpose(0, 2, 1, 3)
    return off(y, wanted) < 1e-3


def main():
    if DEVICE not in fade.info()['devices']:
        print(f'skipped: python-onnx: the package has no {DEVICE}')
        return 77
    tests = BackendTest(OnDevice, __name__)
    tests.include(PATTERN).exclude('_expanded')
    suite = unittest.TestSuite(unittest.defaultTestLoader.loadTestsFromTestCase(c) for c in tests.test_cases.values())
    with open('/dev/null', 'w') as nowhere:
        found = unittest.TextTestRunner(stream=nowhere).run(suite)
    left_out = [(case.id().rpartition('.')[2], why) for case, why in found.skipped if 'fade.onnx_backend' in why]
    ours = found.testsRun - (len(found.skipped) - len(left_out))
    failed = []
    for case, said in [*found.failures, *found.errors]:
        name = case.id().rpartition('.')[2]
        if name in SIXTEEN and DEVICE != 'host' and against_float64(name):
            print(f'{name}: within float16 of float64, not within a thousandth of float16')
        else:
            failed.append(f'FAILED {name}: {said.strip().splitlines()[-1][:200]}')
    passed = ours - len(left_out) - len(failed)
    reasons = {}
    for name, why in left_out:
        reasons.setdefault(why.removeprefix('fade.onnx_backend: ')[:100], []).append(name)
    for why, names in sorted(reasons.items()):
        print(f'skipped: {len(names)} of ONNX\'s tests on {DEVICE}: {why}')
    print('\n'.join(failed))
    print(f'{passed} of ONNX\'s tests passed on {DEVICE}, {len(failed)} failed, {len(left_out)} left out')
    return 1 if failed or passed < FEWEST else 0


if __name__ == '__main__':
    sys.exit(main())
