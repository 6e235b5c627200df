"""Operators of PyTorch for lists of matrices, quantised weights, scales of blocks, groups of rows and mixtures of experts. Lists of
matrices and groups of rows have gradients: elsewhere a tensor that needs one is refused."""
from __future__ import annotations

from typing import Sequence

import torch

import fade

from ._error import Error
from ._gemm import columns_of
from ._torch_library import fake, gradient, operator
from ._weights import columns_of_weights

Tensor = torch.Tensor


def _stages(kind: str, values: Tensor | None, activation: str) -> list:
    return ([(kind, values)] if values is not None else []) + ([activation] if activation else [])


def _some(argument: str, matrices):
    if not matrices:
        raise Error(argument, 'empty', 'a batch has one matrix at least, which says the type and the shape of all')


# Without defaults: of lists, PyTorch 2.11 takes gradients only for as many arguments as it passed on, and it leaves out defaults.
@operator('batched_gemm(Tensor[] a, Tensor[] b, Tensor? batch_bias, float alpha, str activation) -> Tensor')
def _batched_gemm(a, b, batch_bias, alpha, activation):
    out = _batched_result(a, b, batch_bias, alpha, activation)
    fade.batched_gemm(a, b, alpha=alpha, epilogue=_stages('batch_bias', batch_bias, activation), out=out)
    return out


@fake('batched_gemm')
def _batched_result(a, b, batch_bias, alpha, activation):
    _some('b', b)
    return a[0].new_empty((len(a), a[0].shape[0], columns_of(b[0].shape[1], [activation])))


def _keep_batched_gemm(ctx, inputs, output):
    a, b, bias, ctx.alpha, ctx.activation = inputs
    ctx.count, ctx.with_bias = len(a), bias is not None
    ctx.save_for_backward(*a, *b)


def _batched_gemm_backward(ctx, dd):
    if ctx.activation:
        raise Error('activation', repr(ctx.activation), 'batched_gemm has a gradient without an activation; apply it behind')
    a, b, d = ctx.saved_tensors[:ctx.count], ctx.saved_tensors[ctx.count:], dd.contiguous().unbind()
    wants_a, wants_b = (any(wanted) for wanted in ctx.needs_input_grad[:2])
    da = _batched_gemm(d, [x.t() for x in b], None, ctx.alpha, '').unbind() if wants_a else [None] * ctx.count
    db = _batched_gemm([x.t() for x in a], d, None, ctx.alpha, '').unbind() if wants_b else [None] * ctx.count
    return list(da), list(db), dd.sum(1) if ctx.with_bias else None, None, None


gradient('batched_gemm', _batched_gemm_backward, _keep_batched_gemm)


# Defaults are those of the schema: PyTorch does not pass on arguments that have them.
@operator("weight_gemm(Tensor a, Tensor weights, Tensor scales, Tensor? zeros=None, Tensor? bias=None, str format='gptq', float alpha=1.0, "
          "str activation='', int group=0) -> Tensor")
def _weight_gemm(a, weights, scales, zeros=None, bias=None, format='gptq', alpha=1.0, activation='', group=0):
    return fade.weight_gemm(a, weights, scales, zeros, format=format, group=group, alpha=alpha, epilogue=_stages('bias', bias, activation))


@fake('weight_gemm')
def _(a, weights, scales, zeros=None, bias=None, format='gptq', alpha=1.0, activation='', group=0):
    return a.new_empty((a.shape[0], columns_of(columns_of_weights(format, weights, scales), [activation])))


@operator("scaled_gemm(Tensor a, Tensor b, Tensor scale_a, Tensor scale_b, Tensor? bias=None, str activation='') -> Tensor")
def _scaled_gemm(a, b, scale_a, scale_b, bias=None, activation=''):
    return fade.scaled_gemm(a, b, scale_a, scale_b, epilogue=_stages('bias', bias, activation))


@fake('scaled_gemm')
def _(a, b, scale_a, scale_b, bias=None, activation=''):
    return a.new_empty((a.shape[0], columns_of(b.shape[1], [activation])), dtype=torch.bfloat16)


@operator("grouped_gemm(Tensor a, Tensor b, Tensor ends, Tensor? row_list=None, Tensor? batch_bias=None, str activation='') -> Tensor")
def _grouped_gemm(a, b, ends, row_list=None, batch_bias=None, activation=''):
    return fade.grouped_gemm(a, b, ends, row_list=row_list, epilogue=_stages('batch_bias', batch_bias, activation))


@fake('grouped_gemm')
def _(a, b, ends, row_list=None, batch_bias=None, activation=''):
    return a.new_empty(((a if row_list is None else row_list).shape[0], columns_of(b.shape[2], [activation])))


@operator('grouped_k_gemm(Tensor a, Tensor b, Tensor ends) -> Tensor')
def _grouped_k_gemm(a, b, ends):
    return fade.grouped_k_gemm(a, b, ends)


