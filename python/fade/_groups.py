"""Products of groups of rows, and the steps of a mixture of experts around them."""
from __future__ import annotations

from typing import Any, Sequence

from ._error import Error
from ._gemm import columns_of, stage
from ._report import answered
from ._tensors import framework, name_of, where

SCORINGS = {'softmax': 0, 'sigmoid': 1}


def _dimensions(argument: str, t, wanted: int, meaning: str) -> None:
    if len(t.shape) != wanted:
        raise Error(argument, f'of shape {list(t.shape)}', f'it is {meaning}')


def _made(of, like, out, shape, out_dtype):
    return of.empty(like, shape, None if out_dtype is None else name_of(out_dtype)) if out is None else out


def grouped_gemm(a: Any, b: Any, ends: Any, *, row_list: Any = None, c: Any = None, alpha: float = 1.0, beta: float | None = None,
                 epilogue: Sequence = (), out: Any = None, out_dtype: Any = None, check_indices: bool | None = None, device: Any = None,
                 strict: bool = False, return_report: bool = False) -> Any:
    """D = epilogue(alpha * a @ b[g] + beta * c) for the rows of each group g, whose b is its own.

    a: [rows, k]; b: [groups, k, n], whose matrices may be transposed views (of weights [groups, n, k]); ends: [groups] int32, the
    row behind the last one of each group, which may not fall; c and the result [rows, n]. Rows behind the last end are not
    written: in a new result they hold anything. row_list: [rows] int32, of each row of D the row of a, which then has as many as
    it likes; a row may be named by many. Types: float32, float16, bfloat16; results of the same or float32. Sums are float32,
    rounded once at the end.
    epilogue: as of gemm(), gates too; matrices have the rows of all groups, bias is one for all, and batch_bias is [groups, n].
    beta is 1 where c is given. check_indices: True: the first wrong end or row is an error, which on a GPU waits for the stream;
    False: nobody looks, ends are cut off at 0 and rows, and a row that a has not is read as zeros; None: the host and emulated
    devices look, and GPUs do not. out may be c. Raises fade.Error, with nothing written.
    """
    of = framework(a)
    of.check(a, b, c)
    _dimensions('a', a, 2, 'a matrix')
    _dimensions('b', b, 3, 'a matrix for each group')
    rows = a.shape[0] if row_list is None else row_list.shape[0]
    out = _made(of, a, out, (rows, columns_of(b.shape[2], epilogue)), out_dtype)
    on, stream = where(of, a, device)
    said = on.grouped_gemm(a, b, c, out, ends, row_list, [stage(s) for s in epilogue], alpha,
                           (0.0 if c is None else 1.0) if beta is None else beta, -1 if check_indices is None else int(bool(check_indices)),
                           stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def grouped_k_gemm(a: Any, b: Any, ends: Any, *, c: Any = None, alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (),
                   out: Any = None, out_dtype: Any = None, check_indices: bool | None = None, device: Any = None, strict: bool = False,
                   return_report: bool = False) -> Any:
    """D[g] = epilogue(alpha * a[rows of g].T @ b[rows of g] + beta * c[g]): gradients of the weights of experts.

    a: [rows, m]; b: [rows, n]; ends: [groups] int32, as grouped_gemm() takes them: a group may be empty, and rows behind the last
    end are no group's. c and the result: [groups, m, n]; c may be [m, n], one for all groups. Types: float32, float16, bfloat16;
    results of the same or float32. Sums are float32, rounded once at the end.
    epilogue: as of gemm(), gates too, behind which the result is [groups, m, n / 2]; bias is one for all groups, and batch_bias is
    [groups, n]. beta is 1 where c is given. check_indices: as of grouped_gemm(). out may be c. Raises fade.Error, with nothing
    written.
    """
    of = framework(a)
    of.check(a, b, c)
    _dimensions('a', a, 2, 'a matrix')
    _dimensions('b', b, 2, 'a matrix')
    _dimensions('ends', ends, 1, 'a row for each group')
    out = _made(of, a, out, (ends.shape[0], a.shape[1], columns_of(b.shape[1], epilogue)), out_dtype)
    on, stream = where(of, a, device)
    said = on.grouped_k_gemm(a, b, c, out, ends, [stage(s) for s in epilogue], alpha, (0.0 if c is None else 1.0) if beta is None else beta,
                             -1 if check_indices is None else int(bool(check_indices)), stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def moe_route(logits: Any, top_k: int, *, scoring: str = 'softmax', renormalize: bool = True, weight_scale: float = 1.0,
              device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(choices, weights): the experts of each token's top_k largest logits, the largest first, and what they count for.

    logits: [tokens, experts] of float32, float16, bfloat16; choices: [tokens, top_k] int32; weights: [tokens, top_k] float32.
    top_k: 1 to 64. scoring: weights are 'softmax' over all experts, or 'sigmoid', of the logits; renormalize divides those of a
    token by their sum, and weight_scale is a factor of all after that. Of equal logits the first expert comes first, and NaN
    before all numbers. Raises fade.Error, with nothing written.
    """
    of = framework(logits)
    of.check(logits)
    _dimensions('logits', logits, 2, '[tokens, experts]')
    if scoring not in SCORINGS:
        raise Error('scoring', repr(scoring), f'it is one of {", ".join(SCORINGS)}')
    if not isinstance(top_k, int) or not 1 <= top_k <= 64:
        raise Error('top_k', repr(top_k), 'it must be between 1 and 64')
    shape = (logits.shape[0], top_k)
    choices, weights = of.empty(logits, shape, 'int32'), of.empty(logits, shape, 'float32')
    on, stream = where(of, logits, device)
    said = on.moe_route(logits, choices, weights, SCORINGS[scoring], renormalize, float(weight_scale), stream, strict, return_report)
    return answered((of.finished(choices), of.finished(weights)), said, return_report)


def moe_dispatch(choices: Any, experts: int, *, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(ends, row_list, slots): the choices of all tokens sorted by expert, those of one expert in the order of their tokens.

    choices: [tokens, top_k] int32, of moe_route(). All results are int32. ends: [experts], the row behind each expert's last;
    row_list: [tokens * top_k], the token of each row: both as grouped_gemm() takes them. slots: [tokens, top_k], the row of each
    choice, as moe_combine() takes them. A choice outside the experts is dropped: its slot is -1, and entries of row_list behind
    the last end hold anything. Raises fade.Error, with nothing written.
    """
    of = framework(choices)
    _dimensions('choices', choices, 2, '[tokens, top_k]')
    if not isinstance(experts, int) or not 0 <= experts <= 65535:
        raise Error('experts', repr(experts), 'it must be between 0 and 65535')
    tokens, top_k = choices.shape
    ends, slots = of.empty(choices, (experts,), 'int32'), of.empty(choices, (tokens, top_k), 'int32')
    row_list = of.empty(choices, (tokens * top_k,), 'int32')
    on, stream = where(of, choices, device)
    said = on.moe_dispatch(choices, ends, row_list, slots, stream, strict, return_report)
    return answered((of.finished(ends), of.finished(row_list), of.finished(slots)), said, return_report)


def moe_combine(x: Any, slots: Any, weights: Any = None, *, out: Any = None, out_dtype: Any = None, device: Any = None,
                strict: bool = False, return_report: bool = False) -> Any:
    """y[t] = the sum over j of weights[t, j] * x[slots[t, j]], in float32 and in the order of j.

    x: [rows, columns] of float32, float16, bfloat16; slots: [tokens, top_k] int32, of moe_dispatch(); weights: [tokens, top_k]
    float32, of moe_route(), or None for 1; the result [tokens, columns] of x's type or float32. A slot outside the rows adds
    nothing. Raises fade.Error, with nothing written.
    """
    of = framework(x)
    of.check(x, weights)
    _dimensions('x', x, 2, '[rows, columns]')
    _dimensions('slots', slots, 2, '[tokens, top_k]')
    out = _made(of, x, out, (slots.shape[0], x.shape[1]), out_dtype)
    on, stream = where(of, x, device)
    said = on.moe_combine(x, slots, weights, out, stream, strict, return_report)
    return answered(of.finished(out), said, return_report)
