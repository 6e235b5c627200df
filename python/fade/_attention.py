"""Attention, the cache of keys and values, and 8-bit floats."""
from __future__ import annotations

import functools
from typing import Any, TypeVar

from . import _c
from ._devices import local as local_devices
from ._error import Error
from ._report import answered
from ._tensors import framework, name_of, where
from ._tuned import asked

Function = TypeVar('Function')
CAUSAL = {None: 0, False: 0, 'bottom-right': 1, 'top-left': 2}


def causal_number(causal) -> int:
    """Of True there are two meanings, so it is refused."""
    number = CAUSAL.get(causal)
    if number is None:
        raise Error('causal', repr(causal), "it is 'bottom-right' (the last query sees the last key), 'top-left' (query i sees keys 0 to "
                    'i) or None')
    return number


def quick(function: Function, causes=CAUSAL, watchers=None) -> Function:
    """What answers usual calls on tensors of PyTorch without Python's sorting of many arguments, and leaves the others to the function.
    causes: the numbers of what `causal` may be; watchers: of an operator, functions of which each says whether PyTorch wants to see it now."""
    return functools.update_wrapper(_c.Quick(function, local_devices, causes, watchers), function)


@quick
def attention(q: Any, k: Any, v: Any, *, causal: str | None = None, window: tuple[int, int] = (-1, -1), scale: float | None = None,
              softcap: float = 0.0, dropout: float = 0.0, seed: int = 0, offset: int = 0, alibi: Any = None, bias: Any = None,
              sink: Any = None, lengths_q: Any = None, lengths_k: Any = None, longest_q: int = 0, longest_k: int = 0, counts_q: Any = None,
              counts_k: Any = None, starts_k: Any = None, block_table: Any = None, scale_q: Any = None, scale_k: Any = None, scale_v: Any = None, out: Any = None,
              out_dtype: Any = None, return_lse: bool = False, split_kv: int = 0, check_indices: bool | None = None, tuned: Any = None, device: Any = None,
              strict: bool = False, return_report: bool = False) -> Any:
    """softmax(rules(scale * q k^T)) v, exact, without a matrix of queries x keys.

    q: [batch, queries, heads, dim], k: [batch, keys, kv_heads, dim], v: the same with a dim of its own; the result
    [batch, queries, heads, dim of v]. heads is a multiple of kv_heads. Views (transposes, slices) are read as they lie, as
    long as the elements of a head lie side by side. Types: float32, float16, bfloat16; 8-bit floats e4m3 give bfloat16.

    causal: 'bottom-right' or 'top-left'. window: keys seen left and right of a query's own position, -1 for all. scale: None for
    1 / sqrt(dim). softcap c > 0: scores become c tanh(score / c). alibi: [heads] or [batch, heads] float32 slopes. bias: float32 [batch, heads,
    queries, keys], of which all but the keys may be 1: shared. sink: [heads] float32. dropout: a probability, with seed and offset.
    Sequences packed one after the other: lengths_q and lengths_k, [batch + 1] int32 where they begin, with longest_q and
    longest_k; q is [tokens, heads, dim] then. counts_q, counts_k: [batch] int32, how much of each batch is there. starts_k: [batch]
    int32, the first key of each sequence: those before it are not there. block_table: [batch, pages] int32; k and v are [page, positions, kv_heads, dim] then. scale_q, scale_k, scale_v: factors of 8-bit floats,
    [1] or one a head.
    return_lse adds [batch, heads, queries] float32. split_kv: workgroups that share keys, 0 for the selector's number.
    check_indices: True refuses wrong lengths and tables (a GPU waits for it). tuned: a fade.tune.Database that is asked for a policy.
    Raises fade.Error, with nothing written.
    """
    of = framework(q)
    of.check(q, k, v)
    if lengths_q is not None and longest_q <= 0 or lengths_k is not None and block_table is None and longest_k <= 0:
        raise Error('longest_q' if lengths_q is not None and longest_q <= 0 else 'longest_k', '0', 'with cumulative lengths it is the longest sequence')
    if out is None:
        out = of.makers or of.beside(q, v) if out_dtype is None else of.empty(q, (*q.shape[:-1], v.shape[-1]), name_of(out_dtype))
    lse = None
    if return_lse:
        rows = (len(lengths_q) - 1, q.shape[1], longest_q) if lengths_q is not None else (q.shape[0], q.shape[2], q.shape[1])
        lse = of.empty(q, rows, 'float32')
    on, stream = where(of, q, device)
    left, right = window
    if alibi is sink is lengths_q is lengths_k is counts_q is counts_k is starts_k is block_table is scale_q is scale_k is scale_v is check_indices is tuned is None \
            and not (strict or return_report or offset or split_kv or longest_q or longest_k):
        made = on.attention(q, k, v, out, lse, bias, causal_number(causal), left, right, scale or 0.0, softcap, dropout, seed, stream)
        if made is not None:
            out = made
        return (of.finished(out), of.finished(lse)) if return_lse else of.finished(out)
    if out is of.makers:
        out = of.beside(q, v)
    said = on.attention(q, k, v, out, lse, bias, causal_number(causal), left, right, scale or 0.0, softcap, dropout, seed, stream, strict,
                        return_report, offset, split_kv, -1 if check_indices is None else int(check_indices), longest_q, longest_k, alibi, sink,
                        lengths_q, lengths_k, counts_q, counts_k, starts_k, block_table, scale_q, scale_k, scale_v, *asked(tuned, on))
    if tuned is not None:
        tuned.hear(said)
    result = (of.finished(out), of.finished(lse)) if return_lse else of.finished(out)
    return answered(result, said, return_report)


