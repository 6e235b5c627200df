"""The package on NumPy: every function against float64, on the host and on emulated architectures; refusals; other doors."""
import copy
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path

import numpy as np
from common import attention, numbers, off, poisoned, some

import fade

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None
EMULATED = [d for d in fade.info()['devices'] if d.startswith('emulated:')]
EVERYWHERE = ['host', *EMULATED]
BOUND = {'float64': 1e-14, 'float32': 2e-6, 'float16': 1.5e-3, 'bfloat16': 1.2e-2}


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


class Products(unittest.TestCase):
    def test_types_and_layouts(self):
        types = ['float32', 'float64', 'float16'] + (['bfloat16'] if ml_dtypes else [])
        for name in types:
            m, n, k = drawn(1, 40), drawn(1, 40), drawn(1, 80)
            a, b = some(m, k, dtype=name if name != 'bfloat16' else ml_dtypes.bfloat16), some(k, n, dtype=name if name != 'bfloat16' else ml_dtypes.bfloat16)
            wanted = a.astype('float64') @ b.astype('float64')
            for left in (a, np.asfortranarray(a)):
                for right in (b, np.asfortranarray(b)):
                    with self.subTest(name=name, a=left.strides, b=right.strides):
                        d = fade.gemm(left, right)
                        self.assertEqual(d.dtype, a.dtype)
                        self.assertLess(off(d, wanted), BOUND[name])

    def test_epilogue_batch_and_emulation(self):
        for device in EVERYWHERE:
            a, b, c = some(3, 9, 20), some(20, 13), some(3, 9, 13)
            bias, residual, out = some(13), some(3, 9, 13), poisoned(3, 9, 13)
            d = fade.gemm(a, b, c=c, alpha=0.5, beta=2.0, epilogue=[('bias', bias), 'relu', ('scale', 3), ('residual', residual)], out=out, device=device)
            self.assertIs(d, out)
            wanted = np.maximum(0.5 * (a.astype('float64') @ b) + 2.0 * c + bias, 0) * 3 + residual
            self.assertLess(off(d, wanted), BOUND['float32'])
        a, b = some(9, 20).astype('float64'), some(20, 13).astype('float64')    # numbers of a stage are float64, too
        d = fade.gemm(a, b, epilogue=[('scale', 1 / 3), ('clamp', -0.7, 1.1)])
        self.assertLess(off(d, np.clip(a @ b / 3, -0.7, 1.1)), BOUND['float64'])

    def test_integers_are_exact(self):
        a, b = (numbers.integers(-128, 128, s).astype('int8') for s in ((7, 33), (33, 5)))
        np.testing.assert_array_equal(fade.gemm(a, b), a.astype('int32') @ b.astype('int32'))

    @unittest.skipUnless(ml_dtypes, 'ml_dtypes is not installed')
    def test_eight_bits(self):
        a, b = (some(*s).astype(ml_dtypes.float8_e4m3fn) for s in ((8, 32), (32, 8)))
        d = fade.gemm(a, b, out_dtype='float32')
        self.assertLess(off(d, a.astype('float64') @ b.astype('float64')), BOUND['float32'])

    def test_nothing_to_sum_or_to_write(self):
        self.assertTrue((fade.gemm(np.ones((3, 0), 'f4'), np.ones((0, 2), 'f4')) == 0).all())
        self.assertEqual(fade.gemm(np.ones((0, 4), 'f4'), np.ones((4, 2), 'f4')).shape, (0, 2))


