"""What the tests of the package share: fresh numbers, whose seed is printed, and distances from a reference in float64."""
import os
import random

import numpy as np

SEED = int(os.environ.get('FADE_SEED') or random.SystemRandom().randrange(1 << 31))
print(f'seed {SEED} (FADE_SEED={SEED} repeats it)', flush=True)
numbers = np.random.default_rng(SEED)


def some(*shape, dtype='float32'):
    return numbers.standard_normal(shape).astype(dtype)


def poisoned(*shape, dtype='float32'):
    return np.full(shape, np.nan, dtype)


def off(out, reference):
    """The relative Frobenius distance, in float64."""
    out, reference = np.asarray(out, 'float64'), np.asarray(reference, 'float64')
    assert out.shape == reference.shape, (out.shape, reference.shape)
    return np.linalg.norm(out - reference) / max(np.linalg.norm(reference), 1e-30)


def attention(q, k, v, *, causal=None, window=(-1, -1), scale=None, bias=None, counts=None, starts=None, slopes=None):
    """softmax(scale q k^T) v in float64: [batch, positions, heads, dim]."""
    q, k, v = (np.asarray(t, 'float64') for t in (q, k, v))
    share = q.shape[2] // k.shape[2]
    k, v = k.repeat(share, 2), v.repeat(share, 2)
    scores = np.einsum('bqhd,bkhd->bhqk', q, k) * (scale or q.shape[-1] ** -0.5)
    if bias is not None:
        scores = scores + bias
    for b in range(q.shape[0]):
        keys = k.shape[1] if counts is None else int(counts[b])
        i = np.arange(q.shape[1])[:, None] + (0 if causal == 'top-left' else keys - q.shape[1])
        j = np.arange(k.shape[1])[None]
        if slopes is not None:
            scores[b] -= np.asarray(slopes[b], 'float64')[:, None, None] * np.abs(j - i)
        seen = (j >= (0 if starts is None else int(starts[b]))) & (j < keys) & ((j <= i) if causal else True)
        seen = seen & ((j >= i - window[0]) if window[0] >= 0 else True) & ((j <= i + window[1]) if window[1] >= 0 else True)
        scores[b] = np.where(seen, scores[b], -np.inf)
    largest = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(largest), 0, largest))
    total = weights.sum(-1, keepdims=True)
    return np.einsum('bhqk,bkhd->bqhd', weights / np.where(total == 0, 1, total), v)
