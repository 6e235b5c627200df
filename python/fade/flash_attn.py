"""FlashAttention's Python interface over FADE, for PyTorch: the forward functions of flash_attn 2.

    import sys, fade.flash_attn
    fade.flash_attn.install()            # from now on `import flash_attn` finds this module
    from flash_attn import flash_attn_func

Arguments and results are those of flash_attn; dropout draws other random numbers. What FADE lacks is a fade.Error that names it:
gradients.
"""
from __future__ import annotations

import sys

import torch

import fade

from ._error import Error

Tensor = torch.Tensor
__version__ = '2.8.0'                            # whose interface this is
__all__ = ['flash_attn_func', 'flash_attn_kvpacked_func', 'flash_attn_qkvpacked_func', 'flash_attn_varlen_func',
           'flash_attn_varlen_kvpacked_func', 'flash_attn_varlen_qkvpacked_func', 'flash_attn_with_kvcache', 'install']


def install() -> None:
    """Lets `import flash_attn` and `flash_attn.flash_attn_interface` find this module. Refused where another flash_attn is loaded."""
    here = sys.modules[__name__]
    for name in ('flash_attn', 'flash_attn.flash_attn_interface'):
        if sys.modules.get(name, here) is not here:
            raise Error('flash_attn', 'loaded already', 'install() comes before the first import of flash_attn')
        sys.modules[name] = here


def _slopes(alibi: Tensor | None) -> Tensor | None:
    return alibi if alibi is None else alibi.contiguous()


def _check(*tensors: Tensor) -> None:
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        raise Error('requires_grad', 'True', 'FADE has no backward pass of attention: call it under torch.no_grad()')


def _seed(dropout_p: float) -> int:
    return int(torch.randint(1 << 62, ()).item()) if dropout_p else 0


def _plain(x: Tensor | None) -> Tensor | None:
    """A tensor whose heads lie side by side."""
    return x if x is None or x.stride(-1) == 1 else x.contiguous()


def _infinite(lse: Tensor) -> Tensor:
    """flash_attn says plus infinity of queries that see no key."""
    return lse.masked_fill_(lse == -torch.inf, torch.inf)


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                    deterministic=False, return_attn_probs=False):
    """q: [batch, seqlen_q, heads, dim], k, v: [batch, seqlen_k, kv_heads, dim]; causal is bottom-right, and so are windows.

    deterministic is about the backward pass; forward passes always are. return_attn_probs gives (out, lse, S_dmask): None without
    dropout, as in flash_attn, and with it the weights [batch, heads, seqlen_q, seqlen_k], those negative that were dropped.
    """
    _check(q, k, v)
    rules = dict(causal='bottom-right' if causal else None, window=tuple(window_size), scale=softmax_scale, softcap=softcap,
                 alibi=_slopes(alibi_slopes))
    random = dict(dropout=dropout_p, seed=_seed(dropout_p))
    q, k, v = _plain(q), _plain(k), _plain(v)
    o, lse = fade.attention(q, k, v, **rules, **random, return_lse=True)
    if not return_attn_probs:
        return o
    weights = None
    if dropout_p:
        positions = torch.arange(k.shape[1], device=k.device).expand(k.shape[:2])
        weights = _weights(q, k, positions, k.shape[1], rules, random).transpose(1, 2)
    return o, _infinite(lse), weights


def _weights(q: Tensor, k: Tensor, positions: Tensor, longest: int, rules: dict, random: dict) -> Tensor:
    """[as q, longest]: the weights, negative where dropout takes them, by attention to values of which each tells one key.

    positions: of each key within its sequence.
    """
    pieces = []
    for first in range(0, longest, 128):
        columns = torch.arange(first, min(first + 128, longest), device=k.device)
        v = (positions[..., None] == columns).to(k.dtype)[..., None, :].expand(*k.shape[:-1], len(columns)).contiguous()
        whole, kept = fade.attention(q, k, v, **rules), fade.attention(q, k, v, **rules, **random)
        pieces.append(torch.where(kept == 0, -whole, whole))
    return torch.cat(pieces, -1)


