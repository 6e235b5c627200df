"""Products whose matrices lie anywhere, on NumPy: beside float64, by lists and by tables, and what they refuse."""
import unittest

import numpy as np
from common import numbers, off, poisoned, some

import fade

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
try:
    import jax
except ImportError:
    jax = None
EMULATED = [d for d in fade.info()['devices'] if d == 'emulated:gfx1100']  # the library that emulates holds few kernels
BOUND = {'float64': 1e-14, 'float32': 2e-6, 'float16': 1.5e-3, 'bfloat16': 1.2e-2}
TYPES = {'float64': 'float64', 'float32': 'float32', 'float16': 'float16', **({'bfloat16': ml_dtypes.bfloat16} if ml_dtypes else {})}


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


def scattered(count, rows, columns, dtype='float32', transposed=False, odd=0):
    """Matrices that share no memory, in random order, of rows with a gap behind them."""
    whole = some(count, *((columns, rows) if transposed else (rows, columns))[:1], ((rows if transposed else columns) + odd), dtype=dtype)
    order = numbers.permutation(count)
    cut = whole[:, :, :rows if transposed else columns]
    return [cut[i].T if transposed else cut[i] for i in order]


def products(a, b):
    return np.stack([x.astype('float64') @ y.astype('float64') for x, y in zip(a, b)])


class Batches(unittest.TestCase):
    def setUp(self):
        self.count, self.m, self.n, self.k = drawn(1, 5), drawn(1, 40), drawn(1, 40), drawn(1, 60)

    def operands(self, dtype='float32', ta=False, tb=False, odd=0):
        return scattered(self.count, self.m, self.k, dtype, ta, odd), scattered(self.count, self.k, self.n, dtype, tb, odd)

    def test_types_and_layouts(self):
        for name, dtype in TYPES.items():
            for ta in (False, True):
                for tb in (False, True):
                    with self.subTest(name=name, ta=ta, tb=tb):
                        a, b = self.operands(dtype, ta, tb, odd=drawn(0, 3))
                        out = list(poisoned(self.count, self.m, self.n, dtype=dtype)[::-1])
                        self.assertIs(fade.batched_gemm(a, b, out=out), out)
                        self.assertLess(off(np.stack(out), products(a, b)), BOUND[name])
        d = fade.batched_gemm(*self.operands('float16'), out_dtype='float32')
        self.assertEqual((len(d), d[0].shape, d[0].dtype), (self.count, (self.m, self.n), np.float32))

    def test_stages_and_c_on_every_device(self):
        for device in ['host', *EMULATED]:
            a, b = self.operands(odd=1)
            a[-1] = a[0]                                         # a matrix may be named twice
            c, out = scattered(self.count, self.m, self.n, odd=2), poisoned(self.count, self.m, self.n)
            bias, rows, kept = some(self.count, self.n), some(self.m), poisoned(self.count, self.m, self.n)
            _, report = fade.batched_gemm(a, b, c=c, alpha=0.5, beta=-2.0, epilogue=[('batch_bias', bias), ('scale_rows', rows), ('aux', kept), 'relu'],
                                          out=out, device=device, return_report=True)
            seen = (0.5 * products(a, b) - 2.0 * np.stack(c) + bias[:, None]) * rows[:, None]
            self.assertLess(off(kept, seen), BOUND['float32'])
            self.assertLess(off(out, np.maximum(seen, 0)), BOUND['float32'])
            self.assertEqual(report.device, device)
            self.assertIn(f'{self.count} by tables of pointers', report.requested)

    def test_gates_and_results_in_place(self):
        self.n += self.n % 2
        a, b = self.operands()
        gate, up = (products(a, b)[..., i::2] for i in (0, 1))
        d = fade.batched_gemm(a, b, epilogue=['swiglu'])
        self.assertLess(off(np.stack(d), gate / (1 + np.exp(-gate)) * up), 4 * BOUND['float32'])
        c = scattered(self.count, self.m, self.n)
        wanted = products(a, b) + np.stack(c)
        self.assertIs(fade.batched_gemm(a, b, c=c, out=c), c)
        self.assertLess(off(np.stack(c), wanted), BOUND['float32'])

    def test_tables_are_read_at_each_call(self):
        a, b = self.operands()
        tables, out = [fade.PointerTable(x) for x in (a, b)], fade.PointerTable(poisoned(self.count, self.m, self.n))
        self.assertEqual(len(tables[0]), self.count)
        for _ in range(2):
            for x in a:
                x[:] = some(*x.shape)
            self.assertIs(fade.batched_gemm(tables[0], tables[1], out=out), out)
            self.assertLess(off(np.stack(out.tensors), products(a, b)), BOUND['float32'])
        mixed = fade.batched_gemm(tables[0], b, c=out)
        self.assertLess(off(np.stack(mixed), 2 * products(a, b)), BOUND['float32'])

    def test_memory_without_alignment(self):
        memory = some(self.count, self.m * self.k + 1)
        a, b = [row[1:].reshape(self.m, self.k) for row in memory], self.operands()[1]
        self.assertLess(off(np.stack(fade.batched_gemm(a, b)), products(a, b)), BOUND['float32'])

    def test_nothing_to_do(self):
        self.assertEqual(fade.batched_gemm(some(2, 0, 4), some(2, 4, 3))[1].shape, (0, 3))
        np.testing.assert_array_equal(np.stack(fade.batched_gemm(some(2, 3, 0), some(2, 0, 5))), np.zeros((2, 3, 5)))

    @unittest.skipUnless(jax, 'jax is not installed')
    def test_arrays_of_jax(self):
        cpu = jax.devices('cpu')[0]                              # where JAX has a GPU, that is its default
        a, b = ([jax.device_put(x, cpu) for x in xs] for xs in self.operands())
        d = fade.batched_gemm(a, b)
        self.assertIsInstance(d[0], jax.Array)
        self.assertLess(off(np.stack([np.asarray(x) for x in d]), products([np.asarray(x) for x in a], [np.asarray(x) for x in b])), BOUND['float32'])