class Attention(unittest.TestCase):
    def test_rules_on_every_device(self):
        for device in EVERYWHERE:
            q, k, v = some(2, drawn(3, 30), 4, 24), some(2, 40, 2, 24), some(2, 40, 2, 16)
            for more in ({}, {'causal': 'bottom-right'}, {'causal': 'top-left'}, {'window': (7, 3)}, {'scale': 0.3}):
                with self.subTest(device=device, **more):
                    o, lse = fade.attention(q, k, v, return_lse=True, device=device, **more)
                    self.assertLess(off(o, attention(q, k, v, **more)), BOUND['float32'])
                    self.assertEqual(lse.shape, (2, 4, q.shape[1]))

    def test_strides_as_they_are(self):
        q, k, v = (some(2, 3, 9, 16).transpose(0, 2, 1, 3) for _ in range(3))
        self.assertLess(off(fade.attention(q, k, v), attention(q, k, v)), BOUND['float32'])

    def test_bias_that_is_shared(self):
        q, k, v, bias = some(2, 5, 3, 16), some(2, 7, 3, 16), some(2, 7, 3, 16), some(2, 1, 5, 7)
        self.assertLess(off(fade.attention(q, k, v, bias=bias), attention(q, k, v, bias=bias)), BOUND['float32'])

    def test_packed_sequences(self):
        q, k, v = some(8, 4, 16), some(13, 2, 16), some(13, 2, 16)
        starts_q, starts_k = np.array([0, 3, 8], 'int32'), np.array([0, 9, 13], 'int32')
        o = fade.attention(q, k, v, causal='bottom-right', lengths_q=starts_q, lengths_k=starts_k, longest_q=5, longest_k=9)
        wanted = [attention(q[None, a:b], k[None, c:d], v[None, c:d], causal='bottom-right')[0] for a, b, c, d in ((0, 3, 0, 9), (3, 8, 9, 13))]
        self.assertLess(off(o, np.concatenate(wanted)), BOUND['float32'])

    def test_decode_with_a_paged_cache(self):
        for device in EVERYWHERE:
            pages, table = some(12, 8, 2, 16), numbers.permutation(12).reshape(3, 4).astype('int32')
            k, v = pages.copy(), some(12, 8, 2, 16)
            held = np.array([5, 0, 20], 'int32')
            new_k, new_v, q = some(3, 2, 2, 16), some(3, 2, 2, 16), some(3, 2, 4, 16)
            fade.append_kv(new_k, new_v, k, v, cache_lengths=held, block_table=table, device=device)
            whole_k, whole_v = k[table].reshape(3, 32, 2, 16), v[table].reshape(3, 32, 2, 16)
            for b in range(3):
                np.testing.assert_array_equal(whole_k[b, held[b]:held[b] + 2], new_k[b])
                np.testing.assert_array_equal(whole_v[b, held[b]:held[b] + 2], new_v[b])
                np.testing.assert_array_equal(whole_k[b, :held[b]], pages[table].reshape(3, 32, 2, 16)[b, :held[b]])
            o = fade.attention(q, k, v, causal='bottom-right', block_table=table, counts_k=held + 2, device=device)
            self.assertLess(off(o, attention(q, whole_k, whole_v, causal='bottom-right', counts=held + 2)), BOUND['float32'])

    @unittest.skipUnless(ml_dtypes, 'ml_dtypes is not installed')
    def test_first_keys_and_slopes_of_each_sequence(self):
        q, k, v = some(3, 5, 4, 32), some(3, 70, 2, 32), some(3, 70, 2, 32)
        starts, slopes = np.array([0, 33, 69], 'int32'), numbers.random((3, 4)).astype('float32')
        for b, n in enumerate(starts):
            k[b, :n], v[b, :n] = np.nan, np.nan
        wanted = attention(q, np.nan_to_num(k), np.nan_to_num(v), causal='bottom-right', starts=starts, slopes=slopes)
        for device in EVERYWHERE:
            o = fade.attention(q, k, v, causal='bottom-right', starts_k=starts, alibi=slopes, device=device)
            self.assertLess(off(o, wanted), BOUND['float32'])

    def test_rotary(self):
        for device in EVERYWHERE:
            for name in ('float32', 'float16'):
                x, angles = some(2, 5, 3, 16, dtype=name), numbers.random((9, 6)) * 6
                cos, sin = np.cos(angles).astype(name), np.sin(angles).astype(name)
                at = numbers.integers(0, 9, (2, 5)).astype('int32')
                for interleaved in (False, True):
                    one, other = (slice(0, 12, 2), slice(1, 12, 2)) if interleaved else (slice(0, 6), slice(6, 12))
                    wanted, c, s = x.astype('float64'), cos[at][:, :, None].astype('float64'), sin[at][:, :, None].astype('float64')
                    a, b = wanted[..., one].copy(), wanted[..., other].copy()
                    wanted[..., one], wanted[..., other] = a * c - b * s, b * c + a * s
                    y = fade.rotary(x, cos, sin, positions=at, interleaved=interleaved, device=device)
                    self.assertLess(off(y, wanted), BOUND[name])
                    back = fade.rotary_gradient(y, cos, sin, positions=at, interleaved=interleaved, device=device)
                    self.assertLess(off(back, x.astype('float64')), 3 * BOUND[name])
                    tokens = fade.rotary(x[0], cos, sin, first_position=2, device=device)
                    whole = fade.rotary(x, cos, sin, positions=np.tile(np.arange(2, 7, dtype='int32'), (2, 1)), device=device)
                    np.testing.assert_array_equal(tokens, whole[0])

    def test_rotary_tables_are_read_as_they_lie(self):
        for device in EVERYWHERE:
            for name in ('float32', 'float16'):
                fused = numbers.uniform(-1, 1, (24, 13)).astype(name)            # rows of cos | sin, and a gap behind them
                cos, sin = fused[:20:2, :6], fused[:20:2, 6:12]
                packed = dict(cos=cos.copy(), sin=sin.copy())
                x, at = some(2, 5, 3, 16, dtype=name), numbers.integers(0, 10, (2, 5)).astype('int32')
                for f in (fade.rotary, fade.rotary_gradient):
                    np.testing.assert_array_equal(f(x, cos, sin, positions=at, device=device), f(x, **packed, positions=at, device=device))
                one = {t: np.broadcast_to(a[3:4], (10, 6)) for t, a in packed.items()}     # all turn alike
                np.testing.assert_array_equal(fade.rotary(x, **one, positions=at, device=device),
                                              fade.rotary(x, **packed, positions=np.full((2, 5), 3, 'int32'), device=device))
                held = numbers.integers(0, 5, 2).astype('int32')
                new = some(2, 5, 3, 16, dtype=name)
                results = []
                for tables in (dict(cos=cos, sin=sin), packed):
                    k, v = (np.zeros((2, 12, 3, 16), name) for _ in range(2))
                    results.append((fade.append_kv(new, new, k, v, q=x, cache_lengths=held, **tables, device=device), k, v))
                for one, other in zip(*results):
                    np.testing.assert_array_equal(one, other)

    def test_quantize(self):
        x = some(2, 5, 3, 16) * 7
        out, scales = fade.quantize(x, per_head=True)
        self.assertEqual(out.dtype, ml_dtypes.float8_e4m3fn)
        np.testing.assert_allclose(scales, np.abs(x).max((0, 1, 3)) / 448, rtol=1e-6)
        self.assertLess(off(out.astype('float64') * scales[:, None], x), 0.03)