def flash_attn_qkvpacked_func(qkv, *args, **more):
    """qkv: [batch, seqlen, 3, heads, dim]; otherwise as flash_attn_func."""
    return flash_attn_func(*qkv.unbind(2), *args, **more)


def flash_attn_kvpacked_func(q, kv, *args, **more):
    """kv: [batch, seqlen, 2, kv_heads, dim]; otherwise as flash_attn_func."""
    return flash_attn_func(q, *kv.unbind(2), *args, **more)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0, softmax_scale=None, causal=False,
                           window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False, return_attn_probs=False,
                           block_table=None):
    """Sequences packed one after the other: q [total_q, heads, dim], k, v [total_k, kv_heads, dim], or pages with block_table.

    return_attn_probs gives (out, lse [heads, total_q], S_dmask), which is None without dropout, and with it the weights [batch, heads,
    max_seqlen_q, max_seqlen_k], those negative that were dropped; of pages they are refused.
    """
    _check(q, k, v)
    if dropout_p and return_attn_probs and block_table is not None:
        raise Error('return_attn_probs', 'given', 'the weights that dropout takes are made of packed sequences, not of pages')
    q, k, v = _plain(q), _plain(k), _plain(v)
    rules = dict(causal='bottom-right' if causal else None, window=tuple(window_size), scale=softmax_scale, softcap=softcap,
                 alibi=_slopes(alibi_slopes), lengths_q=cu_seqlens_q, lengths_k=cu_seqlens_k, longest_q=int(max_seqlen_q),
                 longest_k=int(max_seqlen_k), block_table=block_table)
    random = dict(dropout=dropout_p, seed=_seed(dropout_p))
    o, lse = fade.attention(q, k, v, **rules, **random, return_lse=True)
    if not return_attn_probs:
        return o
    sequence, at = _places(cu_seqlens_q, q.shape[0])
    weights = None
    if dropout_p:
        packed = _weights(q, k, _places(cu_seqlens_k, k.shape[0])[1], int(max_seqlen_k), rules, random)
        weights = packed.new_zeros(lse.shape[0], q.shape[1], int(max_seqlen_q), int(max_seqlen_k))
        weights[sequence, :, at] = packed
    return o, _infinite(lse[sequence, :, at].t().contiguous()), weights


def _places(cumulative: Tensor, total: int) -> tuple[Tensor, Tensor]:
    """(sequence, place within it) of each of the packed tokens."""
    at = torch.arange(total, device=cumulative.device)
    sequence = torch.searchsorted(cumulative[1:].contiguous(), at, right=True).clamp_(max=len(cumulative) - 2)
    return sequence, at - cumulative[sequence]


def flash_attn_varlen_qkvpacked_func(qkv, cu_seqlens, max_seqlen, *args, **more):
    """qkv: [total, 3, heads, dim]; otherwise as flash_attn_varlen_func."""
    return flash_attn_varlen_func(*qkv.unbind(1), cu_seqlens, cu_seqlens, max_seqlen, max_seqlen, *args, **more)


def flash_attn_varlen_kvpacked_func(q, kv, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, *args, **more):
    """kv: [total_k, 2, kv_heads, dim]; otherwise as flash_attn_varlen_func."""
    return flash_attn_varlen_func(q, *kv.unbind(1), cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, *args, **more)


