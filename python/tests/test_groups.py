"""Products of groups of rows and mixtures of experts on NumPy: beside loops in float64, and what they refuse."""
import unittest

import numpy as np
from common import numbers, off, poisoned, some

import fade

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
EMULATED = [d for d in fade.info()['devices'] if d.startswith('emulated:')]
GROUPED = ['host', *(d for d in EMULATED if d == 'emulated:gfx1100')]      # the library that emulates holds few kernels
BOUND = {'float32': 2e-6, 'float16': 1.5e-3, 'bfloat16': 1.2e-2}
TYPES = {'float32': 'float32', 'float16': 'float16', **({'bfloat16': ml_dtypes.bfloat16} if ml_dtypes else {})}


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


class Groups:
    """Random groups, some of them empty, with spare rows of D behind the last end."""

    def __init__(self, dtype='float32', listed=False):
        self.groups, self.n, self.k = drawn(1, 6), drawn(1, 40), drawn(1, 60)
        sizes = numbers.integers(0, 2, self.groups) * numbers.integers(1, 40, self.groups)
        sizes[drawn(0, self.groups - 1)] = drawn(1, 40)
        self.ends = np.cumsum(sizes).astype('int32')
        self.used, self.rows = int(self.ends[-1]), int(self.ends[-1]) + drawn(1, 5)
        self.a = some(drawn(1, 20) if listed else self.rows, self.k, dtype=dtype)
        self.b = some(self.groups, self.k, self.n, dtype=dtype)
        self.row_list = numbers.integers(0, len(self.a), self.rows).astype('int32') if listed else None

    def product(self):
        """Row by row in float64; rows behind the last end are zeros."""
        d = np.zeros((self.rows, self.n))
        for r in range(self.used):
            at = r if self.row_list is None else self.row_list[r]
            d[r] = self.a[at].astype('float64') @ self.b[self.group_of(r)].astype('float64')
        return d

    def group_of(self, row):
        return next(g for g, end in enumerate(self.ends) if row < end)

    def of_rows(self, values):
        """values[group of the row] of each row before the last end."""
        return values[[self.group_of(r) for r in range(self.used)]]


class Products(unittest.TestCase):
    def test_types_layouts_and_lists(self):
        for name, dtype in TYPES.items():
            for listed in (False, True):
                for transposed in (False, True):
                    with self.subTest(name=name, listed=listed, transposed=transposed):
                        g = Groups(dtype, listed)
                        b = np.ascontiguousarray(g.b.transpose(0, 2, 1)).transpose(0, 2, 1) if transposed else g.b
                        out = poisoned(g.rows, g.n, dtype=dtype)
                        self.assertIs(fade.grouped_gemm(g.a, b, g.ends, row_list=g.row_list, out=out), out)
                        self.assertLess(off(out[:g.used], g.product()[:g.used]), BOUND[name])
                        self.assertTrue(np.isnan(out[g.used:].astype('float64')).all())

    def test_stages_and_c_on_every_device(self):
        for device in GROUPED:
            g = Groups(listed=True)
            c, bias, residual, kept = some(g.rows, g.n), some(g.groups, g.n), some(g.rows, g.n), poisoned(g.rows, g.n)
            factors, out = some(g.rows), poisoned(g.rows, g.n)
            stages = [('batch_bias', bias), ('scale_rows', factors), ('aux', kept), 'relu', ('residual', residual)]
            _, report = fade.grouped_gemm(g.a, g.b, g.ends, row_list=g.row_list, c=c, alpha=0.5, beta=-2.0, epilogue=stages, out=out,
                                          device=device, return_report=True)
            seen = ((0.5 * g.product() - 2.0 * c)[:g.used] + g.of_rows(bias)) * factors[:g.used, None]
            self.assertLess(off(kept[:g.used], seen), BOUND['float32'])
            self.assertLess(off(out[:g.used], np.maximum(seen, 0) + residual[:g.used]), BOUND['float32'])
            self.assertTrue(np.isnan(out[g.used:]).all() and np.isnan(kept[g.used:]).all())
            self.assertEqual(report.device, device)
            self.assertIn(f'{g.groups} groups', report.requested)

    def test_results_of_float32_and_gaps(self):
        g = Groups('float16')
        wide = some(g.rows, g.k + 3, dtype='float16')
        g.a = wide[:, :g.k]
        d = fade.grouped_gemm(g.a, g.b, g.ends, out_dtype='float32')
        self.assertEqual(d.dtype, np.float32)
        self.assertLess(off(d[:g.used], g.product()[:g.used]), BOUND['float32'])

    def test_one_matrix_for_all_groups(self):
        g = Groups()
        g.b = np.broadcast_to(g.b[:1], g.b.shape)
        self.assertLess(off(fade.grouped_gemm(g.a, g.b, g.ends)[:g.used], g.product()[:g.used]), BOUND['float32'])

    def test_nothing_to_do(self):
        none = np.zeros(0, 'int32')
        self.assertEqual(fade.grouped_gemm(some(0, 4), some(2, 4, 3), np.zeros(2, 'int32')).shape, (0, 3))
        self.assertEqual(fade.grouped_gemm(some(3, 4), some(0, 4, 3), none).shape, (3, 3))

    def test_unlooked_tables_are_cut_off(self):
        a, b, out = some(3, 4), some(2, 4, 5), poisoned(4, 5)
        fade.grouped_gemm(a, b, np.array([1, 99], 'int32'), row_list=np.array([0, 2, -1, 3], 'int32'), out=out, check_indices=False)
        wanted = np.stack([a[0].astype('float64') @ b[0], a[2].astype('float64') @ b[1], np.zeros(5), np.zeros(5)])
        self.assertLess(off(out, wanted), BOUND['float32'])


