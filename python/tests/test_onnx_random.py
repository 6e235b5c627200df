"""Random nodes of ONNX's operators through fade.onnx_backend, beside ONNX's own reference in NumPy; what it leaves out."""
import sys
import unittest

try:
    import ml_dtypes  # noqa: F401
    import onnx
    from onnx.reference import ReferenceEvaluator
except ImportError:
    print('skipped: python-onnx_random: onnx or ml_dtypes is not here')
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

    def test_norms_of_windows(self):
        p = drawn(1, 3)
        self.check('LpPool', some(2, 3, *drawn(6, 9, 2)), kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], p=p)
        x = some(2, 3, *drawn(1, 6, 2))          # of ONNX's reference only in the newest packages
        made = onnx_backend.run_node(onnx.helper.make_node('GlobalLpPool', ['x'], ['y'], p=p), [x])[0]
        np.testing.assert_allclose(made, (np.abs(x.astype('float64')) ** p).sum((2, 3), keepdims=True) ** (1 / p), rtol=1e-5)

    def test_whole_numbers(self):
        """Of bytes with and without sign, zero points of each filter, groups; sums beyond 2^24, which float32 would round."""
        for of_x, of_w in (('uint8', 'int8'), ('int8', 'uint8')):
            low, high = np.iinfo(of_x).min, np.iinfo(of_w).min
            x, w = np.array(drawn(low, low + 255, 2 * 6 * 7 * 5), of_x).reshape(2, 6, 7, 5), np.array(drawn(high, high + 255, 4 * 3 * 3 * 2), of_w).reshape(4, 3, 3, 2)
            zero_x, zero_w = np.array(drawn(low, low + 255), of_x), np.array(drawn(high, high + 255, 4), of_w)
            real = (x.astype('f8') - zero_x, w.astype('f8') - zero_w.reshape(4, 1, 1, 1))
            node = onnx.helper.make_node('Conv', ['x', 'w'], ['y'], group=2, strides=[2, 1], pads=[0, 1, 2, 1])
            wanted = ReferenceEvaluator(node).run(None, dict(zip('xw', real)))[0]
            node = onnx.helper.make_node('ConvInteger', ['x', 'w', 'zx', 'zw'], ['y'], group=2, strides=[2, 1], pads=[0, 1, 2, 1])
            for device in EVERYWHERE:
                np.testing.assert_array_equal(onnx_backend.run_node(node, [x, w, zero_x, zero_w], device)[0], wanted)
        large = np.full((1, 600, 1, 1), 255, 'uint8')
        node = onnx.helper.make_node('ConvInteger', ['x', 'w'], ['y'])
        self.assertEqual(int(onnx_backend.run_node(node, [large, large])[0].item()), 600 * 255 * 255)

    def test_normalised(self):
        vectors = [some(4), some(4), some(4), numbers.random(4).astype('float32')]
        self.check('BatchNormalization', some(2, 4, *drawn(2, 5, 2)), *vectors, epsilon=0.125)
        self.check('BatchNormalization', some(2, 4, *drawn(2, 5, 2)), *vectors, outputs=3, training_mode=1, momentum=0.75)
        self.check('InstanceNormalization', some(3, 4, *drawn(2, 5, 2)), *vectors[:2], epsilon=0.01)
        x = some(3, 4, *drawn(2, 5, 2))
        node = onnx.helper.make_node('GroupNormalization', ['x', 'scale', 'bias'], ['y'], num_groups=2)
        of_groups = x.reshape(6, -1).astype('float64')
        of_groups = (of_groups - of_groups.mean(1, keepdims=True)) / np.sqrt(of_groups.var(1, keepdims=True) + 1e-5)
        weight, bias = (v.reshape(4, 1, 1) for v in vectors[:2])
        for device in EVERYWHERE:
            made = onnx_backend.run_node(node, [x, *vectors[:2]], device)[0]
            np.testing.assert_allclose(made, of_groups.reshape(x.shape) * weight + bias, rtol=1e-5, atol=1e-5)
        self.check('MeanVarianceNormalization', some(3, 4, *drawn(2, 5, 2)), axes=[0, 3])

    def test_neighbouring_channels(self):
        """Beside a loop: the loop of ONNX's reference runs over images."""
        for size in (3, 4):
            x, out = some(2, drawn(4, 7), 2, 3), []
            for c in range(x.shape[1]):
                near = x[:, max(0, c - (size - 1) // 2):c + size // 2 + 1].astype('float64')
                out.append(x[:, c] / (1.5 + 0.5 / size * np.square(near).sum(1)) ** 0.75)
            node = onnx.helper.make_node('LRN', ['x'], ['y'], size=size, alpha=0.5, bias=1.5)
            for device in EVERYWHERE:
                np.testing.assert_allclose(onnx_backend.run_node(node, [x], device)[0], np.stack(out, 1), rtol=1e-5, atol=1e-6)

    def test_samples(self):
        x, grid = some(2, 3, *drawn(3, 6, 2)), numbers.uniform(-1.4, 1.4, (2, *drawn(2, 5, 2), 2)).astype('float32')
        for mode in ('linear', 'nearest', 'cubic'):
            for padding in ('zeros', 'border', 'reflection'):
                self.check('GridSample', x, grid, mode=mode, padding_mode=padding, align_corners=drawn(0, 1))

    def test_any_scale(self):
        """Scales that make no whole numbers of pixels. ONNX's reference rounds the position of the middle output to either side of where
        it is: half_pixel_symmetric is left out for the nearest pixel, and no middle of an image is a pixel."""
        ways = ['asymmetric', 'half_pixel', 'pytorch_half_pixel', 'align_corners', 'half_pixel_symmetric']
        for mode, how in [(m, w) for m in ('nearest', 'linear', 'cubic') for w in ways if (m, w) != ('nearest', ways[-1])]:
            scales = np.array([1, 1, *numbers.uniform(0.45, 2.6, 2)], 'float32')
            smooth = {} if mode == 'nearest' else dict(antialias=drawn(0, 1), exclude_outside=drawn(0, 1))
            self.check('Resize', some(2, 2, *(2 * n for n in drawn(2, 3, 2))), None, scales, mode=mode,
                       coordinate_transformation_mode=how, **smooth)

    def test_any_dimensions(self):
        for policy in ('not_larger', 'not_smaller'):
            self.check('Resize', some(3, 4, 5), None, None, np.array([7, 3], 'int64'), mode='cubic', axes=[2, 0], cubic_coeff_a=-0.5,
                       keep_aspect_ratio_policy=policy)
        self.check('Resize', some(5, 4), None, np.array([1.7, 2], 'float32'), mode='linear')

    def test_crops(self):
        roi = np.array([0, 0, *numbers.uniform(-0.3, 0.4, 2), 1, 1, *numbers.uniform(0.6, 1.3, 2)], 'float32')
        for mode in ('nearest', 'linear', 'cubic'):
            self.check('Resize', some(1, 2, 5, 6), roi, None, np.array([1, 2, *drawn(2, 8, 2)], 'int64'), mode=mode,
                       coordinate_transformation_mode='tf_crop_and_resize', extrapolation_value=3.0)

    def test_other_sizes(self):
        ways = [('nearest', 'asymmetric', 'floor'), ('nearest', 'half_pixel', 'round_prefer_ceil'), ('linear', 'half_pixel', 'floor'),
                ('linear', 'align_corners', 'floor'), ('linear', 'pytorch_half_pixel', 'floor')]
        for mode, how, rounding in ways:
            sizes = np.array([2, 3, *drawn(2, 9, 2)], 'int64')
            self.check('Resize', some(2, 3, *drawn(2, 6, 2)), None, None, sizes, mode=mode, coordinate_transformation_mode=how,
                       nearest_mode=rounding)
        self.check('Resize', some(1, 2, 3, 5), None, np.array([1, 1, 2, 3], 'float32'), mode='nearest')    # ties of neither side

    def test_slopes_and_sums(self):
        x, row = some(2, 3, *drawn(1, 5, 2)), some(3, 1, 1)
        self.check('LeakyRelu', x, alpha=0.3)
        self.check('PRelu', x, row)
        self.check('SwiGLU', x, some(*x.shape), alpha=1.5)
        for operator in ('Add', 'Sub', 'Mul', 'Sum'):
            self.check(operator, row, x)
            self.check(operator, np.float32(2), np.float32(3))
        self.check('Sum', *(some(3, 1) for _ in range(11)), some(4))     # more than an epilogue has stages

    def test_clip_of_old_models(self):
        """Whose ends are attributes, which a backend must not overlook."""
        node = onnx.helper.make_node('Clip', ['x'], ['y'], min=-0.5, max=0.25)
        x = some(40)
        np.testing.assert_array_equal(onnx_backend.run_node(node, [x], opset_version=6)[0], x.clip(-0.5, 0.25))

    def test_losses(self):
        x, labels, weight = some(4, 5, drawn(2, 4)), None, numbers.uniform(0.2, 1, 5).astype('float32')
        labels = numbers.integers(0, 5, (4, x.shape[2]))
        for reduction in ('none', 'sum', 'mean'):
            self.check('SoftmaxCrossEntropyLoss', x, labels, weight, outputs=2, reduction=reduction, ignore_index=2)
            self.check('NegativeLogLikelihoodLoss', x, labels, reduction=reduction)

    def test_reductions(self):
        x, axes = some(3, *drawn(2, 6, 3)), np.array([0, -1])
        for operator in ('ReduceL1', 'ReduceL2', 'ReduceLogSumExp', 'ReduceMean', 'ReduceMin', 'ReduceSum'):
            self.check(operator, x, axes, keepdims=drawn(0, 1))
            if operator != 'ReduceMean':         # whose reference rounds integers in its own way
                self.check(operator, (100 * x).astype('int64') if operator in ('ReduceMin', 'ReduceSum') else x + 50, axes)
        self.check('ReduceLogSum', np.abs(x), axes)
        node = onnx.helper.make_node('ReduceLogSumExp', ['x'], ['y'], keepdims=0)
        for ends, wanted in (([-np.inf, -np.inf], -np.inf), ([np.inf, 0], np.inf), ([-np.inf, 0], 0)):
            self.assertEqual(float(onnx_backend.run_node(node, [np.array(ends, 'float32')])[0]), wanted)

    def test_many_largest(self):
        """More than a lane holds, with many equal ones."""
        x = numbers.integers(-20, 20, (2, 90, 3)).astype('float32')
        for largest in (0, 1):
            self.check('TopK', x, np.array([drawn(65, 90)]), outputs=2, axis=1, largest=largest)
        node = onnx.helper.make_node('TopK', ['x'], ['y', 'places'], k=2)      # an attribute in old models
        np.testing.assert_array_equal(onnx_backend.run_node(node, [np.array([3, 9, 5], 'float32')], opset_version=9)[1], [1, 2])

    def test_float64(self):
        """Of lists, which the host alone has in float64."""
        x, axes = some(3, 4, 5).astype('float64'), np.array([1])
        for operator in ('ReduceMax', 'ReduceMin', 'ReduceMean', 'ReduceSum'):
            node = onnx.helper.make_node(operator, ['x', 'axes'], ['y'])
            made, wanted = (f(node) for f in (lambda n: onnx_backend.run_node(n, [x, axes])[0],
                                              lambda n: ReferenceEvaluator(n).run(None, {'x': x, 'axes': axes})[0]))
            np.testing.assert_allclose(made, wanted, rtol=1e-14)

    def test_what_is_left_out(self):
        x, two = some(1, 2, 4, 4), np.array([1, 1, 2, 2], 'float32')
        for said, operator, inputs, attributes in [
            ('just below a whole number', 'Resize', [some(10), None, np.array([0.7], 'float32')], {'mode': 'linear'}),
            ('crop by scales', 'Resize', [x, np.zeros(8, 'float32'), two], {'coordinate_transformation_mode': 'tf_crop_and_resize'}),
            ('int32 by the mode cubic', 'Resize', [x.astype('int32'), None, two], {'mode': 'cubic'}),
            ('no classes', 'NegativeLogLikelihoodLoss', [some(3, 4), np.array([0, 4, 1])], {}),
            ('training mode', 'Dropout', [x, np.float32(0.5), np.bool_(True)], {}),
            ('over 3 of 2 channels', 'LRN', [x], {'size': 3}),
            ('float64', 'AveragePool', [x.astype('float64')], {'kernel_shape': [2, 2]}),
        ]:
            names = [f'i{i}' if t is not None else '' for i, t in enumerate(inputs)]
            node = onnx.helper.make_node(operator, names, ['y'], **attributes)
            with self.subTest(operator=operator, said=said), self.assertRaises(onnx_backend.BackendIsNotSupposedToImplementIt) as caught:
                onnx_backend.run_node(node, inputs)
            self.assertIn(said, str(caught.exception))


class Networks(unittest.TestCase):
    """What one call computes of several nodes gives what the nodes give."""

    def model(self, nodes, constants, x, outputs=('y',), opset=15):
        info = lambda name, shape: onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape)
        graph = onnx.helper.make_graph(nodes, 'g', [info('x', x.shape)], [info(name, [None] * 4) for name in outputs],
                                       [onnx.numpy_helper.from_array(t, name) for name, t in constants.items()])
        return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid('', opset)], ir_version=8)

    def check(self, model, x, nodes):
        wanted = ReferenceEvaluator(model).run(None, {'x': x})
        for device in EVERYWHERE:
            prepared = onnx_backend.prepare(model, device)
            self.assertEqual([n.op_type for n in prepared.nodes], nodes)
            try:
                made = prepared.run([x])
            except unittest.SkipTest as why:
                self.fail(str(why))
            for y, w in zip(made, wanted):
                np.testing.assert_allclose(y, w, rtol=1e-5, atol=2e-5)

    def test_convolutions_take_what_is_behind_them(self):
        node, filters, groups = onnx.helper.make_node, 4, drawn(1, 2)
        x = some(2, 4, *drawn(5, 8, 2))
        constants = {'w': some(filters, 4 // groups, 3, 2), 'b': some(filters), 'scale': some(filters), 'shift': some(filters),
                     'mean': some(filters), 'variance': numbers.uniform(0.5, 2, filters).astype('float32')}
        conv = lambda *bias: node('Conv', ['x', 'w', *bias], ['c'], group=groups, pads=[1, 0, 2, 1], strides=[1, 2])
        norm = lambda of='c', to='n', **more: node('BatchNormalization', [of, 'scale', 'shift', 'mean', 'variance'], [to], epsilon=0.01, **more)
        relu = lambda of, to='y': node('Relu', [of], [to])
        for bias in ((), ('b',)):
            self.check(self.model([conv(*bias), norm(), relu('n')], constants, x), x, ['Conv'])
            self.check(self.model([conv(*bias), norm(to='y')], constants, x), x, ['Conv'])
            self.check(self.model([conv(*bias), relu('c')], constants, x), x, ['Conv'])
        # Others read what lies between, or what is folded is not known.
        self.check(self.model([conv(), norm(), relu('n')], constants, x, ('c', 'y')), x, ['Conv', 'BatchNormalization', 'Relu'])
        self.check(self.model([conv(), norm(), relu('n')], constants, x, ('n', 'y')), x, ['Conv', 'Relu'])
        self.check(self.model([conv(), relu('c', 'r'), node('Add', ['c', 'r'], ['y'])], constants, x), x, ['Conv', 'Relu', 'Add'])
        made = [node('Identity', ['scale_of'], ['scale']), conv(), norm(), relu('n')]
        model = self.model(made, {k: t for k, t in constants.items() if k != 'scale'}, x)
        model.graph.input.append(onnx.helper.make_tensor_value_info('scale_of', onnx.TensorProto.FLOAT, [filters]))
        self.assertEqual([n.op_type for n in onnx_backend.prepare(model).nodes], ['Identity', 'Conv', 'BatchNormalization', 'Relu'])
        y = onnx_backend.run_model(model, [x, constants['scale']])[0]
        np.testing.assert_allclose(y, ReferenceEvaluator(model).run(None, {'x': x, 'scale_of': constants['scale']})[0], rtol=1e-5, atol=2e-5)


if __name__ == '__main__':
    unittest.main()
