"""ONNX's Attention and RotaryEmbedding: masks in FADE's words, the rest is FADE's."""
from __future__ import annotations

import numpy as np

import fade

from . import _onnx_scores
from ._onnx_call import contiguous, lacks, operator


def by_heads(x, heads):
    """[batch, heads, positions, dim] of an input of three or four dimensions."""
    return x if x.ndim == 4 else x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


@operator
def Attention(call):
    inputs = [call.input(i) for i in range(7)]
    flat = inputs[0].ndim == 3
    q = by_heads(inputs[0], call['q_num_heads', 0])
    k, v = (by_heads(t, call['kv_num_heads', 0]) for t in inputs[1:3])
    call.reals(q, k, v)
    mask, past_k, past_v, lengths = inputs[3:]
    if past_k is not None:
        k, v = np.concatenate((past_k, k), 2), np.concatenate((past_v, v), 2)
    queries, keys = q.shape[2], k.shape[2]
    causal, window = bool(call['is_causal', 0]), (call['left_window_size', -1], call['right_window_size', -1])
    ahead = past_k.shape[2] if past_k is not None else 0         # the position of the first query, where lengths say no other
    at_end = lengths is not None or ahead == keys - queries
    kind = ('bottom-right' if at_end else 'top-left') if causal else None
    if not at_end and (causal and ahead or max(window) >= 0 and not causal):
        mask, kind, window = with_positions(mask, queries, keys, ahead, causal, window), None, (-1, -1)
    bias = mask_as_bias(mask, q.shape[0], q.shape[1], queries, keys)
    o = fade.attention(*(contiguous(t).transpose(0, 2, 1, 3) for t in (q, k, v)), bias=bias, scale=call['scale', None],
                       softcap=call['softcap', 0.0], window=window, causal=kind,
                       counts_k=None if lengths is None else lengths.astype(np.int32), device=call.device)
    y = o.reshape(*o.shape[:2], -1) if flat else contiguous(o.transpose(0, 2, 1, 3))
    return (y, k, v, matrix_of_scores(call, q, k, inputs[3], ahead, lengths)) if call.wants(3) else (y, k, v)


def matrix_of_scores(call, q, k, mask, ahead, lengths):
    """qk_matmul_output, of which every mask is a matrix."""
    queries, keys, mode = q.shape[2], k.shape[2], call['qk_matmul_output_mode', 0]
    window, causal = (call['left_window_size', -1], call['right_window_size', -1]), bool(call['is_causal', 0])
    bias = None
    if mask is not None or causal or max(window) >= 0 or lengths is not None:
        first = ahead if lengths is None else lengths - queries
        seen = _onnx_scores.seen_keys(queries, keys, first, causal, window, lengths)
        bias = np.broadcast_to(np.where(seen, np.float32(0), np.float32(-np.inf)), (q.shape[0], q.shape[1], queries, keys))
        if mask is not None:
            bias = bias + mask_as_bias(mask, q.shape[0], q.shape[1], queries, keys)
    return _onnx_scores.scores(q, k, mode, call['scale', None], call['softcap', 0.0], bias, call.device)


def with_positions(mask, queries, keys, ahead, causal, window):
    """A mask that hides what queries at positions from `ahead` on do not see: FADE counts positions from either end."""
    hidden = np.where(_onnx_scores.seen_keys(queries, keys, ahead, causal, window, None)[0, 0], np.float32(0), np.float32(-np.inf))
    return hidden if mask is None else hidden + mask_as_bias(mask, 1, 1, queries, keys, False)


def mask_as_bias(mask, batch, heads, queries, keys, whole=True):
    """FADE's bias: float32, minus infinity where a key is hidden."""
    if mask is None:
        return None
    if mask.dtype == bool:
        mask = np.where(mask, np.float32(0), np.float32(-np.inf))
    mask = mask.astype(np.float32)
    if mask.shape[-1] < keys:
        mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])], constant_values=-np.inf)
    return contiguous(np.broadcast_to(mask, (batch, heads, queries, keys))) if whole else mask


@operator
def RotaryEmbedding(call):
    x, cos, sin, places = (call.input(i) for i in range(4))
    call.reals(x)
    flat = x.ndim == 3
    if flat and not call['num_heads', 0]:
        lacks('RotaryEmbedding of three dimensions without num_heads')
    heads = by_heads(x, call['num_heads', 0]).transpose(0, 2, 1, 3)
    out = np.empty(heads.shape, x.dtype)
    other = np.empty((1, *heads.shape[1:]), x.dtype)
    for b in range(x.shape[0]):                  # each sequence has its own positions, which are rows of tables
        tables = [contiguous((t[places[b]] if places is not None else t[b]).astype(np.float32)) for t in (cos, sin)]
        one = contiguous(heads[b:b + 1])
        fade.append_kv(one, one, out[b:b + 1], other, cos=tables[0], sin=tables[1], interleaved=bool(call['interleaved', 0]),
                       device=call.device)
    return out.reshape(x.shape) if flat else contiguous(out.transpose(0, 2, 1, 3))