def flash_attn_with_kvcache(q, k_cache, v_cache, k=None, v=None, rotary_cos=None, rotary_sin=None, cache_seqlens=None, cache_batch_idx=None,
                            cache_leftpad=None, block_table=None, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                            rotary_interleaved=True, alibi_slopes=None, num_splits=0, return_softmax_lse=False):
    """Attention over a cache, to which k and v (where given) are added first, in place, turned by their positions.

    cache_batch_idx names the row of the cache of each sequence: to FADE it is a table of one page a sequence. cache_leftpad: [batch],
    where each sequence begins in its cache; its positions count from the begin of the cache. Queries that are not causal and have no
    window all turn by the position of the first new key, as in flash_attn.
    """
    _check(q, k_cache, v_cache)
    if cache_batch_idx is not None and block_table is not None:
        raise Error('cache_batch_idx', 'given', 'a cache with a block_table has no rows of a batch')
    if (k is None) != (v is None) or (k is not None and cache_seqlens is None):
        raise Error('cache_seqlens' if k is not None and v is not None else 'v', 'None', 'new keys and values come together, with cache_seqlens')
    batch = q.shape[0]
    held = _held(cache_seqlens, batch, q.device)
    table = _whole(block_table if cache_batch_idx is None else cache_batch_idx.reshape(batch, 1))
    q = _plain(q)
    if k is not None:
        q = _append(q, _plain(k), _plain(v), k_cache, v_cache, rotary_cos, rotary_sin, held, table, rotary_interleaved,
                    causal or tuple(window_size) != (-1, -1))
        held = held + k.shape[1]
    elif rotary_cos is not None:
        raise Error('rotary_cos', 'given', 'flash_attn turns queries where new keys come with them')
    o, lse = fade.attention(q, k_cache, v_cache, causal='bottom-right' if causal else None, window=tuple(window_size), scale=softmax_scale,
                            softcap=softcap, alibi=_slopes(alibi_slopes), counts_k=held, starts_k=_whole(cache_leftpad), block_table=table,
                            split_kv=num_splits if q.is_cuda else 0, return_lse=True)
    return (o, _infinite(lse)) if return_softmax_lse else o


def _whole(numbers: Tensor | None) -> Tensor | None:
    return numbers if numbers is None else numbers.to(torch.int32).contiguous()


def _held(cache_seqlens, batch: int, device) -> Tensor | None:
    if isinstance(cache_seqlens, int):
        return torch.full((batch,), cache_seqlens, dtype=torch.int32, device=device)
    return _whole(cache_seqlens)


def _tables(cos: Tensor, sin: Tensor, as_: Tensor) -> tuple[Tensor, Tensor]:
    """Tables of float32 or of the type of what turns are read as they are, where rows of both lie equally far apart."""
    cos, sin = (x if x.dtype in (as_.dtype, torch.float32) else x.float() for x in (cos, sin))
    if cos.stride() == sin.stride() and cos.stride(-1) == 1 and cos.stride(0) >= cos.shape[-1]:
        return cos, sin
    return cos.contiguous(), sin.contiguous()


def _append(q, k, v, k_cache, v_cache, cos, sin, held, table, interleaved, positions_differ):
    """The queries, turned; the cache holds the new keys and values then."""
    if cos is None:
        fade.append_kv(k, v, k_cache, v_cache, cache_lengths=held, block_table=table)
        return q
    cos, sin = _tables(cos, sin, k)
    turn = dict(cos=cos, sin=sin, interleaved=interleaved)
    if q.shape[1] == k.shape[1] and (q.shape[1] == 1 or positions_differ):
        return fade.append_kv(k, v, k_cache, v_cache, q=q, cache_lengths=held, block_table=table, **turn)
    fade.append_kv(k, v, k_cache, v_cache, cache_lengths=held, block_table=table, **turn)
    positions = held[:, None].expand(-1, q.shape[1])
    if positions_differ:
        positions = positions + torch.arange(q.shape[1], dtype=torch.int32, device=q.device)
    turned = q.clone(memory_format=torch.contiguous_format)          # a query beyond the tables stays as it is
    first = turned[..., :2 * cos.shape[1]]                           # the rest does not turn, whatever its length
    fade.rotary(first, out=first, positions=positions.contiguous(), **turn)
    return turned


flash_attn_interface = sys.modules[__name__]