@unittest.skipUnless(ml_dtypes, 'ml_dtypes is not installed')
class Scales(unittest.TestCase):
    """Products of 8-bit floats with a scale for every 128 k."""

    def setUp(self):
        self.m, self.n, self.k = drawn(1, 40), drawn(1, 200), drawn(1, 400)
        self.a = (8 * some(self.m, self.k)).astype(ml_dtypes.float8_e4m3fn)
        self.w = (8 * some(self.n, self.k)).astype(ml_dtypes.float8_e4m3fn)
        parts = -(-self.k // 128)
        self.scale_a = np.exp2(some(parts, self.m)).T                    # scales of a part lie side by side
        self.scale_b = np.exp2(some(-(-self.n // 128), parts))

    def product(self):
        spread = lambda s, lines, per: np.repeat(np.repeat(s.astype('float64'), per, 0)[:lines], 128, 1)[:, :self.k]
        a = self.a.astype('float64') * spread(self.scale_a, self.m, 1)
        return a @ (self.w.astype('float64') * spread(self.scale_b, self.n, 128)).T

    def test_results_and_stages(self):
        bias = some(self.n)
        for b in (self.w.T, np.ascontiguousarray(self.w.T)):
            out = poisoned(self.m, self.n)
            said, report = fade.scaled_gemm(self.a, b, self.scale_a, self.scale_b, epilogue=[('bias', bias), 'relu'], out=out,
                                            return_report=True)
            self.assertIs(said, out)
            self.assertLess(off(out, np.maximum(self.product() + bias, 0)), BOUND['float32'])
            self.assertIn('scales of 1 x 128 and 128 x 128', report.requested)
        d = fade.scaled_gemm(self.a, self.w.T, self.scale_a, self.scale_b)
        self.assertEqual(d.dtype, ml_dtypes.bfloat16)
        self.assertLess(off(d, self.product()), BOUND['bfloat16'])

    def test_refusals(self):
        out = poisoned(self.m, self.n)
        for argument, changed in (('scale_a', {'scale_a': self.scale_a[:, :0]}), ('scale_b', {'scale_b': self.scale_b.astype('float64')}),
                                  ('rows_per_scale', {'rows_per_scale': 3}), ('columns_per_scale', {'columns_per_scale': 0}),
                                  ('b', {'b': self.w[:, :-1].T})):
            call = {'a': self.a, 'b': self.w.T, 'scale_a': self.scale_a, 'scale_b': self.scale_b, 'out': out} | changed
            with self.assertRaises(fade.Error) as raised:
                fade.scaled_gemm(**call)
            self.assertEqual(raised.exception.argument, argument)
        self.assertTrue(np.isnan(out).all())


class Weights(unittest.TestCase):
    """Products with weights of 4 or 8 bits."""

    def setUp(self):
        self.m, self.n, self.k = drawn(1, 20), 8 * drawn(1, 12), 128 * drawn(1, 3)
        self.a = some(self.m, self.k, dtype='float16')

    def words(self, *shape):
        return numbers.integers(-2**31, 2**31, shape).astype('int32')

    @staticmethod
    def nibbles(words, order=range(8)):
        return np.stack([words.view('uint32') >> (4 * order.index(i)) & 15 for i in range(8)], -1).astype('float64')

    def check(self, weights, *packed, **more):
        bias, c = some(self.n, dtype='float16'), some(self.m, self.n, dtype='float16')
        for device in GROUPED:
            d, report = fade.weight_gemm(self.a, *packed, c=c, beta=0.5, epilogue=[('bias', bias)], device=device, return_report=True, **more)
            self.assertEqual(d.dtype, np.float16)
            self.assertLess(off(d, self.a.astype('float64') @ weights + 0.5 * c.astype('float64') + bias), BOUND['float16'])
        self.assertIn('weight_gemm', report.requested)

    def gptq(self, group=128):
        """(W in float64, its words, scales and zeros)."""
        groups = 1 if group == -1 else self.k // group
        scales = (0.01 * np.abs(some(groups, self.n)) + 0.001).astype('float16')
        of_group = lambda t: np.repeat(t.astype('float64'), self.k // groups, 0)
        q, z = self.words(self.k // 8, self.n), self.words(groups, self.n // 8)
        elements = self.nibbles(q).transpose(0, 2, 1).reshape(self.k, self.n)
        return of_group(scales) * (elements - of_group(self.nibbles(z).reshape(groups, self.n) + 1)), q, scales, z

    def test_gptq_and_awq(self):
        awq = [0, 2, 4, 6, 1, 3, 5, 7]
        self.check(*self.gptq())
        for group in (16, 32, 64, 128, -1):
            with self.subTest(group=group):
                weights, q, scales, z = self.gptq(group)
                self.check(weights, q, scales, z, group=group)
                q, of_group = self.words(self.k, self.n // 8), lambda t: np.repeat(t.astype('float64'), self.k // len(scales), 0)
                elements, zeros = self.nibbles(q, awq).reshape(self.k, self.n), self.nibbles(z, awq).reshape(-1, self.n)
                self.check(of_group(scales) * (elements - of_group(zeros)), q, scales, z, format='awq', group=group)

    def test_gates(self):
        weights, *packed = self.gptq(64)
        bias, factors = some(self.n, dtype='float16'), some(self.n // 2, dtype='float16')
        x = self.a.astype('float64') @ weights
        silu = lambda t: t / (1 + np.exp(-t))
        for device in GROUPED:
            d = fade.weight_gemm(self.a, *packed, group=64, epilogue=['swiglu'], device=device)
            self.assertLess(off(d, silu(x[:, ::2]) * x[:, 1::2]), 2 * BOUND['float16'])
        out, x = poisoned(self.m, self.n // 2, dtype='float16'), x + bias
        d = fade.weight_gemm(self.a, *packed, group=64, epilogue=[('bias', bias), 'swiglu', ('scale_columns', factors)], out=out)
        self.assertIs(d, out)
        self.assertLess(off(d, silu(x[:, ::2]) * x[:, 1::2] * factors), 2 * BOUND['float16'])

    def test_rows_of_bytes(self):
        q, scales = numbers.integers(-128, 128, (self.n, self.k)).astype('int8'), np.abs(some(self.n)) / 100
        self.check(q.T * scales.astype('float64'), q, scales, format='int8')
        q, powers = numbers.integers(0, 256, (self.n, self.k // 2)).astype('uint8'), numbers.integers(120, 128, (self.n, self.k // 32)).astype('uint8')
        worth = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])
        elements = np.stack([q & 15, q >> 4], -1).reshape(self.n, self.k)
        values = np.where(elements & 8, -1, 1) * worth[elements & 7]
        self.check((values * np.repeat(np.exp2(powers - 127.0), 32, 1)).T, q, powers, format='mxfp4')
        e4m3 = numbers.integers(24, 48, (self.n, self.k // 16)).astype('uint8')       # 2^-4 to 2^-1, with three bits behind the first
        self.check((values * np.repeat(np.exp2((e4m3 >> 3) - 7.0) * (1 + (e4m3 & 7) / 8), 16, 1)).T, q, e4m3, format='nvfp4')

    def test_refusals(self):
        q, scales, z = self.words(self.k // 8, self.n), some(self.k // 128, self.n, dtype='float16'), self.words(self.k // 128, self.n // 8)
        for argument, changed in (('format', {'format': 'gguf'}), ('weights', {'weights': q[:-1]}), ('scales', {'scales': scales.astype('float32')}),
                                  ('zeros', {'zeros': None}), ('weights', {'format': 'mxfp4'}), ('group', {'group': 96}), ('group', {'group': 8}),
                                  ('group', {'group': -2}), ('group', {'group': 16.0}), ('group', {'group': 32, 'format': 'int8'}),
                                  ('scales', {'group': 64}), ('beta', {'epilogue': ['geglu'], 'beta': 1.0, 'c': some(self.m, self.n // 2, dtype='float16')}),
                                  ('weights', {'epilogue': ['geglu'], 'out': poisoned(self.m, self.n, dtype='float16')})):
            with self.assertRaises(fade.Error) as raised:
                fade.weight_gemm(self.a, **({'weights': q, 'scales': scales, 'zeros': z} | changed))
            self.assertEqual(raised.exception.argument, argument)


class StagesOfProducts(unittest.TestCase):
    """Stages of gemm that store, scale and differ from matrix to matrix."""

    def test_each_on_every_device(self):
        for device in ['host', *EMULATED]:
            a, b = some(3, 9, 20), some(3, 20, 13)
            rows, columns, bias, kept = some(9), some(13), some(3, 13), poisoned(3, 9, 13)
            stages = [('scale_rows', rows), ('scale_columns', columns), ('batch_bias', bias), ('aux', kept), 'silu']
            d = fade.gemm(a, b, epilogue=stages, device=device)
            seen = (a.astype('float64') @ b) * rows[:, None] * columns + bias[:, None]
            self.assertLess(off(kept, seen), BOUND['float32'])
            self.assertLess(off(d, seen / (1 + np.exp(-seen))), 2 * BOUND['float32'])

    def test_integers(self):
        a, b = (numbers.integers(-9, 9, s).astype('int8') for s in ((4, 8), (8, 5)))
        rows, kept = numbers.integers(-9, 9, 4).astype('int32'), np.full((4, 5), 77, 'int32')
        wanted = (a.astype('int64') @ b) * rows[:, None]
        np.testing.assert_array_equal(fade.gemm(a, b, epilogue=[('scale_rows', rows), ('aux', kept), 'relu']), np.maximum(wanted, 0))
        np.testing.assert_array_equal(kept, wanted)

    def test_of_a_convolution(self):
        x, w = some(2, 5, 6, 3), some(4, 1, 1, 3)
        factors, kept = some(4), poisoned(2, 5, 6, 4)
        y = fade.conv_forward(x, w, epilogue=[('scale_columns', factors), ('aux', kept), 'relu'])
        wanted = x.astype('float64') @ w[:, 0, 0].T * factors
        self.assertLess(off(kept, wanted), BOUND['float32'])
        self.assertLess(off(y, np.maximum(wanted, 0)), BOUND['float32'])

    def test_gates_and_amax(self):
        silu = lambda x: x / (1 + np.exp(-x))
        tanh = lambda x: 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
        for device in ['host', *EMULATED]:
            a, b, before, behind, largest = some(9, 20), some(20, 14), some(14), some(9, 7), np.zeros(1, 'f4')
            x = a.astype('float64') @ b + before
            for name, f in ('swiglu', silu), ('geglu_tanh', tanh):
                stages = [('bias', before), name, ('residual', behind), ('amax', largest)]
                d = fade.gemm(a, b, epilogue=stages, device=device)
                wanted = f(x[:, ::2]) * x[:, 1::2] + behind
                self.assertEqual(d.shape, (9, 7))
                self.assertLess(off(d, wanted), 4 * BOUND['float32'])
                self.assertEqual(largest[0], max(largest[0], np.abs(d).max()))
            largest[0] = 0
            y = fade.gemm(a, b, epilogue=[('amax', largest)], device=device)
            self.assertEqual(largest[0], np.abs(y).max())
        g = Groups('float16')
        g.b = some(g.groups, g.k, 6, dtype='float16')
        g.n = 6
        x = g.product()[:g.used]
        d = fade.grouped_gemm(g.a, g.b, g.ends, epilogue=['swiglu'])
        self.assertLess(off(d[:g.used], silu(x[:, ::2]) * x[:, 1::2]), BOUND['float16'])

    def test_gates_refuse(self):
        a, b, out = some(4, 8), some(8, 6), poisoned(4, 3)
        for said, call in (
                ('n is 5', lambda: fade.gemm(a, some(8, 5), epilogue=['swiglu'])),
                ('beta', lambda: fade.gemm(a, b, c=some(4, 3), epilogue=['swiglu'], out=out)),
                ('halves', lambda: fade.gemm(a, b, epilogue=['swiglu', 'geglu'], out=out)),
                ('out', lambda: fade.gemm(a, b, epilogue=['swiglu'], out=poisoned(4, 6))),
                ('result', lambda: fade.gemm(a.astype('f2'), b.astype('f2'), epilogue=['geglu'], out_dtype='float32')),
                ('convolution', lambda: fade.conv_forward(some(1, 3, 3, 2), some(2, 1, 1, 2), epilogue=['swiglu'])),
                ('amax', lambda: fade.gemm(a, b, epilogue=['amax']))):
            with self.subTest(said), self.assertRaisesRegex(fade.Error, said):
                call()
        self.assertTrue(np.isnan(out).all())

    def test_refusals(self):
        a, b, read_only = some(2, 4, 8), some(2, 8, 3), np.zeros((2, 4, 3), 'f4')
        read_only.flags.writeable = False
        for one in (('aux', read_only), ('aux', poisoned(4, 3)), ('scale_rows', some(3)), ('scale_columns', some(4)),
                    ('batch_bias', some(3)), ('aux',), ('scale_rows', None)):
            out = poisoned(2, 4, 3)
            with self.subTest(one=one[0]), self.assertRaises(fade.Error) as caught:
                fade.gemm(a, b, epilogue=[one], out=out)
            self.assertEqual(caught.exception.argument, 'epilogue')
            self.assertTrue(np.isnan(out).all())


class Mixtures(unittest.TestCase):
    def test_route(self):
        for device in GROUPED:
            for name, dtype in TYPES.items() if device == 'host' else [('float32', 'float32')]:
                for scoring in ('softmax', 'sigmoid'):
                    for renormalize in (False, True):
                        with self.subTest(device=device, name=name, scoring=scoring, renormalize=renormalize):
                            self.check_route(device, dtype, scoring, renormalize)

    def check_route(self, device, dtype, scoring, renormalize):
        tokens, experts = drawn(1, 30), drawn(2, 40)
        top_k = drawn(1, min(experts, 8))
        logits = some(tokens, experts + 3, dtype=dtype)[:, :experts]
        choices, weights = fade.moe_route(logits, top_k, scoring=scoring, renormalize=renormalize, weight_scale=2.5, device=device)
        x = logits.astype('float64')
        wanted = np.argsort(-x, axis=1, kind='stable')[:, :top_k]
        np.testing.assert_array_equal(choices, wanted)
        scores = np.exp(x) / np.exp(x).sum(1, keepdims=True) if scoring == 'softmax' else 1 / (1 + np.exp(-x))
        scores = np.take_along_axis(scores, wanted, 1)
        if renormalize:
            scores = scores / scores.sum(1, keepdims=True)
        np.testing.assert_allclose(weights, 2.5 * scores, rtol=1e-5)

    def test_dispatch(self):
        for device in GROUPED:
            tokens, top_k, experts = drawn(1, 50), drawn(1, 5), drawn(1, 9)
            choices = numbers.integers(-1, experts + 1, (tokens, top_k)).astype('int32')
            ends, row_list, slots = fade.moe_dispatch(choices, experts, device=device)
            wanted, row = np.full((tokens, top_k), -1), 0
            for e in range(experts):
                for t, j in np.argwhere(choices == e):
                    wanted[t, j] = row
                    self.assertEqual(row_list[row], t)
                    row += 1
                self.assertEqual(ends[e], row)
            np.testing.assert_array_equal(slots, wanted)

    def test_combine(self):
        for device in GROUPED:
            for name, dtype in TYPES.items() if device == 'host' else [('float32', 'float32')]:
                for weighted in (False, True):
                    rows, columns, tokens, top_k = drawn(1, 40), drawn(1, 30), drawn(1, 20), drawn(1, 4)
                    x, slots = some(rows, columns + 2, dtype=dtype)[:, :columns], numbers.integers(-1, rows + 1, (tokens, top_k)).astype('int32')
                    weights = some(tokens, top_k) if weighted else None
                    out = poisoned(tokens, columns, dtype=dtype)
                    y = fade.moe_combine(x, slots, weights, out=out, device=device)
                    self.assertIs(y, out)
                    wanted = np.zeros((tokens, columns))
                    for t, j in np.argwhere((slots >= 0) & (slots < rows)):
                        wanted[t] += (weights[t, j] if weighted else 1) * x[slots[t, j]].astype('float64')
                    self.assertLess(off(y, wanted), BOUND[name])
        self.assertEqual(fade.moe_combine(some(3, 4, dtype='float16'), np.zeros((2, 1), 'int32'), out_dtype='float32').dtype, np.float32)


class Refusals(unittest.TestCase):
    def refused(self, argument, call, **results):
        with self.subTest(argument=argument), self.assertRaises(fade.Error) as caught:
            call()
        e = caught.exception
        self.assertEqual(e.argument, argument)
        self.assertEqual(str(e), f'{e.argument} is {e.value}, but {e.rule}')

    def test_products(self):
        a, b, ends, out = some(4, 8), some(2, 8, 3), np.array([1, 4], 'int32'), poisoned(4, 3)
        of = lambda *more: np.array(more, 'int32')
        for argument, call in [
            ('a', lambda: fade.grouped_gemm(some(8), b, ends, out=out)), ('b', lambda: fade.grouped_gemm(a, some(8, 3), ends, out=out)),
            ('b', lambda: fade.grouped_gemm(a, some(2, 7, 3), ends, out=out)),
            ('b', lambda: fade.grouped_gemm(a, b.astype('float16'), ends, out=out)),
            ('ends', lambda: fade.grouped_gemm(a, b, of(1, 2, 4), out=out)),
            ('ends', lambda: fade.grouped_gemm(a, b, ends.astype('float32'), out=out)),
            ('ends[1]', lambda: fade.grouped_gemm(a, b, of(3, 2), out=out)), ('ends[1]', lambda: fade.grouped_gemm(a, b, of(1, 5), out=out)),
            ('row_list', lambda: fade.grouped_gemm(a, b, ends, row_list=np.zeros(4), out=out)),
            ('row_list[2]', lambda: fade.grouped_gemm(a, b, ends, row_list=of(0, 1, 4, 0), out=out)),
            ('out', lambda: fade.grouped_gemm(a, b, ends, out=poisoned(3, 3))), ('row_list', lambda: fade.grouped_gemm(a, b, ends, row_list=of(0), out=out)),
            ('c', lambda: fade.grouped_gemm(a, b, ends, c=some(3, 3), out=out)), ('types', lambda: fade.grouped_gemm(a, b, ends, out_dtype='float16')),
            ('epilogue', lambda: fade.grouped_gemm(a, b, ends, epilogue=[('batch_bias', some(3))], out=out)),
            ('epilogue', lambda: fade.grouped_gemm(a, b, ends, epilogue=['tanh'], out=out)),
        ]:
            self.refused(argument, call)
        self.assertTrue(np.isnan(out).all())

    def test_steps(self):
        logits, choices, x = some(3, 5), np.zeros((3, 2), 'int32'), some(6, 4)
        for argument, call in [
            ('top_k', lambda: fade.moe_route(logits, 6)), ('top_k', lambda: fade.moe_route(logits, 0)),
            ('scoring', lambda: fade.moe_route(logits, 2, scoring='tanh')), ('logits', lambda: fade.moe_route(some(5), 2)),
            ('weight_scale', lambda: fade.moe_route(logits, 2, weight_scale=np.inf)), ('types', lambda: fade.moe_route(some(3, 5, dtype='float64'), 2)),
            ('choices', lambda: fade.moe_dispatch(choices[0], 5)), ('choices', lambda: fade.moe_dispatch(choices.astype('int8'), 5)),
            ('experts', lambda: fade.moe_dispatch(choices, 65536)), ('experts', lambda: fade.moe_dispatch(choices, 0)),
            ('x', lambda: fade.moe_combine(x[0], choices)), ('slots', lambda: fade.moe_combine(x, choices[0])),
            ('slots', lambda: fade.moe_combine(x, some(3, 2))), ('weights', lambda: fade.moe_combine(x, choices, some(3, 3))),
            ('out', lambda: fade.moe_combine(x, choices, out=poisoned(3, 3))), ('types', lambda: fade.moe_combine(x, choices, out_dtype='float16')),
        ]:
            self.refused(argument, call)


if __name__ == '__main__':
    unittest.main()
