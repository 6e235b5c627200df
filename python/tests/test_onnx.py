"""ONNX's own node tests through fade.onnx_backend: test_onnx.py [DEVICE]

Outputs are held to ONNX's tolerances. float16 attention on emulated GPUs is the exception, see SIXTEEN.
"""
import sys

try:
    import ml_dtypes  # noqa: F401
    import onnx  # noqa: F401
except ImportError:
    print('skipped: python-onnx: onnx or ml_dtypes is not here')
    sys.exit(77)
import onnx_runs
from common import attention, off

import fade
from fade import onnx_backend

DEVICE = sys.argv.pop(1) if len(sys.argv) > 1 else 'host'
# Expected outputs were computed in float16 throughout, and are compared to a thousandth: one or two units in the last place. GPUs round
# weights to float16 before the second product. Against float64 the outputs must be within the bound of float16.
SIXTEEN = {'test_attention_4d_fp16': None, 'test_attention_4d_causal_fp16': 'top-left'}
FEWEST = 1030 if DEVICE == 'emulated:gfx942' else 1145           # ONNX's suite has so many; fewer passed means that it did not run


def against_float64(name):
    """The inputs of a test of ONNX through FADE, beside float64."""
    from onnx.backend.test.loader import load_model_tests
    case = next(t for t in load_model_tests(kind='node') if t.name == name)
    q, k, v = case.data_sets[0][0]
    y = onnx_backend.run_model(case.model, [q, k, v], DEVICE)[0]
    wanted = attention(*(t.transpose(0, 2, 1, 3) for t in (q, k, v)), causal=SIXTEEN[name]).transpose(0, 2, 1, 3)
    return off(y, wanted) < 1e-3


def main():
    if DEVICE not in fade.info()['devices']:
        print(f'skipped: python-onnx: the package has no {DEVICE}')
        return 77
    found = onnx_runs.run(DEVICE, ['NodeModel'], lambda name: '_expanded' not in name)
    for name in [n for n in found.failed if n in SIXTEEN and DEVICE != 'host' and against_float64(n)]:
        print(f'{name}: within float16 of float64, not within a thousandth of float16')
        del found.failed[name]
    onnx_runs.tell(found, DEVICE, 'node tests')
    return 1 if found.failed or found.passed < FEWEST else 0


if __name__ == '__main__':
    sys.exit(main())