class Rows(unittest.TestCase):
    def test_norms_and_gradients(self):
        for device in EVERYWHERE:
            x, r, w, b, dy = some(6, 50), some(6, 50), some(50), some(50), some(6, 50)
            h = (x + r).astype('float64')
            n = fade.layer_norm(x, w, b, residual=r, epsilon=1e-3, for_gradient=True, device=device)
            middle, root = h.mean(-1, keepdims=True), 1 / np.sqrt(h.var(-1, keepdims=True) + 1e-3)
            self.assertLess(off(n.y, (h - middle) * root * w + b), BOUND['float32'])
            self.assertLess(off(n.mean, middle[:, 0]), 1e-5)
            g = fade.layer_norm_gradient(n.sum, dy, w, mean=n.mean, inverse_root=n.inverse_root, device=device)
            hat, scaled = (h - middle) * root, dy.astype('float64') * w
            self.assertLess(off(g.dx, root * (scaled - scaled.mean(-1, keepdims=True) - hat * (scaled * hat).mean(-1, keepdims=True))), 1e-5)
            self.assertLess(off(g.dweight, (dy * hat).sum(0)), 1e-5)
            self.assertLess(off(g.dbias, dy.sum(0, dtype='float64')), 1e-5)
            n = fade.rms_norm(x, w, for_gradient=True, device=device)
            hat = x / np.sqrt((x.astype('float64') ** 2).mean(-1, keepdims=True) + 1e-5)
            self.assertLess(off(n.y, hat * w), BOUND['float32'])
            g = fade.rms_norm_gradient(x, dy, w, inverse_root=n.inverse_root, device=device)
            self.assertLess(off(g.dx, n.inverse_root[:, None] * (scaled - hat * (scaled * hat).mean(-1, keepdims=True))), 1e-5)

    def test_norm_to_eight_bits(self):
        x = some(4, 40)
        n = fade.rms_norm(x, out_dtype='int8')
        self.assertEqual(n.y.dtype, np.int8)
        self.assertLess(off(n.y * n.scales[:, None], fade.rms_norm(x)), 0.01)

    def test_softmax_and_gradients(self):
        for device in EVERYWHERE:
            x, dy = some(3, 4, 33), some(3, 4, 33)
            e = np.exp(x.astype('float64') - x.max(-1, keepdims=True))
            p = e / e.sum(-1, keepdims=True)
            y, log = fade.softmax(x, device=device), fade.log_softmax(x, device=device)
            self.assertLess(off(y, p), BOUND['float32'])
            self.assertLess(off(log, np.log(p)), BOUND['float32'])
            self.assertLess(off(fade.softmax_gradient(y, dy, device=device), p * (dy - (p * dy).sum(-1, keepdims=True))), 1e-5)
            self.assertLess(off(fade.log_softmax_gradient(log, dy, device=device), dy - p * dy.sum(-1, keepdims=True)), 1e-5)
            labels = numbers.integers(0, 33, (3, 4)).astype('int32')
            loss, log_sum = fade.cross_entropy(x, labels, return_log_sum=True, device=device)
            self.assertLess(off(loss, -np.take_along_axis(np.log(p), labels[..., None], -1)[..., 0]), 1e-5)
            dx = fade.cross_entropy_gradient(x, labels, log_sum, device=device)
            self.assertLess(off(dx, p - np.eye(33)[labels]), 1e-5)

    def test_reductions(self):
        for device in EVERYWHERE:
            x = some(7, 45)
            for axis in (-1, 0):
                self.assertLess(off(fade.sum(x, axis=axis, device=device), x.sum(axis, dtype='float64')), 1e-5)
                self.assertLess(off(fade.mean(x, axis=axis, device=device), x.mean(axis, dtype='float64')), 1e-5)
                values, places = fade.max(x, axis=axis, return_places=True, device=device)
                np.testing.assert_array_equal(values, x.max(axis))
                np.testing.assert_array_equal(places, x.argmax(axis))
                np.testing.assert_array_equal(fade.argmax(x, axis=axis, device=device), x.argmax(axis))
                values, places = fade.top_k(x, 5, axis=axis, device=device)
                np.testing.assert_array_equal(places, np.argsort(-x, axis, kind='stable').take(range(5), axis))
                np.testing.assert_array_equal(values, np.take_along_axis(x, places, axis))


