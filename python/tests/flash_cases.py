"""Random cases of FlashAttention's forward functions, drawn as its own tests draw them, beside plain PyTorch in float64.

flash_cases.py CASES DEVICE LONGEST runs so many; test_flash_attn.py runs a few small ones on this CPU.
"""
import math
import sys
from collections import Counter

import torch
from common import SEED, numbers

import fade
from fade import flash_attn

HEAD_DIMS = (32, 40, 59, 64, 80, 96, 111, 128, 160, 192, 224, 256)
UNIT = {torch.float16: 2.0 ** -11, torch.bfloat16: 2.0 ** -8}


def drawn(low, high):
    return int(numbers.integers(low, high + 1))


def one_of(*things):
    return things[drawn(0, len(things) - 1)]


def length(longest):
    """Short ones as often as long ones."""
    return max(1, int(longest ** numbers.random()))


class Draw:
    """What all families draw: sizes, a type, the rules of a call."""

    def __init__(self, device, longest, equal=False, dropout=True):
        self.device, self.dtype = device, one_of(torch.float16, torch.bfloat16)
        self.batch, self.kv_heads, share, self.dim = drawn(1, 3), drawn(1, 3), one_of(1, 1, 2, 3, 6), one_of(*HEAD_DIMS)
        self.heads = self.kv_heads * share
        self.queries, self.keys = length(longest), length(longest)
        if equal:
            self.keys, self.heads = self.queries, self.kv_heads
        self.rules = dict(causal=bool(drawn(0, 1)), softcap=one_of(0.0, 0.0, 50.0), softmax_scale=one_of(None, None, 0.3 / math.sqrt(self.dim)))
        if drawn(0, 2) == 0:
            self.rules['window_size'] = (drawn(-1, self.keys), drawn(-1, self.keys))
        if drawn(0, 3) == 0:
            self.rules['alibi_slopes'] = torch.rand(*one_of((self.heads,), (self.batch, self.heads)), device=device) * 0.3
        self.dropout = 0.17 if dropout and not self.rules['softcap'] and drawn(0, 4) == 0 else 0.0

    def some(self, *shape):
        return torch.randn(*shape, device=self.device, dtype=torch.float32).to(self.dtype)

    def words(self):
        """What a refusal or a wrong result is reported with."""
        return {n: (tuple(v.shape) if isinstance(v, torch.Tensor) else v) for n, v in {**vars(self), **self.rules}.items() if n != 'rules'}


def reference(q, k, v, rules, counts_q=None, counts_k=None, starts=None, kept=None, dropout=0.0):
    """(out, lse) in float64 of [batch, positions, heads, dim]; kept: which weights dropout left."""
    q, k, v = (t.double() for t in (q, k, v))
    share = q.shape[2] // k.shape[2]
    k, v = (t.repeat_interleave(share, 2) for t in (k, v))
    batch, queries, keys, device = q.shape[0], q.shape[1], k.shape[1], q.device
    count = lambda given, whole: torch.full((batch,), whole, device=device) if given is None else given.long()
    held_q, held_k = count(counts_q, queries), count(counts_k, keys)
    scores = torch.einsum('bqhd,bkhd->bhqk', q, k) * (rules.get('softmax_scale') or q.shape[-1] ** -0.5)
    if rules.get('softcap'):
        scores = rules['softcap'] * torch.tanh(scores / rules['softcap'])
    i = torch.arange(queries, device=device)[None, :, None] + (held_k - held_q)[:, None, None]
    j = torch.arange(keys, device=device)[None, None]
    slopes = rules.get('alibi_slopes')
    if slopes is not None:
        scores = scores - slopes.double().expand(batch, -1)[:, :, None, None] * (i - j).abs()[:, None]
    left, right = rules.get('window_size', (-1, -1))
    seen = (j < held_k[:, None, None]) & (j >= count(starts, 0)[:, None, None])
    seen = seen & (j <= i) if rules.get('causal') else seen.expand(batch, queries, keys)
    if left >= 0:
        seen = seen & (j >= i - left)
    if right >= 0:
        seen = seen & (j <= i + right)
    scores = scores.masked_fill_(~seen[:, None], -math.inf)
    lse = scores.logsumexp(-1)
    weights = torch.exp(scores - lse.masked_fill(lse == -math.inf, 0)[..., None])
    if kept is not None:
        weights = weights * kept / (1 - dropout)
    return torch.einsum('bhqk,bkhd->bqhd', weights, v), lse.masked_fill(lse == -math.inf, math.inf)