@fake('grouped_k_gemm')
def _(a, b, ends):
    return a.new_empty((ends.shape[0], a.shape[1], b.shape[1]))


def _of_groups(ends, rows):
    """Which rows some group has, [rows, 1]: those behind the last end hold anything."""
    at = torch.arange(rows, device=ends.device)[:, None]
    return at < ends[-1] if ends.shape[0] else at < 0


def _rows_by(a, b, ends):
    """grouped_gemm with zeros behind the last end."""
    return torch.where(_of_groups(ends, a.shape[0]), _grouped_gemm(a, b, ends), 0)


def _keep_grouped_gemm(ctx, inputs, output):
    a, b, ends, row_list, bias, ctx.activation = inputs
    ctx.save_for_backward(a, b, ends, row_list)
    ctx.with_bias = bias is not None


def _grouped_gemm_backward(ctx, dd):
    if ctx.activation:
        raise Error('activation', repr(ctx.activation), 'grouped_gemm has a gradient without an activation; apply it behind')
    a, b, ends, row_list = ctx.saved_tensors
    wants_a, wants_b, wants_bias = ctx.needs_input_grad[0], ctx.needs_input_grad[1], ctx.with_bias and ctx.needs_input_grad[4]
    dd = dd.contiguous()
    places = None if row_list is None else torch.where(_of_groups(ends, dd.shape[0])[:, 0], row_list, 0).long()
    da = _rows_by(dd, b.transpose(1, 2), ends) if wants_a else None
    if wants_a and places is not None:           # rows of a that many name: their sum is rounded once
        da = a.new_zeros(a.shape, dtype=torch.float32).index_add(0, places, da.float()).to(a.dtype)
    db = _grouped_k_gemm(a if places is None else a.index_select(0, places), dd, ends) if wants_b else None
    dbias = _grouped_k_gemm(dd.new_ones((dd.shape[0], 1)), dd, ends)[:, 0] if wants_bias else None
    return da, db, None, None, dbias, None


gradient('grouped_gemm', _grouped_gemm_backward, _keep_grouped_gemm)


def _keep_grouped_k_gemm(ctx, inputs, output):
    ctx.save_for_backward(*inputs)


def _grouped_k_gemm_backward(ctx, dd):
    a, b, ends = ctx.saved_tensors
    dd = dd.contiguous()
    return (_rows_by(b, dd.transpose(1, 2), ends) if ctx.needs_input_grad[0] else None,
            _rows_by(a, dd, ends) if ctx.needs_input_grad[1] else None, None)


gradient('grouped_k_gemm', _grouped_k_gemm_backward, _keep_grouped_k_gemm)


@operator("grouped_weight_gemm(Tensor a, Tensor weights, Tensor scales, Tensor? zeros, Tensor ends, Tensor? row_list=None, Tensor? batch_bias=None, "
          "str format='gptq', float alpha=1.0, str activation='', int group=0) -> Tensor")
def _grouped_weight_gemm(a, weights, scales, zeros, ends, row_list=None, batch_bias=None, format='gptq', alpha=1.0, activation='', group=0):
    return fade.grouped_weight_gemm(a, weights, scales, zeros, ends=ends, row_list=row_list, format=format, group=group, alpha=alpha,
                                    epilogue=_stages('batch_bias', batch_bias, activation))


@fake('grouped_weight_gemm')
def _(a, weights, scales, zeros, ends, row_list=None, batch_bias=None, format='gptq', alpha=1.0, activation='', group=0):
    return a.new_empty(((a if row_list is None else row_list).shape[0], columns_of(columns_of_weights(format, weights, scales), [activation])))


@operator("moe_route(Tensor logits, int top_k, str scoring='softmax', bool renormalize=True, float weight_scale=1.0) -> (Tensor, Tensor)")
def _moe_route(logits, top_k, scoring='softmax', renormalize=True, weight_scale=1.0):
    return fade.moe_route(logits, top_k, scoring=scoring, renormalize=renormalize, weight_scale=weight_scale)


@fake('moe_route')
def _(logits, top_k, scoring='softmax', renormalize=True, weight_scale=1.0):
    return tuple(logits.new_empty((logits.shape[0], top_k), dtype=dtype) for dtype in (torch.int32, torch.float32))


@operator('moe_dispatch(Tensor choices, int experts) -> (Tensor, Tensor, Tensor)')
def _moe_dispatch(choices, experts):
    return fade.moe_dispatch(choices, experts)


@fake('moe_dispatch')
def _(choices, experts):
    return choices.new_empty((experts,)), choices.new_empty((choices.shape[0] * choices.shape[1],)), torch.empty_like(
        choices, memory_format=torch.contiguous_format)


@operator('moe_combine(Tensor x, Tensor slots, Tensor? weights=None) -> Tensor')
def _moe_combine(x, slots, weights=None):
    return fade.moe_combine(x, slots, weights)


