"""Gradients of experts' weights, and experts whose weights are quantised, on NumPy: beside loops in float64, and what they refuse."""
import unittest

import numpy as np
from common import numbers, off, poisoned, some
from test_groups import BOUND, GROUPED, TYPES, Groups, drawn

import fade


def silu(x):
    return x / (1 + np.exp(-x))


class AlongRows(unittest.TestCase):
    """grouped_k_gemm: D[g] = A[g]^T B[g]."""

    def setUp(self):
        self.g = Groups()
        self.m, self.n = drawn(1, 40), 2 * drawn(1, 20)

    def operands(self, dtype='float32'):
        a, b = some(self.g.rows, self.m + 3, dtype=dtype)[:, :self.m], some(self.g.rows, self.n, dtype=dtype)
        begins = np.concatenate([[0], self.g.ends[:-1]])
        return a, b, np.stack([a[i:j].astype('float64').T @ b[i:j].astype('float64') for i, j in zip(begins, self.g.ends)])

    def test_types(self):
        for name, dtype in TYPES.items():
            with self.subTest(name=name):
                a, b, wanted = self.operands(dtype)
                d = fade.grouped_k_gemm(a, b, self.g.ends)
                self.assertEqual(d.dtype, a.dtype)
                self.assertLess(off(d, wanted), BOUND[name])
                d = fade.grouped_k_gemm(a, b, self.g.ends, out_dtype='float32')
                self.assertEqual(d.dtype, np.float32)
                self.assertLess(off(d, wanted), BOUND['float32'])

    def test_stages_and_c_on_every_device(self):
        groups = self.g.groups
        for device in GROUPED:
            a, b, x = self.operands()
            bias, kept, out = some(groups, self.n), poisoned(groups, self.m, self.n), poisoned(groups, self.m, self.n)
            for c in some(groups, self.m, self.n), some(self.m, self.n):
                said, report = fade.grouped_k_gemm(a, b, self.g.ends, c=c, alpha=2, beta=0.5, epilogue=[('batch_bias', bias), ('aux', kept), 'relu'],
                                                   out=out, device=device, return_report=True)
                self.assertIs(said, out)
                wanted = 2 * x + 0.5 * c + bias[:, None]
                self.assertLess(off(kept, wanted), BOUND['float32'])
                self.assertLess(off(out, np.maximum(wanted, 0)), BOUND['float32'])
            self.assertIn(f'{groups} groups along k', report.requested)
            d = fade.grouped_k_gemm(a, b, self.g.ends, epilogue=['swiglu'], device=device)
            self.assertLess(off(d, silu(x[..., ::2]) * x[..., 1::2]), 4 * BOUND['float32'])
        self.assertIs(fade.grouped_k_gemm(a, b, self.g.ends, c=out, out=out), out)
        self.assertLess(off(out, x + np.maximum(wanted, 0)), BOUND['float32'])

    def test_a_group_without_rows(self):
        np.testing.assert_array_equal(fade.grouped_k_gemm(some(3, 2), some(3, 4), np.array([0, 3, 3], 'int32'))[::2], np.zeros((2, 2, 4)))

    def test_refusals(self):
        a, b, ends, out = some(6, 4), some(6, 3), np.array([1, 5], 'int32'), poisoned(2, 4, 3)
        of = lambda *more: np.array(more, 'int32')
        for argument, changed in (('a', {'a': some(4)}), ('b', {'b': some(5, 3)}), ('b', {'b': b.astype('float16')}), ('b', {'b': some(2, 6, 3)}),
                                  ('ends', {'ends': of(1, 2, 5)}), ('ends', {'ends': ends.astype('float32')}), ('ends', {'ends': of(1)}),
                                  ('ends', {'ends': ends[None]}), ('ends[1]', {'ends': of(3, 2)}), ('ends[1]', {'ends': of(1, 7)}),
                                  ('out', {'out': poisoned(2, 3, 4)}), ('out', {'out': poisoned(4, 3)}), ('c', {'c': some(3, 4, 3)}),
                                  ('c', {'c': some(2, 4, 3, dtype='float16')}), ('types', {'out': None, 'out_dtype': 'float64'}),
                                  ('epilogue', {'epilogue': [('batch_bias', some(3))]}), ('epilogue', {'epilogue': ['tanh']}),
                                  ('n', {'epilogue': ['swiglu'], 'out': None})):
            with self.subTest(argument=argument, changed=list(changed)), self.assertRaises(fade.Error) as raised:
                fade.grouped_k_gemm(**({'a': a, 'b': b, 'ends': ends, 'out': out} | changed))
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue(np.isnan(out).all())


