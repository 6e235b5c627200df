"""fade.flash_attn: FlashAttention's functions against float64, and what they refuse."""
import sys
import unittest

try:
    import torch
except ImportError:
    print('skipped: python-flash_attn: no PyTorch is here')
    sys.exit(77)
import numpy as np
from common import SEED, attention, numbers, off

import fade
import fade.flash_attn
import flash_cases

fade.flash_attn.install()
import flash_attn  # noqa: E402
from flash_attn.flash_attn_interface import flash_attn_with_kvcache  # noqa: E402

torch.manual_seed(SEED)
BOUND = 2e-3                                     # of float16


def some(*shape):
    return torch.randn(*shape).half()


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


def turned(x, start, cos, sin, interleaved, standing=False):
    """Heads [positions, heads, dim] turned by tables, in float64; standing: all by the position of the first."""
    x = x.double().clone()
    half = cos.shape[1]
    at = torch.full((x.shape[0],), start) if standing else torch.arange(start, start + x.shape[0])
    c, s = (t[at, None].double() for t in (cos, sin))
    first, second = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(0, half), slice(half, 2 * half))
    a, b = x[..., first].clone(), x[..., second].clone()
    x[..., first], x[..., second] = a * c - b * s, a * s + b * c
    return x


class Forward(unittest.TestCase):
    def test_whole_and_packed_tensors(self):
        with torch.no_grad():
            q, k, v = some(2, 5, 4, 32), some(2, 11, 2, 32), some(2, 11, 2, 32)
            for more in ({}, {'causal': True}, {'window_size': (4, 1)}, {'softmax_scale': 0.3}):
                wanted = attention(q, k, v, causal='bottom-right' if more.get('causal') else None, window=more.get('window_size', (-1, -1)),
                                   scale=more.get('softmax_scale'))
                self.assertLess(off(flash_attn.flash_attn_func(q, k, v, **more), wanted), BOUND)
                self.assertLess(off(flash_attn.flash_attn_kvpacked_func(q, torch.stack((k, v), 2), **more), wanted), BOUND)
            qkv = some(2, 9, 3, 4, 32)
            self.assertLess(off(flash_attn.flash_attn_qkvpacked_func(qkv, causal=True), attention(*qkv.unbind(2), causal='bottom-right')), BOUND)

    def test_sequences_one_after_the_other(self):
        starts_q, starts_k = torch.tensor([0, 3, 8], dtype=torch.int32), torch.tensor([0, 9, 13], dtype=torch.int32)
        q, k, v = some(8, 4, 32), some(13, 2, 32), some(13, 2, 32)
        with torch.no_grad():
            o, lse, dropped = flash_attn.flash_attn_varlen_func(q, k, v, starts_q, starts_k, 5, 9, causal=True, return_attn_probs=True)
            both = flash_attn.flash_attn_varlen_kvpacked_func(q, torch.stack((k, v), 1), starts_q, starts_k, 5, 9, causal=True)
        wanted = np.concatenate([attention(q[None, a:b], k[None, c:d], v[None, c:d], causal='bottom-right')[0] for a, b, c, d in ((0, 3, 0, 9), (3, 8, 9, 13))])
        self.assertLess(off(o, wanted), BOUND)
        self.assertTrue(torch.equal(o, both))
        self.assertEqual((tuple(lse.shape), dropped), ((4, 8), None))
        scores = np.einsum('d,kd->k', q[7, 3].double(), k[9:13, 1].double()) * 32 ** -0.5
        self.assertAlmostEqual(float(lse[3, 7]), float(np.log(np.exp(scores).sum())), places=3)

    def test_slopes_of_each_sequence(self):
        q, k, v, slopes = some(3, 5, 4, 32), some(3, 11, 2, 32), some(3, 11, 2, 32), torch.rand(3, 4)
        with torch.no_grad():
            o = flash_attn.flash_attn_func(q, k, v, causal=True, alibi_slopes=slopes)
            one = flash_attn.flash_attn_func(q, k, v, causal=True, alibi_slopes=slopes[1])
        self.assertLess(off(o, attention(q, k, v, causal='bottom-right', slopes=slopes)), BOUND)
        self.assertLess(off(one, attention(q, k, v, causal='bottom-right', slopes=slopes[1].expand(3, 4))), BOUND)

    def test_weights_that_dropout_takes(self):
        q, k, v = some(2, 30, 4, 32), some(2, 150, 2, 32), some(2, 150, 2, 32)
        with torch.no_grad():
            o, lse, dropped = flash_attn.flash_attn_func(q, k, v, 0.3, causal=True, return_attn_probs=True)
            none = flash_attn.flash_attn_func(q, k, v, causal=True, return_attn_probs=True)[2]
        self.assertIsNone(none)
        self.assertEqual((tuple(dropped.shape), tuple(lse.shape)), ((2, 4, 30, 150), (2, 4, 30)))
        whole = np.einsum('bhqk,bkhd->bqhd', dropped.double().abs(), v.repeat_interleave(2, 2).double())
        self.assertLess(off(whole, attention(q, k, v, causal='bottom-right')), 2 * BOUND)
        kept = np.einsum('bhqk,bkhd->bqhd', dropped.double().clamp(min=0) / 0.7, v.repeat_interleave(2, 2).double())
        self.assertLess(off(o, kept), 2 * BOUND)
        self.assertAlmostEqual(float((dropped < 0).double().sum() / (dropped != 0).double().sum()), 0.3, delta=0.03)

    def test_random_caches(self):
        for _ in range(60):
            batch, new, kv_heads, share, dim = drawn(1, 3), drawn(1, 5), drawn(1, 2), drawn(1, 3), 8 * drawn(1, 8)
            queries = new if drawn(0, 1) else drawn(1, 5)
            capacity, paged, indexed, rotary = 16 * drawn(3, 5), drawn(0, 1), drawn(0, 1), 2 * drawn(0, dim // 4)
            interleaved, causal, padded, sloped = (bool(drawn(0, 1)) for _ in range(4))
            held = torch.from_numpy(numbers.integers(0, capacity - max(new, queries) + 1, batch).astype('int32'))
            q, k, v = some(batch, queries, kv_heads * share, dim), some(batch, new, kv_heads, dim), some(batch, new, kv_heads, dim)
            rows = batch + 2
            whole_k, whole_v = some(rows, capacity, kv_heads, dim), some(rows, capacity, kv_heads, dim)
            at = torch.from_numpy(numbers.permutation(rows)[:batch])
            more, cos, sin, starts = {}, torch.zeros(capacity, 0), torch.zeros(capacity, 0), None
            if rotary:
                angles = torch.rand(capacity, rotary // 2) * 6
                cos, sin = angles.cos().half(), angles.sin().half()
                if drawn(0, 1):                  # one table, or halves that lie differently
                    fused = torch.cat((cos, sin), -1)
                    cos, sin = fused[:, :rotary // 2], (fused[:, rotary // 2:] if drawn(0, 1) else sin)
                more.update(rotary_cos=cos, rotary_sin=sin, rotary_interleaved=interleaved)
            if padded:
                starts = torch.tensor([drawn(0, int(n)) for n in held], dtype=torch.int32)
                more['cache_leftpad'] = starts
            if sloped:
                more['alibi_slopes'] = torch.rand(batch, kv_heads * share)
            if paged:
                table = torch.from_numpy(numbers.permutation(rows * capacity // 16)[:batch * capacity // 16].reshape(batch, -1).astype('int32'))
                cache_k, cache_v = whole_k.reshape(-1, 16, kv_heads, dim).clone(), whole_v.reshape(-1, 16, kv_heads, dim).clone()
                before_k, before_v = (c[table.long()].reshape(batch, capacity, kv_heads, dim) for c in (cache_k, cache_v))
                more['block_table'] = table
            elif indexed:
                cache_k, cache_v, before_k, before_v = whole_k.clone(), whole_v.clone(), whole_k[at], whole_v[at]
                more['cache_batch_idx'] = at.int()
            else:
                cache_k, cache_v, before_k, before_v = whole_k[:batch].clone(), whole_v[:batch].clone(), whole_k[:batch], whole_v[:batch]
            wanted_k, wanted_v, wanted_q = before_k.double().clone(), before_v.double().clone(), q.double().clone()
            for b in range(batch):
                n = int(held[b])
                wanted_k[b, n:n + new], wanted_v[b, n:n + new] = turned(k[b], n, cos, sin, interleaved), v[b].double()
                wanted_q[b] = turned(q[b], n, cos, sin, interleaved, standing=not causal)
            with torch.no_grad():
                o, lse = flash_attn_with_kvcache(q, cache_k, cache_v, k, v, cache_seqlens=held, causal=causal, return_softmax_lse=True, **more)
            with self.subTest(paged=paged, indexed=indexed, rotary=rotary, causal=causal, batch=batch, new=new, queries=queries, held=held.tolist(),
                              starts=starts, sloped=sloped):
                wanted = attention(wanted_q, wanted_k, wanted_v, causal='bottom-right' if causal else None, counts=held + new, starts=starts,
                                   slopes=more.get('alibi_slopes'))
                self.assertLess(off(o, wanted), BOUND)
                after_k = cache_k[more['block_table'].long()].reshape(wanted_k.shape) if paged else cache_k[at] if indexed else cache_k
                self.assertLess(off(after_k, wanted_k), 5e-4)
                self.assertEqual(tuple(lse.shape), (batch, kv_heads * share, queries))

    def test_what_fade_lacks_is_named(self):
        q, k = some(2, 3, 2, 16), some(2, 8, 2, 16)
        held, table = torch.tensor([1, 2], dtype=torch.int32), torch.ones(8, 4)
        for argument, call in {
            'alibi': lambda: flash_attn.flash_attn_func(q, k, k, alibi_slopes=torch.ones(3, 2)),
            'return_attn_probs': lambda: flash_attn.flash_attn_varlen_func(q[0], k, k, held, held, 3, 8, 0.5, return_attn_probs=True,
                                                                          block_table=torch.zeros(2, 1, dtype=torch.int32)),
            'requires_grad': lambda: flash_attn.flash_attn_func(q.requires_grad_(), k, k),
            'cache_seqlens': lambda: flash_attn_with_kvcache(q.detach(), k, k, q.detach(), q.detach()),
            'rotary_cos': lambda: flash_attn_with_kvcache(q.detach(), k, k, rotary_cos=table, rotary_sin=table),
        }.items():
            with self.subTest(argument=argument), self.assertRaises(fade.Error) as caught:
                call()
            self.assertEqual(caught.exception.argument, argument)


class Random(unittest.TestCase):
    def test_each_family(self):
        for name, (right, wrong, refused, _) in flash_cases.run(20, 'cpu', 40).items():
            with self.subTest(family=name):
                self.assertGreater(right, 1)
                self.assertEqual((wrong, refused), (0, 0))


if __name__ == '__main__':
    unittest.main()