@fake('moe_combine')
def _(x, slots, weights=None):
    return x.new_empty((slots.shape[0], x.shape[1]))


def batched_gemm(a: Sequence[Tensor], b: Sequence[Tensor], *, batch_bias: Tensor | None = None, alpha: float = 1.0,
                 activation: str | None = None) -> Tensor:
    """activation(alpha * a[i] @ b[i] + batch_bias[i]) as torch.ops.fade.batched_gemm, [batch, m, n]: as many a [m, k] as b [k, n], of one
    shape, type and layout each, which lie anywhere; batch_bias [batch, n]. activation may be a gate ('swiglu'), which leaves n / 2
    columns; with one there are no gradients. A matrix that both lists name more than once gets the sum of its gradients."""
    _some('a', a)
    return _batched_gemm(a, b, batch_bias, alpha, activation or '')


def weight_gemm(a: Tensor, weights: Tensor, scales: Tensor, zeros: Tensor | None = None, *, format: str = 'gptq', group: int = 0,
                bias: Tensor | None = None, alpha: float = 1.0, activation: str | None = None) -> Tensor:
    """activation(alpha * a @ W + bias) as torch.ops.fade.weight_gemm: a [m, k] of float16 or bfloat16, bias [n]; weights, scales,
    zeros and group as fade.weight_gemm has them for each format; the result [m, n]. activation may be a gate ('swiglu'), which
    leaves n / 2 columns."""
    return _weight_gemm(a, weights, scales, zeros, bias, format, alpha, activation or '', group)


def scaled_gemm(a: Tensor, b: Tensor, scale_a: Tensor, scale_b: Tensor, *, bias: Tensor | None = None, activation: str | None = None) -> Tensor:
    """activation(a @ b + bias) in bfloat16 as torch.ops.fade.scaled_gemm: a [m, k] and b [k, n] of one 8-bit float, scale_a [m, k / 128],
    scale_b [n / 128, k / 128], bias [n] of bfloat16. activation may be a gate ('swiglu'), which leaves n / 2 columns."""
    return _scaled_gemm(a, b, scale_a, scale_b, bias, activation or '')


def grouped_gemm(a: Tensor, b: Tensor, ends: Tensor, *, row_list: Tensor | None = None, batch_bias: Tensor | None = None,
                 activation: str | None = None) -> Tensor:
    """activation(a @ b[g] + batch_bias[g]) for the rows of each group as torch.ops.fade.grouped_gemm: a [rows, k], b [groups, k, n],
    ends [groups] int32, row_list [rows] int32, batch_bias [groups, n]. activation may be a gate ('swiglu'), which leaves n / 2 columns;
    with one there are no gradients."""
    return _grouped_gemm(a, b, ends, row_list, batch_bias, activation or '')


def grouped_k_gemm(a: Tensor, b: Tensor, ends: Tensor) -> Tensor:
    """a[rows of g].T @ b[rows of g] of each group as torch.ops.fade.grouped_k_gemm, [groups, m, n]: a [rows, m], b [rows, n],
    ends [groups] int32; zeros of a group without rows."""
    return _grouped_k_gemm(a, b, ends)


def grouped_weight_gemm(a: Tensor, weights: Tensor, scales: Tensor, zeros: Tensor | None = None, *, ends: Tensor, row_list: Tensor | None = None,
                        format: str = 'gptq', group: int = 0, batch_bias: Tensor | None = None, alpha: float = 1.0,
                        activation: str | None = None) -> Tensor:
    """activation(alpha * a @ W[g] + batch_bias[g]) for the rows of each group as torch.ops.fade.grouped_weight_gemm: a [rows, k] of float16
    or bfloat16, weights, scales and zeros as fade.grouped_weight_gemm has them, the rest as of grouped_gemm()."""
    return _grouped_weight_gemm(a, weights, scales, zeros, ends, row_list, batch_bias, format, alpha, activation or '', group)


def moe_route(logits: Tensor, top_k: int, *, scoring: str = 'softmax', renormalize: bool = True, weight_scale: float = 1.0) -> tuple[Tensor, Tensor]:
    """fade.moe_route as torch.ops.fade.moe_route: (choices [tokens, top_k] int32, weights [tokens, top_k] float32)."""
    return _moe_route(logits, top_k, scoring, renormalize, weight_scale)


def moe_dispatch(choices: Tensor, experts: int) -> tuple[Tensor, Tensor, Tensor]:
    """fade.moe_dispatch as torch.ops.fade.moe_dispatch: (ends [experts], row_list [tokens * top_k], slots [tokens, top_k]), int32."""
    return _moe_dispatch(choices, experts)


def moe_combine(x: Tensor, slots: Tensor, weights: Tensor | None = None) -> Tensor:
    """fade.moe_combine as torch.ops.fade.moe_combine: [tokens, columns] of x's type."""
    return _moe_combine(x, slots, weights)