def far(out, wanted, dtype):
    """How far beside the bound that docs/attention.md states; at most 1 is right."""
    bound = 3 * UNIT[dtype] + 1e-5
    if out.numel() == 0:
        return 0.0
    return float((out.double() - wanted).norm() / wanted.norm().clamp_min(1e-6 * out.numel() ** 0.5)) / bound


def far_lse(lse, wanted):
    """Of logarithms of sums: 1e-5 of them is right, and where no key is seen both are infinite."""
    if lse.shape != wanted.shape or not torch.equal(lse.isinf(), wanted.isinf()):
        return math.inf
    lse, wanted = (t.double().masked_fill(t.isinf(), 0) for t in (lse, wanted))
    return float((lse - wanted).norm() / max(float(wanted.norm()), max(wanted.numel(), 1) ** 0.5)) / 1e-5


def kept_by(weights, dropout):
    """Which weights dropout left, of S_dmask; their share must be as asked."""
    lost, all_ = float((weights < 0).sum()), float((weights != 0).sum())
    spread = math.sqrt(dropout * (1 - dropout) / max(all_, 1))
    assert abs(lost / max(all_, 1) - dropout) < 6 * spread + (all_ == 0), (lost, all_)
    return weights >= 0


# ---- families: each draws a case, calls flash_attn and returns how far the results are -------------------------------------------

def output(device, longest):
    form = one_of('', 'kv', 'qkv')
    d = Draw(device, longest, equal=form == 'qkv')
    yield d
    q, k, v = d.some(d.batch, d.queries, d.heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim)
    call, tensors = {'': (flash_attn.flash_attn_func, (q, k, v)), 'kv': (flash_attn.flash_attn_kvpacked_func, (q, torch.stack((k, v), 2))),
                     'qkv': (flash_attn.flash_attn_qkvpacked_func, (torch.stack((q, k, v), 2) if form == 'qkv' else q,))}[form]
    o, lse, weights = call(*tensors, d.dropout, **d.rules, return_attn_probs=True)
    wanted, wanted_lse = reference(q, k, v, d.rules, kept=kept_by(weights, d.dropout) if d.dropout else None, dropout=d.dropout)
    yield far(o, wanted, d.dtype), far_lse(lse, wanted_lse)


def causal(device, longest):
    d = Draw(device, longest, dropout=False)
    d.rules.update(causal=True)
    yield d
    q, k, v = d.some(d.batch, d.queries, d.heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim)
    o, lse, _ = flash_attn.flash_attn_func(q, k, v, **d.rules, return_attn_probs=True)
    wanted, wanted_lse = reference(q, k, v, d.rules)
    yield far(o, wanted, d.dtype), far_lse(lse, wanted_lse)


def splitkv(device, longest):
    d = Draw(device, 4 * longest, dropout=False)
    d.queries = min(d.queries, drawn(1, 64))
    yield d
    q, k, v = d.some(d.batch, d.queries, d.heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim)
    o, lse, _ = flash_attn.flash_attn_func(q, k, v, **d.rules, return_attn_probs=True)
    wanted, wanted_lse = reference(q, k, v, d.rules)
    yield far(o, wanted, d.dtype), far_lse(lse, wanted_lse)


def starts_of(counts):
    return torch.nn.functional.pad(counts.cumsum(0), (1, 0)).int()


def packed(x, counts):
    return torch.cat([x[b, :int(n)] for b, n in enumerate(counts)])