class QuantisedExperts(unittest.TestCase):
    """grouped_weight_gemm beside weight_gemm of each group, whose own test knows what formats are."""

    def setUp(self):
        self.g = Groups(listed=drawn(0, 1) == 1)
        self.n, self.k = 8 * drawn(1, 12), 128 * drawn(1, 2)
        self.a = some(len(self.g.a), self.k, dtype='float16')

    def packed(self, format, group=128):
        random = lambda low, high, type, *shape: numbers.integers(low, high, (self.g.groups, *shape)).astype(type)
        if format in ('gptq', 'awq'):
            parts = 1 if group == -1 else self.k // (group or 128)
            words = (self.k // 8, self.n) if format == 'gptq' else (self.k, self.n // 8)
            return (random(-2**31, 2**31, 'int32', *words), (0.01 * np.abs(some(self.g.groups, parts, self.n)) + 0.001).astype('float16'),
                    random(-2**31, 2**31, 'int32', parts, self.n // 8))
        if format == 'int8':
            return random(-128, 128, 'int8', self.n, self.k), np.abs(some(self.g.groups, self.n)) / 100
        return (random(0, 120, 'uint8', self.n, self.k if format == 'mxfp8' else self.k // 2),
                random(120, 126, 'uint8', self.n, self.k // 32) if format != 'nvfp4' else random(24, 48, 'uint8', self.n, self.k // 16))

    def product(self, packed, **more):
        """Of the rows before the last end, in float64."""
        out = np.zeros((self.g.used, self.n))
        rows = self.a if self.g.row_list is None else self.a[self.g.row_list]
        for g, end in enumerate(self.g.ends):
            begin = self.g.ends[g - 1] if g else 0
            if end > begin:
                out[begin:end] = fade.weight_gemm(np.ascontiguousarray(rows[begin:end]), *(t[g].copy() for t in packed), **more)
        return out

    def test_formats_on_every_device(self):
        for device in GROUPED:
            for format, group in (('gptq', 0), ('gptq', 32), ('awq', -1), ('int8', 0), ('mxfp4', 0), ('mxfp8', 0), ('nvfp4', 0)):
                with self.subTest(device=device, format=format, group=group):
                    packed, bias, c = self.packed(format, group), some(self.g.groups, self.n, dtype='float16'), some(self.g.rows, self.n, dtype='float16')
                    out = poisoned(self.g.rows, self.n, dtype='float16')
                    said, report = fade.grouped_weight_gemm(self.a, *packed, ends=self.g.ends, row_list=self.g.row_list, format=format, group=group,
                                                            c=c, beta=0.5, epilogue=[('batch_bias', bias)], out=out, device=device, return_report=True)
                    self.assertIs(said, out)
                    wanted = self.product(packed, format=format, group=group) + 0.5 * c[:self.g.used] + self.g.of_rows(bias)
                    self.assertLess(off(out[:self.g.used], wanted), 2 * BOUND['float16'])
                    self.assertTrue(np.isnan(out[self.g.used:].astype('float64')).all())
                    self.assertIn('grouped_weight_gemm', report.requested)

    def test_gates(self):
        packed = self.packed('gptq', 64)
        x = self.product(packed, group=64)
        for device in GROUPED:
            d = fade.grouped_weight_gemm(self.a, *packed, ends=self.g.ends, row_list=self.g.row_list, group=64, epilogue=['swiglu'], device=device)
            self.assertEqual(d.shape, (self.g.rows, self.n // 2))
            self.assertLess(off(d[:self.g.used], silu(x[:, ::2]) * x[:, 1::2]), 4 * BOUND['float16'])

    def test_refusals(self):
        q, scales, z = self.packed('gptq')
        out, rows = poisoned(self.g.rows, self.n, dtype='float16'), np.zeros(self.g.rows, 'int32')
        far = rows.copy()
        far[0] = len(self.a)
        for argument, changed in (('format', {'format': 'gguf'}), ('weights', {'weights': q[:, :-1]}), ('weights', {'weights': q[0]}),
                                  ('scales', {'scales': scales[0]}), ('zeros', {'zeros': None}), ('group', {'group': 96}), ('scales', {'group': 64}),
                                  ('ends', {'ends': self.g.ends.astype('int64')}), ('ends[0]', {'ends': self.g.ends - 999}),
                                  ('row_list[0]', {'row_list': far, 'ends': np.full_like(self.g.ends, self.g.rows)}), ('row_list', {'row_list': rows[:-1]}),
                                  ('out', {'out': out[:-1], 'row_list': None, 'a': some(self.g.rows, self.k, dtype='float16')}),
                                  ('epilogue', {'epilogue': [('batch_bias', some(self.g.groups, self.n))]}), ('types', {'a': self.a.astype('float32')})):
            with self.subTest(argument=argument, changed=list(changed)), self.assertRaises(fade.Error) as raised:
                fade.grouped_weight_gemm(**({'a': self.a, 'weights': q, 'scales': scales, 'zeros': z, 'ends': self.g.ends, 'row_list': rows, 'out': out}
                                            | changed))
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue(np.isnan(out.astype('float64')).all())


if __name__ == '__main__':
    unittest.main()
