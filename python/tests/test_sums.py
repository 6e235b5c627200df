"""Sums behind a product, products of two 8-bit floats and gates of products with scales, on NumPy: beside float64, and what they refuse."""
import unittest

import numpy as np
from common import numbers, off, poisoned, some

import fade

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
EMULATED = [d for d in fade.info()['devices'] if d.startswith('emulated:')]


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


def silu(x):
    return x / (1 + np.exp(-x))


class Sums(unittest.TestCase):
    def test_of_a_batch_on_every_device(self):
        for device in ['host', *(d for d in EMULATED if d == 'emulated:gfx1100')]:
            with self.subTest(device=device):
                batch, m, n, k = drawn(1, 3), drawn(1, 50), drawn(1, 50), drawn(1, 20)
                a, b, z = some(batch, m, k), some(batch, k, n), some(batch, m, n)
                rows, columns = poisoned(batch, m), poisoned(n)
                d, report = fade.gemm(a, b, epilogue=[('drelu', z)], row_sums=rows, column_sums=columns, device=device, return_report=True)
                self.assertLess(off(d, (a.astype('float64') @ b) * (z > 0)), 2e-6)
                self.check(d, rows, columns)
                self.assertIn('row_sums, column_sums', report.requested)

    def test_of_16_bits(self):
        for device in ['host', *(d for d in EMULATED if d == 'emulated:gfx1100')]:
            for sums in ('float16', 'float32'):
                with self.subTest(device=device, sums=sums):
                    a, b = some(drawn(1, 40), 16, dtype='float16'), some(16, drawn(1, 40), dtype='float16')
                    rows, columns = poisoned(len(a), dtype=sums), poisoned(b.shape[1], dtype=sums)
                    d = fade.gemm(a, b, row_sums=rows, column_sums=columns, device=device)
                    self.assertLess(off(d, a.astype('float64') @ b.astype('float64')), 1.5e-3)
                    self.check(d, rows, columns)

    def check(self, d, rows, columns):
        of = np.abs(d).astype('float64')
        for sums, axes in ((rows, (d.ndim - 1,)), (columns, tuple(range(d.ndim - 1)))):
            wrong = np.abs(sums.reshape(-1) - d.astype('float64').sum(axes).reshape(-1))
            self.assertTrue((wrong <= 1e-6 * of.sum(axes).reshape(-1) + 1e-3 * (sums.dtype != np.float32) * np.abs(sums.reshape(-1))).all())

    def test_behind_a_gate_and_of_one_kind(self):
        a, b, columns, rows = some(9, 8, dtype='float16'), some(8, 12, dtype='float16'), poisoned(6, dtype='float16'), poisoned(9)
        d = fade.gemm(a, b, epilogue=['swiglu'], column_sums=columns)
        e = fade.gemm(a, b, row_sums=rows)
        self.check(d, d.astype('float64').sum(1).astype('float32'), columns)
        self.check(e, rows, e.astype('float64').sum(0).astype('float32'))

    def test_refusals(self):
        a, b, out, sums = some(4, 8), some(8, 6), poisoned(4, 6), poisoned(4)
        for argument, more in (('row_sums', {'row_sums': poisoned(3)}), ('column_sums', {'column_sums': sums}), ('row_sums', {'row_sums': out[:, 0]}),
                               ('types', {'row_sums': poisoned(4, dtype='float16')}), ('column_sums', {'column_sums': out[0]}),
                               ('column_sums', {'row_sums': sums, 'column_sums': poisoned(6, dtype='float64')})):
            with self.subTest(argument), self.assertRaises(fade.Error) as raised:
                fade.gemm(a, b, out=out, **more)
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue(np.isnan(out).all() and np.isnan(sums).all())


@unittest.skipUnless(ml_dtypes, 'ml_dtypes is not installed')
class EightBits(unittest.TestCase):
    def test_two_types(self):
        for kinds in (('float8_e4m3fn', 'float8_e5m2'), ('float8_e5m2fnuz', 'float8_e4m3fnuz')):
            one, other = (getattr(ml_dtypes, k) for k in kinds)
            a, b, columns = some(drawn(1, 40), 48).astype(one), some(48, 30).astype(other), poisoned(30)
            d = fade.gemm(a, b, column_sums=columns)
            self.assertEqual(d.dtype, ml_dtypes.bfloat16)
            self.assertLess(off(d, a.astype('float64') @ b.astype('float64')), 1.2e-2)
            self.assertLess(off(columns, d.astype('float64').sum(0)), 1e-5)
            self.assertLess(off(fade.gemm(a, b, out_dtype='float32'), a.astype('float64') @ b.astype('float64')), 2e-6)
        if 'emulated:gfx942' in EMULATED:
            a, b = some(drawn(1, 40), 48).astype(ml_dtypes.float8_e4m3fnuz), some(48, 30).astype(ml_dtypes.float8_e5m2fnuz)
            d = fade.gemm(a, b, out_dtype='float32', device='emulated:gfx942')
            self.assertLess(off(d, a.astype('float64') @ b.astype('float64')), 2e-6)

    def test_refusals(self):
        a, out = some(4, 4).astype(ml_dtypes.float8_e4m3fn), poisoned(4, 4)
        for argument, b in (('b', some(4, 4)), ('in_b', some(4, 4).astype(ml_dtypes.float8_e5m2fnuz))):
            with self.assertRaises(fade.Error) as raised:
                fade.gemm(a, b, out=out)
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue(np.isnan(out).all())

    def test_gates_of_scales(self):
        of = {'host': 'float8_e4m3fn', 'emulated:gfx942': 'float8_e4m3fnuz'}
        for device in ['host', *(d for d in EMULATED if d in of)]:
            with self.subTest(device=device):
                m, n, k = drawn(1, 40), 2 * drawn(1, 90), drawn(1, 300)
                a, w = ((8 * some(lines, k)).astype(getattr(ml_dtypes, of[device])) for lines in (m, n))
                parts = -(-k // 128)
                scale_a, scale_b = (np.exp2(some(lines, parts) - 6) for lines in (m, -(-n // 128)))
                spread = lambda s, lines, per: np.repeat(np.repeat(s.astype('float64'), per, 0)[:lines], 128, 1)[:, :k]
                x = (a.astype('float64') * spread(scale_a, m, 1)) @ (w.astype('float64') * spread(scale_b, n, 128)).T
                d = fade.scaled_gemm(a, w.T, scale_a, scale_b, epilogue=['swiglu'], device=device)
                self.assertEqual(d.shape, (m, n // 2))
                self.assertLess(off(d, silu(x[:, ::2]) * x[:, 1::2]), 1.2e-2)

    def test_gates_of_scales_refuse(self):
        a, w, s, out = (some(3, 4).astype(ml_dtypes.float8_e4m3fn), some(5, 4).astype(ml_dtypes.float8_e4m3fn), np.ones((3, 1), 'f4'),
                        poisoned(3, 2))
        for argument, more in (('n', {}), ('out', {'out': poisoned(3, 5)})):
            with self.assertRaises(fade.Error) as raised:
                fade.scaled_gemm(a, w.T, s, np.ones((1, 1), 'f4'), epilogue=['geglu'], **({'out': out} | more))
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue(np.isnan(out).all())


if __name__ == '__main__':
    unittest.main()
