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


class Convolution:
    """A random convolution with channels last, and its passes in float64, tap by tap."""

    def __init__(self, dimensions, depthwise=False):
        draw = lambda low, high: tuple(int(i) for i in numbers.integers(low, high + 1, dimensions))
        self.groups = int(numbers.integers(1, 3))
        self.batch, self.share, self.filters = (int(i) for i in numbers.integers(1, 5, 3) * (1, 1, self.groups))
        if depthwise:                            # a group has one channel and one filter
            self.groups, self.share, self.filters = 4, 1, 4
        self.sizes, self.taps, self.stride, self.dilation = draw(5, 9), draw(1, 3), draw(1, 2), draw(1, 2)
        self.before, self.behind = draw(0, 2), draw(0, 2)
        self.outputs = tuple((s + b + e - (t - 1) * d - 1) // i + 1 for s, b, e, t, d, i in
                             zip(self.sizes, self.before, self.behind, self.taps, self.dilation, self.stride))
        self.x = some(self.batch, *self.sizes, self.share * self.groups)
        self.w = some(self.filters, *self.taps, self.share)
        self.dy = some(self.batch, *self.outputs, self.filters)
        self.how = dict(stride=self.stride, padding=list(zip(self.before, self.behind)), dilation=self.dilation, groups=self.groups)

    def each_tap(self):
        """(where a group's channels and filters are, tap, where the padded image meets it)"""
        for g in range(self.groups):
            channels, filters = (slice(g * n, (g + 1) * n) for n in (self.share, self.filters // self.groups))
            for tap in np.ndindex(*self.taps):
                window = (slice(None), *(slice(t * d, t * d + (o - 1) * s + 1, s) for t, d, o, s in
                                         zip(tap, self.dilation, self.outputs, self.stride)), channels)
                yield filters, tap, window

    def padded(self, x):
        return np.pad(x, ((0, 0), *zip(self.before, self.behind), (0, 0)))

    def forward(self, x, w):
        x, w, y = self.padded(x.astype('float64')), w.astype('float64'), np.zeros(self.dy.shape)
        for filters, tap, window in self.each_tap():
            y[..., filters] += x[window] @ w[(filters, *tap)].T
        return y

    def backward_data(self, dy, w):
        dy, w, dx = dy.astype('float64'), w.astype('float64'), self.padded(np.zeros(self.x.shape))
        for filters, tap, window in self.each_tap():
            dx[window] += dy[..., filters] @ w[(filters, *tap)]
        return dx[(slice(None), *(slice(b, b + s) for b, s in zip(self.before, self.sizes)))]

    def backward_weights(self, dy, x):
        dy, x, dw = dy.astype('float64'), self.padded(x.astype('float64')), np.zeros(self.w.shape)
        for filters, tap, window in self.each_tap():
            dw[(filters, *tap)] = dy[..., filters].reshape(-1, self.filters // self.groups).T @ x[window].reshape(-1, self.share)
        return dw


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
