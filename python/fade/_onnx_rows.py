"""ONNX's operators over rows: softmax, losses, normalisations, reductions, largest elements."""
from __future__ import annotations

import numpy as np

import fade

from ._onnx_call import contiguous, in_float32, lacks, operator
from ._onnx_elements import staged
from ._onnx_numpy import by_reference


def along(call, f, x, axis):
    """f of the rows of an axis."""
    call.reals(x)
    rows = contiguous(np.moveaxis(x, axis, -1))
    return np.moveaxis(f(rows, device=call.device), -1, axis)


@operator
def Softmax(call):
    return softened(call, fade.softmax)


@operator
def LogSoftmax(call):
    return softened(call, fade.log_softmax)


def softened(call, f):
    x = call.input(0)
    if call.opset >= 13:
        return along(call, f, x, call['axis', -1])
    axis = call['axis', 1] % max(x.ndim, 1)      # before opset 13 all dimensions from the axis on were one row
    return along(call, f, x.reshape(int(np.prod(x.shape[:axis])), -1), -1).reshape(x.shape)


@operator
def Hardmax(call):
    x = call.input(0)
    axis = call['axis', -1 if call.opset >= 13 else 1] % max(x.ndim, 1)
    rows = x if call.opset >= 13 else x.reshape(int(np.prod(x.shape[:axis])), -1)
    at = along(call, fade_argmax, rows, axis if call.opset >= 13 else -1)
    out = np.zeros_like(rows)
    np.put_along_axis(out, at.astype(np.int64), 1, axis if call.opset >= 13 else -1)
    return out.reshape(x.shape)


@operator
def SoftmaxCrossEntropyLoss(call):
    x = call.input(0)
    scores = contiguous(along(call, fade.log_softmax, x, 1))
    return picked(call, scores, *call.inputs[1:]), (scores if call.wants(1) else None)


@operator
def NegativeLogLikelihoodLoss(call):
    return picked(call, *call.inputs)


def picked(call, scores, labels, weight=None):
    """Minus the scores of the labels, weighted and reduced by NumPy: [batch, classes, ...] and [batch, ...]."""
    ignored = labels == call['ignore_index', None] if call['ignore_index', None] is not None else np.zeros(labels.shape, bool)
    inside = np.where(ignored, 0, labels)
    if ((inside < 0) | (inside >= scores.shape[1])).any():
        lacks(f'{call.node.op_type} of labels that are no classes')
    share = np.where(ignored, 0, 1 if weight is None else weight[inside]).astype(scores.dtype)
    loss, how = -share * np.take_along_axis(scores, inside[:, None], 1)[:, 0], call['reduction', 'mean']
    if how == 'none':
        return loss
    return np.asarray(loss.sum() / share.sum() if how == 'mean' else loss.sum(), scores.dtype)


@operator
def LayerNormalization(call):
    x, weight, bias = call.input(0), call.input(1), call.input(2)
    rows, weight, bias, shape, lead = norm_rows(call, x, weight, bias)
    n = fade.layer_norm(rows, weight, bias, epsilon=call['epsilon', 1e-5], for_gradient=True, device=call.device)
    return n.y.reshape(shape), n.mean.reshape(lead), n.inverse_root.reshape(lead)


@operator
def RMSNormalization(call):
    rows, weight, _, shape, _ = norm_rows(call, call.input(0), call.input(1), None)
    return fade.rms_norm(rows, weight, epsilon=call['epsilon', 1e-5], device=call.device).reshape(shape)


def norm_rows(call, x, weight, bias):
    call.reals(x, weight, bias)
    axis = call['axis', -1] % x.ndim
    columns = int(np.prod(x.shape[axis:]))
    flat = [None if t is None else contiguous(np.broadcast_to(t, x.shape[axis:])).reshape(columns) for t in (weight, bias)]
    return contiguous(x).reshape(-1, columns), *flat, x.shape, x.shape[:axis] + (1,) * (x.ndim - axis)


def axes_of(call, x):
    axes = call.input(1) if call.input(1) is not None else call['axes', None]
    if axes is None or len(axes) == 0:
        return () if call['noop_with_empty_axes', 0] else tuple(range(x.ndim))
    return tuple(int(a) % x.ndim for a in axes)


def real_sums(call, x):
    """Reductions of float64 are those of lists."""
    if x.dtype != np.float64:
        call.reals(x)


def by_segments(call, f, rows):
    ends = np.arange(rows.shape[0] + 1, dtype=np.int32) * rows.shape[1]
    found = fade.reduce(rows.reshape(-1), 'max' if f is fade.max else 'sum', offsets=ends, device=call.device)
    return found / rows.shape[1] if f is fade.mean else found


