"""Networks that nobody here wrote through fade.onnx_backend: test_onnx_models.py [DEVICE] [--all]

Those of the onnx package, with its expected outputs: converted from PyTorch, made of operators of PyTorch, simple, and the nine large
ones. Weights of the large ones are constants, which makes all classes alike; two of them are run with random weights too, beside
ONNX's reference in NumPy. On emulated GPUs that is the smallest ones, and ResNet-50 on the smallest image that all its layers see
something of, 32 x 32 pixels; --all takes the others too, and images of 224 x 224 (a few minutes).
"""
import sys
import time
from pathlib import Path

try:
    import ml_dtypes  # noqa: F401
    import onnx
    from onnx import numpy_helper
    from onnx.reference import ReferenceEvaluator
except ImportError:
    print('skipped: python-onnx_models: onnx or ml_dtypes is not here')
    sys.exit(77)
import numpy as np
import onnx_runs
from common import numbers, off, some

import fade
from fade import onnx_backend

ALL = '--all' in sys.argv
DEVICE = next((w for w in sys.argv[1:] if w != '--all'), 'host')
LARGE = ['squeezenet', 'shufflenet', 'bvlc_alexnet', 'inception_v1', 'inception_v2', 'zfnet512', 'resnet50', 'densenet121', 'vgg19']
QUICK = LARGE if ALL or DEVICE == 'host' else LARGE[:2]
FEWEST = 132
# ONNX's reference takes BatchNormalization of operator set 9 for training; what else these networks have is the same in 15.
OPERATOR_SETS = {'squeezenet': 9, 'resnet50': 15}


def with_random_weights(name, side):
    """A large network without its last softmax, whose last pooling takes what images of this side leave of 7 x 7 pixels of 224 x 224."""
    model = onnx.load(Path(onnx.__file__).parent / 'backend' / 'test' / 'data' / 'light' / f'light_{name}.onnx')
    model.ir_version, model.opset_import[0].version, graph = 8, OPERATOR_SETS[name], model.graph
    shapes = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    for node in [n for n in graph.node if n.op_type == 'ConstantOfShape']:
        shape = [int(n) for n in shapes[node.input[0]]]
        weights = some(*shape) * np.sqrt(2 / np.prod(shape[1:])) if len(shape) > 1 else numbers.uniform(0.5, 1.5, shape)
        graph.initializer.append(numpy_helper.from_array(weights.astype('float32'), node.output[0]))
        graph.node.remove(node)
    if side != 224:
        del graph.output[0].type.tensor_type.shape.dim[:]
        pool = next(node for node in graph.node if node.op_type == 'AveragePool')
        next(a for a in pool.attribute if a.name == 'kernel_shape').ints[:] = [side // 32] * 2
    graph.output[0].name = graph.node.pop().input[0]
    return model


def beside_reference(name, side):
    model, x = with_random_weights(name, side), some(1, 3, side, side)
    prepared, begun = onnx_backend.prepare(model, DEVICE), time.time()
    y, took = prepared.run([x])[0], time.time() - begun
    constants = {t.name for t in model.graph.initializer}
    wanted = ReferenceEvaluator(model).run(None, {i.name: x for i in model.graph.input if i.name not in constants})[0]
    print(f'{name} with random weights on {DEVICE}, {side} x {side} pixels: {took:.2f} s, off by {off(y, wanted):.1e}', flush=True)
    return off(y, wanted) < 1e-5 and np.std(wanted) > 0


def main():
    if DEVICE not in fade.info()['devices']:
        print(f'skipped: python-onnx_models: the package has no {DEVICE}')
        return 77
    small = onnx_runs.run(DEVICE, ['SimpleModel', 'PyTorchConvertedModel', 'PyTorchOperatorModel'])
    onnx_runs.tell(small, DEVICE, 'small models')
    failed = bool(small.failed) or small.passed < FEWEST
    for name in QUICK:
        begun = time.time()
        large = onnx_runs.run(DEVICE, ['RealModel'], lambda test: test == f'test_{name}')
        failed |= large.passed != 1
        print(f'{name} on {DEVICE}: {"right" if large.passed else next(iter([*large.failed.values(), *large.left_out.values()]))[:200]}, '
              f'{time.time() - begun:.1f} s', flush=True)
    if left := LARGE[len(QUICK):]:
        print(f'skipped: {len(left)} large models on {DEVICE}: they take minutes; --all runs them: {", ".join(left)}')
    failed |= not all([beside_reference(name, 32 if name == 'resnet50' and QUICK != LARGE else 224) for name in OPERATOR_SETS])
    return int(failed)


if __name__ == '__main__':
    sys.exit(main())