def append_kv(new_k: Any, new_v: Any, k: Any, v: Any, *, q: Any = None, q_out: Any = None, cos: Any = None, sin: Any = None,
              interleaved: bool = False, cache_lengths: Any = None, new_lengths: Any = None, longest_new: int = 0, block_table: Any = None,
              device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """Writes new keys and values behind what the caches k and v hold, and turns keys and queries by their positions.

    new_k, new_v: [batch, tokens, kv_heads, dim]; k, v: [batch, capacity, kv_heads, dim], or with block_table ([batch, pages]
    int32) [page, positions, kv_heads, dim]. cache_lengths: [batch] int32, what each sequence holds before the call (it stays as
    it is). cos, sin: [positions, rotary_dim / 2] of float32 or new_k's type, whose rows may lie apart, equally far in both (the halves
    of a table of cos | sin); interleaved: elements 2 i and 2 i + 1 turn together, else i and i + rotary_dim / 2. q: [batch, tokens,
    heads, dim], turned into q_out, which is new where it is not given, and may be q where the cache has q's type.
    new_lengths: [batch + 1] int32 of packed new tokens, with longest_new. Caches may have the type of new_k, or be 8-bit floats.
    Returns q_out, or None without q. Raises fade.Error, with nothing written.
    """
    of = framework(new_k)
    of.check(new_k, new_v, k, v, q)
    if q is not None and q_out is None:
        q_out = of.empty(q, tuple(q.shape), of.dtype_name(k))
    on, stream = where(of, new_k, device)
    said = on.append_kv(new_k, new_v, k, v, q, q_out, cos, sin, cache_lengths, new_lengths, block_table, interleaved, longest_new, stream, strict,
                        return_report)
    return answered(of.finished(q_out) if q is not None else None, said, return_report)


def _rotary(x, cos, sin, positions, first_position, interleaved, gradient, out, device, strict, return_report):
    of = framework(x)
    of.check(x, cos, sin)
    if out is None:
        out = of.empty(x, tuple(x.shape), None)
    on, stream = where(of, x, device)
    said = on.rotary(x, out, cos, sin, positions, interleaved, first_position, gradient, stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def rotary(x: Any, cos: Any, sin: Any, *, positions: Any = None, first_position: int = 0, interleaved: bool = False, out: Any = None,
           device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """Heads whose pairs of elements turn by the positions of their tokens.

    x: [batch, tokens, heads, dim], or [tokens, heads, dim]. cos, sin: [positions, rotary_dim / 2] of float32 or x's type, whose rows
    may lie apart, equally far in both (the halves of a table of cos | sin), or repeat; elements from rotary_dim on are copied.
    positions: int32, one for each token, [batch, tokens] or [tokens]; without it they count from first_position in each batch.
    interleaved: elements 2 i and 2 i + 1 turn together, else i and i + rotary_dim / 2. out may be x.
    A token whose position lies outside the tables is not written.
    """
    return _rotary(x, cos, sin, positions, first_position, interleaved, False, out, device, strict, return_report)


def rotary_gradient(dy: Any, cos: Any, sin: Any, *, positions: Any = None, first_position: int = 0, interleaved: bool = False,
                    out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The gradient of rotary()'s x from that of its result: the same pairs turned back."""
    return _rotary(dy, cos, sin, positions, first_position, interleaved, True, out, device, strict, return_report)


def quantize(x: Any, *, dtype: Any = 'float8_e4m3fn', per_head: bool = False, out: Any = None, scales: Any = None, device: Any = None,
             strict: bool = False, return_report: bool = False) -> Any:
    """(elements, factors) of a tensor in 8-bit floats: x is elements * factor, nearly.

    x: [batch, positions, heads, dim] of float32, float16 or bfloat16. factors: [1], or [heads] with per_head; float32.
    """
    of = framework(x)
    of.check(x)
    if out is None:
        out = of.empty(x, tuple(x.shape), name_of(dtype))
    if scales is None:
        scales = of.empty(x, (x.shape[2] if per_head and len(x.shape) == 4 else 1,), 'float32')
    on, stream = where(of, x, device)
    said = on.quantize(x, out, scales, per_head, stream, strict, return_report)
    return answered((of.finished(out), of.finished(scales)), said, return_report)