class Refusals(unittest.TestCase):
    def test_each_names_its_argument(self):
        a, b, out = list(some(3, 4, 8)), list(some(3, 8, 5)), poisoned(3, 4, 5)
        fixed, wide = np.zeros((4, 5), 'float32'), some(4, 16)
        fixed.flags.writeable = False
        for argument, changed in [
            ('a', {'a': []}), ('a', {'a': 5}), ('a[0]', {'a': [None, *a[1:]]}), ('a[1]', {'a': [a[0], None, a[2]]}), ('a', {'a': some(3, 2, 4, 8)}),
            ('a[2]', {'a': [*a[:2], some(3, 8)]}), ('a[1]', {'a': [a[0], some(4, 8, dtype='float64'), a[2]]}), ('a[2]', {'a': [*a[:2], wide[:, :8]]}),
            ('a[2]', {'a': [*a[:2], wide[:, ::2]]}), ('b', {'b': b[:2]}), ('b', {'b': list(some(3, 7, 5))}), ('b', {'b': list(some(3, 8, 5, dtype='float16'))}),
            ('c', {'c': b[:1]}), ('c', {'c': list(some(3, 4, 6))}), ('c', {'c': list(some(3, 4, 5, dtype='float64'))}), ('out', {'out': out[:2]}),
            ('out', {'out': poisoned(3, 5, 4)}), ('out[1]', {'out': [out[0], fixed, out[2]]}), ('d[1]', {'out': [out[0], out[0], out[1]]}),
            ('d[1]', {'out': [out[1], b[2][:4], out[0]]}), ('d[1]', {'out': [out[0], out[0], out[1]], 'check_pointers': True}),
            ('types', {'a': list(some(3, 4, 8, dtype='float64')), 'b': list(some(3, 8, 5, dtype='float64'))}),
            ('epilogue', {'epilogue': [('batch_bias', some(5))]}), ('epilogue', {'epilogue': [('aux', poisoned(4, 5))]}), ('epilogue', {'epilogue': ['tanh']}),
            ('tensors', {'a': lambda: fade.PointerTable([])}), ('tensors[1]', {'a': lambda: fade.PointerTable([a[0], b[0]])}),
        ]:
            call = {'a': a, 'b': b, 'out': out} | changed
            with self.subTest(argument, changed=str(changed)[:60]), self.assertRaises(fade.Error) as caught:
                fade.batched_gemm(**{name: x() if callable(x) else x for name, x in call.items()})
            self.assertEqual(caught.exception.argument, argument)
        self.assertTrue(np.isnan(out).all())
        fade.batched_gemm(a, b, out=[out[0], out[0], out[1]], check_pointers=False)
        self.assertTrue(np.isfinite(out[:2]).all())


if __name__ == '__main__':
    unittest.main()