class Lists(unittest.TestCase):
    def test_primitives(self):
        for name in ('float32', 'float64', 'int32', 'float16'):
            x = (some(500) * 50).astype(name)
            with self.subTest(name=name):
                np.testing.assert_array_equal(fade.sort(x), np.sort(x))
                order = np.argsort(x, kind='stable').astype('int32')
                keys, places = fade.sort(x, np.arange(500, dtype='int32'))
                np.testing.assert_array_equal(keys, x[order])
                np.testing.assert_array_equal(places, order)
                np.testing.assert_array_equal(fade.sort(x, descending=True), np.sort(x)[::-1])
                values, at = fade.list_top_k(x, 7)
                np.testing.assert_array_equal(values, np.sort(x)[::-1][:7])
                np.testing.assert_array_equal(x[at], values)
                np.testing.assert_array_equal(fade.reduce(x, 'max'), [x.max()])
                np.testing.assert_array_equal(fade.reduce(x, 'min', offsets=np.array([0, 3, 500], 'int32')), [x[:3].min(), x[3:].min()])
                flags = numbers.integers(0, 2, 500).astype(bool)
                np.testing.assert_array_equal(fade.select(x, flags), x[flags])
                room, selected = fade.select(x, flags.astype('uint8') * 3, wait=False)
                np.testing.assert_array_equal(room[:selected[0]], x[flags])
                self.assertEqual(room.shape, x.shape)
                self.assertLess(abs(float(fade.reduce(x)[0]) - float(x.astype('float64').sum())), 1e-5 * float(np.abs(x.astype('float64')).sum()) + 1e-9)
                np.testing.assert_array_equal(fade.histogram(x, 4, -40, 40), np.histogram(x[x < 40].astype('float64'), 4, (-40, 40))[0])
        x = numbers.integers(-9, 9, 300).astype('int32')
        np.testing.assert_array_equal(fade.scan(x), np.cumsum(x))
        np.testing.assert_array_equal(fade.scan(x, exclusive=True, first=5), np.cumsum(x) - x + 5)
        with self.assertRaises(fade.Error) as caught:
            fade.scan(some(3))
        self.assertEqual(caught.exception.argument, 'any_order')
        for flags in (np.ones(3, 'int32'), np.ones(4, bool)):
            with self.assertRaises(fade.Error) as caught:
                fade.select(some(3), flags)
            self.assertEqual(caught.exception.argument, 'flags')
        with self.assertRaises(fade.Error) as caught:
            fade.sort(some(3, 3))
        self.assertEqual(caught.exception.argument, 'x')


