"""The scores of ONNX's Attention, which its fourth output asks for: products, sigmoids and softmax are FADE's, masks NumPy's."""
from __future__ import annotations

import numpy as np

import fade

RAW, CAPPED, MASKED, WEIGHTS = range(4)          # qk_matmul_output_mode


def seen_keys(queries, keys, ahead, causal, window, counts):
    """[1 or batch, 1, queries, keys]: which keys queries at positions from `ahead` on (a number, or one a batch) see."""
    first = np.asarray(ahead).reshape(-1, 1, 1)
    apart = first + np.arange(queries)[:, None] - np.arange(keys)
    seen = np.ones(apart.shape, bool)
    if causal:
        seen &= apart >= 0
    if window[0] >= 0:
        seen &= apart <= window[0]
    if window[1] >= 0:
        seen &= apart >= -window[1]
    if counts is not None:
        seen = seen & (np.arange(keys) < np.asarray(counts).reshape(-1, 1, 1))
    return seen[:, None]


def scores(q, k, mode, scale, softcap, bias, device):
    """[batch, heads, queries, keys] of q's type. q, k: [batch, heads, positions, dim]; bias: the same in float32, or None."""
    share = q.shape[1] // k.shape[1]
    q, keys = np.ascontiguousarray(q), np.ascontiguousarray(k.repeat(share, 1)).swapaxes(-1, -2)
    stages = []
    if softcap and mode != RAW:                  # c tanh(s / c) = 2 c sigmoid(2 s / c) - c
        stages = [('scale', 2 / softcap), 'sigmoid', ('scale', 2 * softcap)]
    added = None
    if (softcap and mode != RAW) or (bias is not None and mode >= MASKED):
        added = np.full(q.shape[:3] + k.shape[2:3], -softcap if stages else 0, 'float32')
        if bias is not None and mode >= MASKED:
            added = added + bias
        stages.append(('residual', np.ascontiguousarray(added)))
    s = fade.gemm(q, keys, alpha=scale or q.shape[-1] ** -0.5, epilogue=stages, out_dtype='float32', device=device)
    if mode == WEIGHTS:
        s = fade.softmax(s, device=device)
        if bias is not None:
            s = np.where(np.isneginf(bias.max(-1, keepdims=True)), np.float32(0), s)
    return s.astype(q.dtype)