def varlen(device, longest):
    form = one_of('', 'kv', 'qkv', 'pages')
    d = Draw(device, longest, equal=form == 'qkv', dropout=form != 'pages')
    lengths = lambda whole: torch.tensor([one_of(whole, drawn(0, whole), drawn(1, whole)) for _ in range(d.batch)], device=device)
    d.counts_q, d.counts_k = lengths(d.queries), lengths(d.keys)
    if form == 'qkv':
        d.counts_k = d.counts_q
    yield d
    q, k, v = d.some(d.batch, d.queries, d.heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim), d.some(d.batch, d.keys, d.kv_heads, d.dim)
    at_q, at_k, more = starts_of(d.counts_q), starts_of(d.counts_k), {}
    pq, pk, pv = packed(q, d.counts_q), packed(k, d.counts_k), packed(v, d.counts_k)
    long_q, long_k = int(d.counts_q.max()), int(d.counts_k.max())
    d.longest = long_q, long_k
    if form == 'pages':
        size = one_of(16, 64, 256)
        pages = -(-d.keys // size)
        table = torch.from_numpy(numbers.permutation(d.batch * pages * 2)[:d.batch * pages].reshape(d.batch, pages).astype('int32')).to(device)
        (pk, _), (pv, _) = in_pages(k, table, size), in_pages(v, table, size)
        more['block_table'] = table
    if long_q == 0 or long_k == 0:
        return                                   # nothing to ask for
    if form == 'kv':
        found = flash_attn.flash_attn_varlen_kvpacked_func(pq, torch.stack((pk, pv), 1), at_q, at_k, long_q, long_k, d.dropout, **d.rules, return_attn_probs=True)
    elif form == 'qkv':
        found = flash_attn.flash_attn_varlen_qkvpacked_func(torch.stack((pq, pk, pv), 1), at_q, long_q, d.dropout, **d.rules, return_attn_probs=True)
    else:
        found = flash_attn.flash_attn_varlen_func(pq, pk, pv, at_q, at_k, long_q, long_k, d.dropout, **d.rules, return_attn_probs=True, **more)
    o, lse, weights = found
    kept = None
    if d.dropout:
        kept = torch.ones(d.batch, d.heads, d.queries, d.keys, dtype=torch.bool, device=device)
        kept[:, :, :long_q, :long_k] = kept_by(weights, d.dropout)
    wanted, wanted_lse = reference(q, k, v, d.rules, d.counts_q, d.counts_k, kept=kept, dropout=d.dropout)
    yield far(o, packed(wanted, d.counts_q), d.dtype), far_lse(lse, packed(wanted_lse.transpose(1, 2), d.counts_q).t())


def in_pages(x, table, size):
    """(pages that hold a cache of rows, the rows as they lie there before)."""
    batch, positions = x.shape[:2]
    whole = torch.randn(2 * table.numel(), size, *x.shape[2:], device=x.device, dtype=torch.float32).to(x.dtype)
    rows = torch.nn.functional.pad(x, (0, 0, 0, 0, 0, table.shape[1] * size - positions))
    whole[table.long()] = rows.reshape(batch, table.shape[1], size, *x.shape[2:])
    return whole, rows


def turned(x, first, cos, sin, interleaved, standing):
    """[batch, positions, heads, dim] turned from positions `first` on, rounded to the type of x; standing: all by the first one."""
    half = cos.shape[1]
    if not half:
        return x
    at = first.long()[:, None] + (0 if standing else torch.arange(x.shape[1], device=x.device))
    c, s = (t.double()[at.expand(-1, x.shape[1])][:, :, None] for t in (cos, sin))
    out = x.double()
    one, two = (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if interleaved else (slice(0, half), slice(half, 2 * half))
    a, b = out[..., one].clone(), out[..., two].clone()
    out[..., one], out[..., two] = a * c - b * s, a * s + b * c
    return out.to(x.dtype)


def kvcache(device, longest):
    d = Draw(device, longest, dropout=False)
    d.queries = drawn(1, min(64, longest // 2)) if drawn(0, 1) else drawn(1, 4)
    d.keys = max(d.keys, 2 * d.queries + 2)
    d.new = 0 if drawn(0, 3) == 0 else d.queries if drawn(0, 1) else drawn(1, d.queries)
    d.page, d.indexed, d.padded, d.splits = one_of(0, 16, 256), bool(drawn(0, 1)), bool(drawn(0, 1)), one_of(0, 1)
    d.rotary, d.interleaved = (16 * drawn(0, d.dim // 16) if d.new else 0), bool(drawn(0, 1))
    if d.page:
        d.indexed, d.keys = False, -(-d.keys // d.page) * d.page
    yield d
    q = d.some(d.batch, d.queries, d.heads, d.dim)
    new_k, new_v = (d.some(d.batch, d.new, d.kv_heads, d.dim) for _ in range(2))
    held = torch.tensor([drawn(0 if d.new else 1, d.keys - max(d.new, d.queries)) for _ in range(d.batch)], dtype=torch.int32, device=device)
    rows = d.batch + 2 if d.indexed else d.batch
    cache_k, cache_v = (d.some(rows, d.keys, d.kv_heads, d.dim) for _ in range(2))
    more = dict(cache_seqlens=held, num_splits=d.splits, return_softmax_lse=True, **d.rules)
    at = torch.from_numpy(numbers.permutation(rows)[:d.batch]).to(device) if d.indexed else torch.arange(d.batch, device=device)
    if d.indexed:
        more['cache_batch_idx'] = at.int()
    starts = None
    if d.padded:
        starts = torch.tensor([drawn(0, int(n)) for n in held], dtype=torch.int32, device=device)
        more['cache_leftpad'] = starts
    wanted_k, wanted_v = cache_k[at], cache_v[at]
    if d.page:
        pages = d.keys // d.page
        table = torch.from_numpy(numbers.permutation(2 * d.batch * pages)[:d.batch * pages].reshape(d.batch, pages).astype('int32')).to(device)
        cache_k, cache_v = in_pages(cache_k, table, d.page)[0], in_pages(cache_v, table, d.page)[0]
        more['block_table'] = table
    cos = sin = torch.zeros(d.keys, 0, device=device)
    if d.rotary:
        angles = torch.rand(d.keys, d.rotary // 2, device=device) * 2 * math.pi
        cos, sin = angles.cos().to(d.dtype), angles.sin().to(d.dtype)
        more.update(rotary_cos=cos, rotary_sin=sin, rotary_interleaved=d.interleaved)
    standing = not d.rules['causal'] and d.rules.get('window_size', (-1, -1)) == (-1, -1)
    wanted_q = turned(q, held, cos, sin, d.interleaved, standing)
    written_k = turned(new_k, held, cos, sin, d.interleaved, False)
    for b in range(d.batch):
        n = int(held[b])
        wanted_k[b, n:n + d.new], wanted_v[b, n:n + d.new] = written_k[b], new_v[b]
    o, lse = flash_attn.flash_attn_with_kvcache(q, cache_k, cache_v, *((new_k, new_v) if d.new else ()), **more)
    after_k, after_v = ((c[more['block_table'].long()].reshape(wanted_k.shape) if d.page else c[at]) for c in (cache_k, cache_v))
    cache = math.inf if not torch.equal(after_v, wanted_v) else far(after_k, wanted_k.double(), d.dtype)
    wanted, wanted_lse = reference(wanted_q, wanted_k, wanted_v, d.rules, counts_k=held + d.new, starts=starts)
    yield far(o, wanted, d.dtype), far_lse(lse, wanted_lse), cache


FAMILIES = (output, causal, splitkv, varlen, kvcache)


@torch.no_grad()
def run(cases, device, longest):
    """{family: (right, wrong, refused, worst)}; what was wrong or refused is printed."""
    found = {f.__name__: Counter() for f in FAMILIES}
    worst = Counter()
    for case in range(cases):
        family = FAMILIES[case % len(FAMILIES) if case % 10 < 5 else 4]          # half of them are caches, which have most arguments
        steps, said = family(device, longest), found[family.__name__]
        drew = next(steps)
        try:
            distances = next(steps, (0.0,))
        except fade.Error as why:
            said['refused'] += 1
            print(f'refused: {family.__name__}: {why}: {drew.words()}')
            continue
        except AssertionError as why:
            distances = (math.inf,)
            print(why)
        right = all(x <= 1 for x in distances)                                  # a NaN is wrong
        said['right' if right else 'wrong'] += 1
        worst[family.__name__] = max(worst[family.__name__], *distances)
        if not right:
            print(f'wrong: {family.__name__}: {distances} of the bound: {drew.words()}')
    return {name: (c['right'], c['wrong'], c['refused'], round(worst[name], 2)) for name, c in found.items()}


if __name__ == '__main__':
    torch.manual_seed(SEED)
    words = sys.argv[1:]
    results = run(int(words[0]), words[1], int(words[2]))
    for name, (right, wrong, refused, worst) in results.items():
        print(f'{name}: {right} right, {wrong} wrong, {refused} refused; the farthest at {worst} of its bound')
    sys.exit(any(r[1] or r[2] for r in results.values()))
