"""Random nodes of ONNX's operators over images through fade.onnx_backend, beside ONNX's own reference in NumPy; what it leaves out."""
import sys
import unittest

try:
    import ml_dtypes  # noqa: F401
    import onnx
    from onnx.reference import ReferenceEvaluator
except ImportError:
    print('skipped: python-onnx_images: onnx or ml_dtypes is not here')
    sys.exit(77)
import numpy as np
from common import numbers, some

import fade
from fade import onnx_backend

EVERYWHERE = ['host', *(d for d in fade.info()['devices'] if d == 'emulated:gfx1100')]


def drawn(low, high, count=None):
    found = numbers.integers(low, high + 1, count)
    return int(found) if count is None else [int(i) for i in found]


class Nodes(unittest.TestCase):
    def check(self, operator, *inputs, outputs=1, **attributes):
        names = [f'i{i}' if x is not None else '' for i, x in enumerate(inputs)]
        node = onnx.helper.make_node(operator, names, [f'o{i}' for i in range(outputs)], **attributes)
        wanted = ReferenceEvaluator(node).run(None, {n: x for n, x in zip(names, inputs) if n})
        for device in EVERYWHERE:
            with self.subTest(device=device, **attributes):
                try:
                    made = onnx_backend.run_node(node, inputs, device)
                except unittest.SkipTest as why:     # which a refusal is, so that ONNX's runner leaves it out
                    self.fail(str(why))
                for y, w in zip(made, wanted):
                    self.assertEqual((y.dtype, y.shape), (w.dtype, w.shape))
                    np.testing.assert_allclose(y, w, rtol=1e-5, atol=1e-5)

    def test_largest(self):
        x = some(2, 3, *drawn(5, 9, 2))
        self.check('MaxPool', x, kernel_shape=[2, 3], strides=drawn(1, 3, 2), pads=[0, 1, 1, 2])

    def test_places_of_the_largest(self):
        """They are where x has those values; the places of ONNX's reference lie outside their windows with strides of 1 and pads."""
        for order in (0, 1):
            x = some(drawn(2, 3), drawn(2, 3), *drawn(5, 9, 2))
            node = onnx.helper.make_node('MaxPool', ['x'], ['y', 'places'], kernel_shape=[2, 3], pads=[0, 1, 1, 2], storage_order=order)
            counted = x if order == 0 else x.swapaxes(2, 3)      # its first dimension first
            for device in EVERYWHERE:
                y, places = onnx_backend.run_node(node, [x], device)
                self.assertEqual(places.dtype, np.int64)
                np.testing.assert_array_equal(counted.ravel()[places], y)

    def test_means(self):
        for with_pad in (0, 1):
            x = some(2, 3, *drawn(6, 9, 2))
            self.check('AveragePool', x, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 2, 1], count_include_pad=with_pad)
        self.check('GlobalAveragePool', some(2, 3, *drawn(1, 6, 3)))
        self.check('GlobalMaxPool', some(2, 3, *drawn(1, 6, 2)))

    def test_normalised(self):
        vectors = [some(4), some(4), some(4), numbers.random(4).astype('float32')]
        self.check('BatchNormalization', some(2, 4, *drawn(2, 5, 2)), *vectors, epsilon=0.125)

    def test_samples(self):
        x, grid = some(2, 3, *drawn(3, 6, 2)), numbers.uniform(-1.4, 1.4, (2, *drawn(2, 5, 2), 2)).astype('float32')
        for mode in ('linear', 'nearest'):
            for padding in ('zeros', 'border', 'reflection'):
                self.check('GridSample', x, grid, mode=mode, padding_mode=padding, align_corners=drawn(0, 1))

    def test_other_sizes(self):
        ways = [('nearest', 'asymmetric', 'floor'), ('nearest', 'half_pixel', 'round_prefer_ceil'), ('linear', 'half_pixel', 'floor'),
                ('linear', 'align_corners', 'floor'), ('linear', 'pytorch_half_pixel', 'floor')]
        for mode, how, rounding in ways:
            sizes = np.array([2, 3, *drawn(2, 9, 2)], 'int64')
            self.check('Resize', some(2, 3, *drawn(2, 6, 2)), None, None, sizes, mode=mode, coordinate_transformation_mode=how,
                       nearest_mode=rounding)
        self.check('Resize', some(1, 2, 3, 5), None, np.array([1, 1, 2, 3], 'float32'), mode='nearest')    # ties of neither side

    def test_what_is_left_out(self):
        x, v = some(1, 2, 4, 4), [np.ones(2, 'float32')] * 4
        scales = np.array([1, 1, 0.6, 2], 'float32')
        for said, operator, inputs, attributes in [
            ('training mode', 'BatchNormalization', [x, *v], {'training_mode': 1}),
            ('cubic', 'Resize', [x, None, np.array([1, 1, 2, 2], 'float32')], {'mode': 'cubic'}),
            ('no whole number', 'Resize', [x, None, scales], {'mode': 'linear'}),
            ('batches or channels', 'Resize', [x, None, np.array([1, 2, 1, 1], 'float32')], {}),
            ('antialias', 'Resize', [x, None, np.array([1, 1, .5, .5], 'float32')], {'mode': 'linear', 'antialias': 1}),
            ('float64', 'AveragePool', [x.astype('float64')], {'kernel_shape': [2, 2]}),
            ('cubic', 'GridSample', [x, some(1, 2, 2, 2)], {'mode': 'cubic'}),
        ]:
            names = [f'i{i}' if t is not None else '' for i, t in enumerate(inputs)]
            node = onnx.helper.make_node(operator, names, ['y'], **attributes)
            with self.subTest(operator=operator, said=said), self.assertRaises(onnx_backend.BackendIsNotSupposedToImplementIt) as caught:
                onnx_backend.run_node(node, inputs)
            self.assertIn(said, str(caught.exception))


if __name__ == '__main__':
    unittest.main()