def reduced(call, f, keep=None):
    x = call.input(0)
    if x.dtype == bool and f is fade.max:        # 0 and 1 are exact
        call.inputs[0] = x.astype('float32')
        return reduced(call, f) > 0
    if x.dtype.kind in 'iu':                     # those of shapes
        return by_reference(call)
    real_sums(call, x)
    axes = axes_of(call, x)
    if not axes:
        return x
    kept = [i for i in range(x.ndim) if i not in axes]
    count, columns = (int(np.prod([x.shape[i] for i in some])) for some in (kept, axes))
    if not columns and f is fade.max:
        out = np.full(count, -np.inf, x.dtype)   # what ONNX says of nothing
    else:
        rows = contiguous(x.transpose(*kept, *axes)).reshape(count, columns)
        out = by_segments(call, f, rows) if x.dtype == np.float64 else f(rows, device=call.device)
    keep = call['keepdims', 1] if keep is None else keep
    return out.reshape([1 if i in axes else x.shape[i] for i in range(x.ndim)] if keep else [x.shape[i] for i in kept])


@operator
def ReduceSum(call):
    return reduced(call, fade.sum)


def reduced_real(call, before, after=lambda sums: sums):
    """The sum of what `before` makes of real numbers, and what `after` makes of it."""
    real_sums(call, call.input(0))
    call.inputs[0] = before(call.input(0))
    return after(reduced(call, fade.sum))


@operator
def ReduceSumSquare(call):
    return reduced_real(call, lambda x: staged(call, ('mul', x)))


@operator
def ReduceL1(call):
    return reduced_real(call, np.abs)


@operator
def ReduceL2(call):
    return reduced_real(call, lambda x: staged(call, ('mul', x)), np.sqrt)


def log(sums):
    with np.errstate(divide='ignore'):           # that of nothing is minus infinity
        return np.log(sums)


@operator
def ReduceLogSum(call):
    return reduced_real(call, lambda x: x, log)


@operator
def ReduceLogSumExp(call):
    x = call.input(0)
    real_sums(call, x)
    most = reduced(call, fade.max, keep=True)
    most = np.where(np.isfinite(most), most, 0).astype(x.dtype)
    return reduced_real(call, lambda x: np.exp(x - most), lambda sums: log(sums) + most.reshape(sums.shape))


@operator
def ReduceMean(call):
    return reduced(call, fade.mean)


@operator
def ReduceMax(call):
    return reduced(call, fade.max)


@operator
def ReduceMin(call):
    x = call.input(0)
    if x.dtype == bool:
        call.inputs[0] = ~x
        return ~ReduceMax(call)
    if x.dtype.kind in 'iu':
        return by_reference(call)
    real_sums(call, x)
    call.inputs[0] = -x
    return -ReduceMax(call)


@operator
def ArgMin(call):
    call.reals(call.input(0))
    call.inputs[0] = -call.input(0)
    return ArgMax(call)


@operator
def ArgMax(call):
    x = call.input(0)
    call.reals(x)
    axis, last = call['axis', 0], call['select_last_index', 0]
    at = along(call, fade_argmax, np.flip(x, axis) if last else x, axis).astype(np.int64)
    if last:
        at = x.shape[axis] - 1 - at
    return at if call['keepdims', 1] else at.squeeze(call['axis', 0])


def fade_argmax(rows, device):
    return fade.argmax(rows, device=device)[..., None]


def by_lists(rows, k, device):
    """As fade.top_k, whose k ends at 64: each row is a list of its own."""
    found = [fade.list_top_k(row, k, device=device) for row in rows.reshape(-1, rows.shape[-1])]
    return tuple(np.stack(t).reshape(*rows.shape[:-1], k) for t in zip(*found))


@operator
def TopK(call):
    x, axis = call.input(0), call['axis', -1]
    k = call['k', None] if call.opset < 10 else int(call.input(1).reshape(-1)[0])
    if x.dtype.kind in 'iu':
        call.inputs[0] = in_float32(call, x)
        values, places = TopK(call)
        return values.astype(x.dtype), places
    call.reals(x)
    if k < 1:
        lacks(f'TopK of {k}')
    rows = contiguous(np.moveaxis(x, axis, -1))
    values, places = (fade.top_k if k <= 64 else by_lists)(rows if call['largest', 1] else -rows, k, device=call.device)
    if not call['largest', 1]:
        values = -values
    return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis).astype(np.int64)
