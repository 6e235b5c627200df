"""A network in ONNX's format through FADE: ResNet-50 of the onnx package, or any file: network_from_onnx.py [MODEL.onnx [DEVICE]]"""
import sys
import time
from pathlib import Path

import numpy as np

try:
    import onnx

    from fade import onnx_backend
except ImportError as e:
    print(f'skipped: network_from_onnx: {e}')
    sys.exit(77)

path = sys.argv[1] if len(sys.argv) > 1 else Path(onnx.__file__).parent / 'backend/test/data/light/light_resnet50.onnx'
device = sys.argv[2] if len(sys.argv) > 2 else 'CPU'
model = onnx.load(path)
network = onnx_backend.prepare(model, device)    # computes what depends on no input, and says what FADE lacks
weights = {t.name for t in model.graph.initializer}
shapes = [[d.dim_value or 1 for d in i.type.tensor_type.shape.dim] for i in model.graph.input if i.name not in weights]
inputs = [np.linspace(0, 1, int(np.prod(shape)), dtype='float32').reshape(shape) for shape in shapes]
begun = time.perf_counter()
outputs = network.run(inputs)
took = time.perf_counter() - begun
print(f'{Path(path).stem} on {device}: {len(network.nodes)} nodes in {took:.2f} s, outputs', [y.shape for y in outputs])
if len(sys.argv) == 1:
    wanted = onnx.numpy_helper.to_array(onnx.load_tensor(path.with_name('light_resnet50_output_0.pb')))
    np.testing.assert_allclose(outputs[0], wanted, rtol=1e-3, atol=1e-7)
    print("ONNX's expected output is the same within a thousandth")