class Refusals(unittest.TestCase):
    def refused(self, argument, call):
        with self.assertRaises(fade.Error) as caught:
            call()
        e = caught.exception
        self.assertIsInstance(e, ValueError)
        self.assertEqual(e.argument, argument)
        self.assertEqual(str(e), f'{e.argument} is {e.value}, but {e.rule}')

    def test_rotary_tables(self):
        wide = some(10, 24)
        k, v = (np.zeros((2, 12, 3, 16), 'float32') for _ in range(2))
        x = some(2, 5, 3, 16)
        for argument, cos, sin in (('cos', wide[:, :12:2], wide[:, :6]), ('sin', wide[:, :6], wide[:, :12:2]), ('sin', wide[:, :6], wide[:, :6].copy()),
                                   ('cos', wide[::-1, :6], wide[::-1, :6]), ('sin', wide[:, :6], wide[:5, :6]), ('sin', wide[:, :6], wide[:, :5]),
                                   ('sin', wide[:, :6], wide[:, :6].astype('float16')), ('cos', wide[:, :6].astype('float64'), wide[:, :6]),
                                   ('cos', wide[0], wide[:, :6])):
            self.refused(argument, lambda: fade.rotary(x, cos, sin))
            self.refused(argument, lambda: fade.append_kv(x, x, k, v, cos=cos, sin=sin))
        self.refused('cos', lambda: fade.append_kv(x, x, k, v, sin=wide[:, :6]))
        self.refused('sin', lambda: fade.append_kv(x, x, k, v, cos=wide[:, :6]))
        same = np.broadcast_to(wide[:1, :6], (12, 6))
        self.refused('cos', lambda: fade.append_kv(x, x, k, v, cos=same, sin=same))
        self.assertFalse(k.any() or v.any())

    def test_sentences(self):
        a, b, q = some(4, 8), some(8, 3), some(1, 4, 2, 16)
        read_only = np.zeros((4, 3), 'f4')
        read_only.flags.writeable = False
        for argument, call in {
            'b': lambda: fade.gemm(a, some(7, 3)), 'a': lambda: fade.gemm(a[:, ::-1], b), 'x': lambda: fade.gemm([[1.0]], b),
            'out': lambda: fade.gemm(a, b, out=read_only), 'c': lambda: fade.gemm(a, b, c=some(3, 3)),
            'epilogue': lambda: fade.gemm(a, b, epilogue=['tanh']), 'causal': lambda: fade.attention(q, q, q, causal=True),
            'k': lambda: fade.attention(q, some(1, 4, 2, 8), q), 'v': lambda: fade.attention(q, q, some(1, 5, 2, 16)),
            'sink': lambda: fade.attention(q, q, q, sink=some(3)), 'device': lambda: fade.gemm(a, b, device='emulated:gfx0'),
            'types': lambda: fade.gemm(a, b, out_dtype='float16'), 'axis': lambda: fade.sum(some(2, 3, 4), axis=1),
            'longest_q': lambda: fade.attention(some(4, 2, 16), q, q, lengths_q=np.array([0, 4], 'int32')),
            'first': lambda: fade.scan(np.zeros(4, 'int32'), first=3),
            'stride': lambda: fade.conv_forward(some(1, 4, 4, 2), some(2, 1, 1, 2), stride=(1 << 32) + 1),
        }.items():
            with self.subTest(argument=argument):
                self.refused(argument, call)
        with self.assertRaises(OverflowError):       # not split_k = 0
            fade.gemm(a, b, split_k=1 << 40)

    def test_more_of_columns_than_there_are(self):
        x = some(3, 9)
        self.refused('k', lambda: fade.top_k(x, 4, axis=0))
        self.refused('axis', lambda: fade.top_k(some(2, 3, 4), 1, axis=0))
        self.assertEqual(fade.top_k(x, 3, axis=-2)[1].shape, (3, 9))

    def test_packed_lengths_beyond_the_tensor(self):
        q = some(8, 2, 16)
        for bad in ([0, 9], [0, -1], [3, 2], [-1, 8]):
            lengths, good = np.array(bad, 'int32'), np.array([0, 8], 'int32')
            self.refused('lengths_q', lambda: fade.attention(q, q, q, lengths_q=lengths, lengths_k=good, longest_q=8, longest_k=8))

    def test_views_that_repeat(self):
        row = some(1, 8)
        self.refused('a', lambda: fade.gemm(np.broadcast_to(row, (4, 8)), some(8, 3)))
        one = some(1, 1, 2, 16)
        self.refused('k', lambda: fade.attention(one, np.broadcast_to(one, (1, 4, 2, 16)), np.broadcast_to(one, (1, 4, 2, 16))))

    def test_nothing_is_written(self):
        out = poisoned(4, 3)
        self.refused('c', lambda: fade.gemm(some(4, 8), some(8, 3), c=some(4, 2), out=out))
        self.assertTrue(np.isnan(out).all())

    def test_no_library_of_the_working_directory(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ('libfade.so', 'fade.py'):
                Path(folder, name).write_text('raise SystemExit("loaded from the working directory")')
            for path in ('libfade.so', './libfade.so'):
                r = subprocess.run([sys.executable, '-P', '-c', 'import fade; print(fade.info())'] if sys.version_info >= (3, 11) else
                                   [sys.executable, '-c', 'import sys; sys.path.pop(0); import fade; print(fade.info())'],
                                   cwd=folder, capture_output=True, text=True, env={**os.environ, 'FADE_LIBRARY': path})
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertIn('its path must be absolute', r.stdout)


class Doors(unittest.TestCase):
    def test_report_and_info(self):
        d, said = fade.gemm(some(4, 8), some(8, 3), return_report=True)
        self.assertEqual(d.shape, (4, 3))
        self.assertIn('4 x 3 x 8', said.requested)
        self.assertEqual((said.device, said.fallback), ('host', False))
        self.assertIn('host', fade.info()['devices'])
        self.assertEqual(fade.info()['version'], fade.__version__)

    def test_inputs_by_dlpack_alone(self):
        class Wrapped(np.ndarray):
            pass

        class Only:
            """What shows nothing but DLPack."""

            def __init__(self, x):
                self.x = x

            def __dlpack__(self, **more):
                return self.x.__dlpack__(**more)
        a, b = some(4, 8), some(8, 3)
        out = poisoned(4, 3)
        fade.gemm(a.view(Wrapped), Only(b), out=out, beta=0)
        self.assertLess(off(out, a.astype('float64') @ b), BOUND['float32'])

    def test_copies_and_pickles(self):
        """Functions, reports and errors reach other processes."""
        q = some(1, 3, 2, 8)
        again = lambda x: pickle.loads(pickle.dumps(x))
        for same in copy.copy, copy.deepcopy, again:
            self.assertIs(same(fade.attention), fade.attention)
        report = fade.attention(q, q, q, return_report=True)[1]
        self.assertEqual(again(report), report)
        with self.assertRaises(fade.Error) as caught:
            fade.attention(q, q[..., :4], q)
        known = lambda e: (type(e), str(e), e.argument, e.value, e.rule)
        self.assertEqual(known(again(caught.exception)), known(caught.exception))

    def test_threads_have_devices_of_their_own(self):
        a, b, wrong = some(60, 60), some(60, 60), []

        def work():
            for _ in range(50):
                if off(fade.gemm(a, b), a.astype('float64') @ b) > BOUND['float32']:
                    wrong.append(1)
        threads = [threading.Thread(target=work) for _ in range(4)]
        [t.start() for t in threads], [t.join() for t in threads]
        self.assertEqual(wrong, [])

    def test_every_function_is_documented(self):
        for name in fade.__all__:
            self.assertGreater(len(getattr(fade, name).__doc__ or ''), 40, name)

    def test_the_page_of_the_documentation(self):
        page = Path(__file__).resolve().parents[2] / 'docs' / 'python.md'
        program = page.read_text().partition('```python\n')[2].partition('```')[0]
        r = subprocess.run([sys.executable, '-c', program], capture_output=True, text=True)
        self.assertEqual((r.returncode, r.stdout.splitlines()[-1].split()[0]), (0, 'b'), r.stderr)

    def test_truth_is_part_of_it(self):
        import fade.truth
        import fade_truth
        self.assertIs(fade.truth.apply, fade_truth.apply)


if __name__ == '__main__':
    unittest.main()
