"""Convolution and its gradients on NumPy: beside float64, tap by tap, on the host and on an emulated architecture; refusals."""
import unittest

import numpy as np
from common import Convolution, off, poisoned, some

import fade

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
EMULATED = [d for d in fade.info()['devices'] if d.startswith('emulated:')]
BOUND = {'float32': 2e-6, 'float16': 1.5e-3, 'bfloat16': 1.2e-2}


class Convolutions(unittest.TestCase):
    def passes(self, p, x, w, dy, turn=lambda t: t, back=lambda t: t, **more):
        """(what a pass makes, what it is in float64)"""
        how = {**p.how, **more}
        yield back(fade.conv_forward(turn(x), turn(w), **how)), p.forward(x, w)
        yield back(fade.conv_backward_data(turn(dy), turn(w), p.sizes, **how)), p.backward_data(dy, w)
        yield back(fade.conv_backward_weights(turn(dy), turn(x), p.taps, **how)), p.backward_weights(dy, x)

    def test_passes_of_every_type(self):
        for name in ['float32', 'float16'] + (['bfloat16'] if ml_dtypes else []):
            for dimensions in (1, 2, 3):
                p = Convolution(dimensions)
                x, w, dy = (t.astype(ml_dtypes.bfloat16 if name == 'bfloat16' else name) for t in (p.x, p.w, p.dy))
                for made, wanted in self.passes(p, x, w, dy):
                    with self.subTest(name=name, dimensions=dimensions):
                        self.assertEqual(made.dtype, x.dtype)
                        self.assertLess(off(made, wanted), BOUND[name])

    def test_channels_first_and_emulation(self):
        devices = ['host'] + [d for d in EMULATED if d == 'emulated:gfx1100']
        for device in devices:
            p = Convolution(2)
            first, last = (lambda t: np.ascontiguousarray(np.moveaxis(t, -1, 1))), (lambda t: np.moveaxis(t, 1, -1))
            for made, wanted in self.passes(p, p.x, p.w, p.dy, first, last, layout='channels_first', device=device):
                self.assertLess(off(made, wanted), BOUND['float32'])

    def test_gradient_of_a_bias(self):
        p = Convolution(2)
        db = poisoned(p.filters)
        dw = fade.conv_backward_weights(p.dy, p.x, p.taps, bias_gradient=db, alpha=2.0, **p.how)
        self.assertLess(off(dw, 2 * p.backward_weights(p.dy, p.x)), BOUND['float32'])
        self.assertLess(off(db, p.dy.astype('float64').sum((0, 1, 2))), BOUND['float32'])
        for wrong in (poisoned(p.filters + 1), poisoned(p.filters, dtype='float16')):
            with self.assertRaises(fade.Error) as raised:
                fade.conv_backward_weights(p.dy, p.x, p.taps, bias_gradient=wrong, **p.how)
            self.assertEqual(raised.exception.argument, 'bias_gradient')
            self.assertTrue(np.isnan(wrong).all())

    def test_epilogue_and_accumulation(self):
        p = Convolution(2)
        c, bias, out = some(*p.dy.shape), some(p.filters), poisoned(*p.dy.shape)
        y, report = fade.conv_forward(p.x, p.w, c=c, alpha=0.5, beta=2.0, epilogue=[('bias', bias), 'relu', ('residual', c)], out=out,
                                      return_report=True, **p.how)
        self.assertIs(y, out)
        self.assertIn('conv', report.chosen)
        self.assertLess(off(y, np.maximum(0.5 * p.forward(p.x, p.w) + 2.0 * c + bias, 0) + c), BOUND['float32'])

    def test_refusals(self):
        p = Convolution(2)
        x, w, dy, how = p.x, p.w, p.dy, p.how
        for argument, call in {
            'stride': lambda: fade.conv_forward(x, w, **{**how, 'stride': 0}), 'padding': lambda: fade.conv_forward(x, w, **{**how, 'padding': [(1, 2)]}),
            'w': lambda: fade.conv_forward(x, w[..., :0], **how), 'layout': lambda: fade.conv_forward(x, w, layout='nhwc', **how),
            'x': lambda: fade.conv_forward(x[0, 0], w, **how), 'dy': lambda: fade.conv_backward_data(dy[:, 1:], w, p.sizes, **how),
            'out': lambda: fade.conv_forward(x, w, out=poisoned(1, 2, 3, 4), **how), 'c': lambda: fade.conv_forward(x, w, c=dy[1:], **how),
            'types': lambda: fade.conv_forward(x, w, out_dtype='int32', **how), 'taps': lambda: fade.conv_backward_weights(dy, x, (1, 1, 1), **how),
            'epilogue': lambda: fade.conv_forward(x, w, epilogue=[('bias', some(p.filters + 1))], **how),
            'algorithm': lambda: fade.conv_forward(x, w, algorithm='fast', **how),
            'x_zero': lambda: fade.conv_forward(x, w, x_zero=300, **how), 'w_zero': lambda: fade.conv_forward(x, w, w_zero=np.ones(p.filters, 'int32'), **how),
        }.items():
            with self.subTest(argument=argument), self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)

    def test_numbers_of_8_bits(self):
        """Whole numbers exactly, with zero points and scales of filters; 8-bit floats beside float64."""
        rng = np.random.default_rng(some(1).view('u4')[0])
        for device in ['host'] + [d for d in EMULATED if d == 'emulated:gfx1100']:
            p = Convolution(2)
            x, w = rng.integers(-128, 128, p.x.shape, 'int8'), rng.integers(-128, 128, p.w.shape, 'int8')
            zeros, scales = rng.integers(-128, 128, p.filters, 'int32'), some(p.filters)
            sums = p.forward(x.astype('f8') + 77, w.astype('f8') - zeros.reshape(-1, *[1] * (w.ndim - 1)))
            y = fade.conv_forward(x, w, x_zero=-77, w_zero=zeros, device=device, **p.how)
            self.assertEqual(y.dtype, np.int32)
            np.testing.assert_array_equal(y, sums)
            y = fade.conv_forward(x, w, x_zero=-77, w_zero=zeros, epilogue=[('scale_columns', scales)], out_dtype='float32', device=device, **p.how)
            self.assertLess(off(y, sums * scales), BOUND['float32'])
        for name in ('float8_e4m3fn', 'float8_e4m3fnuz', 'float8_e5m2', 'float8_e5m2fnuz') if ml_dtypes else ():
            x, w = (t.astype(getattr(ml_dtypes, name)) for t in (p.x, p.w))
            wanted = p.forward(x.astype('f8'), w.astype('f8')) * scales
            for out in ('float32', 'float16', 'bfloat16'):
                y = fade.conv_forward(x, w, epilogue=[('scale_columns', scales.astype(getattr(ml_dtypes, out, out)))], out_dtype=out, **p.how)
                rounded = scales.astype(getattr(ml_dtypes, out, out)).astype('f8') / scales
                self.assertLess(off(y, wanted * rounded), BOUND[out])
        with self.assertRaises(fade.Error) as caught:
            fade.conv_backward_data(fade.conv_forward(x, w, **p.how), w, p.sizes, **p.how)
        self.assertEqual(caught.exception.argument, 'w')

    def test_algorithms(self):
        p = Convolution(2, depthwise=True)
        for algorithm in ('implicit_gemm', 'direct'):
            for made, wanted in self.passes(p, p.x, p.w, p.dy, algorithm=algorithm):
                self.assertLess(off(made, wanted), BOUND['float32'])
            report = fade.conv_forward(p.x, p.w, algorithm=algorithm, return_report=True, **p.how)[1]
            self.assertTrue(report.chosen.startswith(f'conv {algorithm}'), report.chosen)
        x, w = some(2, 9, 11, 5), some(4, 3, 3, 5)
        for algorithm, bound in {'im2col': 1, 'mec': 1, 'winograd_f2': 4, 'winograd_f4': 16, 'fft': 4}.items():
            y, report = fade.conv_forward(x, w, algorithm=algorithm, return_report=True)
            self.assertTrue(report.chosen.startswith(f'conv {algorithm}'), report.chosen)
            windows = np.lib.stride_tricks.sliding_window_view(x.astype(float), (3, 3), axis=(1, 2))
            self.assertLess(off(y, np.einsum('nhwcij,kijc->nhwk', windows, w.astype(float))), bound * BOUND['float32'])
        with self.assertRaises(fade.Error) as caught:    # two channels a group
            fade.conv_forward(some(1, 5, 5, 4), some(2, 3, 3, 2), groups=2, algorithm='direct')
        self.assertEqual(caught.exception.argument, 'algorithm')


if __name__ == '__main__':
    unittest.main()
