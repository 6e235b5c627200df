"""Operators of rows: the last dimension of a tensor is a row."""
from __future__ import annotations

from typing import Any, NamedTuple

from ._error import Error
from ._report import answered
from ._tensors import framework, name_of, where
from ._tuned import asked


class Normed(NamedTuple):
    """All results of a norm; those that were not asked for are None."""

    y: Any
    sum: Any           #: x + residual
    scales: Any        #: [rows] float32, where y has 8 bits: the norm is y * scale
    mean: Any          #: [rows] float32, of layer_norm
    inverse_root: Any  #: [rows] float32


class NormGradient(NamedTuple):
    """Gradients of a norm; those that were not asked for are None."""

    dx: Any
    dweight: Any
    dbias: Any


def _norm(layer, x, weight, bias, residual, epsilon, weight_offset, out, out_dtype, for_gradient, tuned, device, strict, return_report):
    of = framework(x)
    of.check(x, weight, bias, residual)
    name = name_of(out_dtype) if out_dtype is not None else None
    rows = tuple(x.shape[:-1])
    y = of.empty(x, tuple(x.shape), name) if out is None else out
    eight = of.dtype_name(y) == 'int8' or '8_' in of.dtype_name(y)
    scales = of.empty(x, rows, 'float32') if eight else None
    total = of.empty(x, tuple(x.shape), None) if residual is not None else None
    mean = of.empty(x, rows, 'float32') if for_gradient and layer else None
    root = of.empty(x, rows, 'float32') if for_gradient else None
    on, stream = where(of, x, device)
    said = on.norm(x, residual, total, weight, bias, y, scales, mean, root, epsilon, weight_offset, layer, stream, strict, return_report,
                   *asked(tuned, on))
    if tuned is not None:
        tuned.hear(said)
    result: Any = of.finished(y)
    if residual is not None or eight or for_gradient:
        result = Normed(*(of.finished(t) if t is not None else None for t in (y, total, scales, mean, root)))
    return answered(result, said, return_report)


def rms_norm(x: Any, weight: Any = None, *, residual: Any = None, epsilon: float = 1e-5, weight_offset: float = 0.0, out: Any = None,
             out_dtype: Any = None, for_gradient: bool = False, tuned: Any = None, device: Any = None, strict: bool = False,
             return_report: bool = False) -> Any:
    """h / sqrt(mean(h^2) + epsilon) * (weight + weight_offset) of every row, h = x + residual.

    x, residual: [..., columns] of float32, float16, bfloat16; weight: [columns] of x's type or float32. out_dtype: x's, int8 or an
    8-bit float. tuned: a fade.tune.Database that is asked for a policy. Returns y, or a fade.Normed where there is a residual, an
    8-bit result, or for_gradient=True.
    """
    return _norm(False, x, weight, None, residual, epsilon, weight_offset, out, out_dtype, for_gradient, tuned, device, strict, return_report)


def layer_norm(x: Any, weight: Any = None, bias: Any = None, *, residual: Any = None, epsilon: float = 1e-5, out: Any = None,
               out_dtype: Any = None, for_gradient: bool = False, tuned: Any = None, device: Any = None, strict: bool = False,
               return_report: bool = False) -> Any:
    """(h - mean(h)) / sqrt(variance(h) + epsilon) * weight + bias of every row; otherwise as rms_norm()."""
    return _norm(True, x, weight, bias, residual, epsilon, 0.0, out, out_dtype, for_gradient, tuned, device, strict, return_report)


def _norm_gradient(layer, h, dy, weight, mean, root, dsum, offset, with_weight, with_bias, device, strict, return_report):
    of = framework(h)
    dx = of.empty(dy, tuple(h.shape), None)
    like = weight if weight is not None else h
    dweight = of.empty(like, tuple(h.shape[-1:]), None) if with_weight else None
    dbias = of.empty(like, tuple(h.shape[-1:]), None) if with_bias else None
    on, stream = where(of, h, device)
    said = on.norm_gradient(h, dy, dsum, weight, mean, root, dx, dweight, dbias, offset, layer, stream, strict, return_report)
    return answered(NormGradient(*(of.finished(t) if t is not None else None for t in (dx, dweight, dbias))), said, return_report)


def rms_norm_gradient(h: Any, dy: Any, weight: Any = None, *, inverse_root: Any, dsum: Any = None, weight_offset: float = 0.0,
                      with_weight: bool = True, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """fade.NormGradient of rms_norm(): h is what was normalised, inverse_root that of for_gradient=True, dsum what reaches h past
    the norm. dweight is summed over rows in a fixed order."""
    return _norm_gradient(False, h, dy, weight, None, inverse_root, dsum, weight_offset, with_weight, False, device, strict, return_report)


def layer_norm_gradient(h: Any, dy: Any, weight: Any = None, *, mean: Any, inverse_root: Any, dsum: Any = None, with_weight: bool = True,
                        with_bias: bool = True, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """fade.NormGradient of layer_norm(), as rms_norm_gradient()."""
    return _norm_gradient(True, h, dy, weight, mean, inverse_root, dsum, 0.0, with_weight, with_bias, device, strict, return_report)


def _softmax(log, x, out, out_dtype, tuned, device, strict, return_report):
    of = framework(x)
    of.check(x)
    y = of.empty(x, tuple(x.shape), name_of(out_dtype) if out_dtype is not None else None) if out is None else out
    on, stream = where(of, x, device)
    said = on.softmax(x, y, log, stream, strict, return_report, *asked(tuned, on))
    if tuned is not None:
        tuned.hear(said)
    return answered(of.finished(y), said, return_report)


def softmax(x: Any, *, out: Any = None, out_dtype: Any = None, tuned: Any = None, device: Any = None, strict: bool = False,
            return_report: bool = False) -> Any:
    """exp(x - max) / sum(exp(x - max)) of every row. x: [..., columns] of float32, float16, bfloat16; out may be x. tuned: a fade.tune.Database
    that is asked for a policy."""
    return _softmax(False, x, out, out_dtype, tuned, device, strict, return_report)


def log_softmax(x: Any, *, out: Any = None, out_dtype: Any = None, tuned: Any = None, device: Any = None, strict: bool = False,
                return_report: bool = False) -> Any:
    """x - max - log(sum(exp(x - max))) of every row; otherwise as softmax()."""
    return _softmax(True, x, out, out_dtype, tuned, device, strict, return_report)


def _softmax_gradient(log, y, dy, out, device, strict, return_report):
    of = framework(y)
    dx = of.empty(y, tuple(y.shape), None) if out is None else out
    on, stream = where(of, y, device)
    return answered(of.finished(dx), on.softmax_gradient(y, dy, dx, log, stream, strict, return_report), return_report)


def softmax_gradient(y: Any, dy: Any, *, out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """y (dy - sum(y dy)) of every row, from the result y of softmax(). out may be dy."""
    return _softmax_gradient(False, y, dy, out, device, strict, return_report)


def log_softmax_gradient(y: Any, dy: Any, *, out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """dy - exp(y) sum(dy) of every row, from the result y of log_softmax(). out may be dy."""
    return _softmax_gradient(True, y, dy, out, device, strict, return_report)


def cross_entropy(x: Any, labels: Any, *, smoothing: float = 0.0, ignored_label: int = -100, return_log_sum: bool = False, device: Any = None,
                  strict: bool = False, return_report: bool = False) -> Any:
    """log(sum(exp(x))) - (1 - smoothing) x[label] - smoothing mean(x) of every row: float32, 0 for the ignored label.

    x: [..., columns] of float32, float16, bfloat16; labels: int32 of the rows' shape. return_log_sum adds what the gradient needs.
    """
    of = framework(x)
    of.check(x)
    loss = of.empty(x, tuple(x.shape[:-1]), 'float32')
    log_sum = of.empty(x, tuple(x.shape[:-1]), 'float32') if return_log_sum else None
    on, stream = where(of, x, device)
    said = on.cross_entropy(x, labels, loss, log_sum, smoothing, ignored_label, stream, strict, return_report)
    result = (of.finished(loss), of.finished(log_sum)) if return_log_sum else of.finished(loss)
    return answered(result, said, return_report)


def cross_entropy_gradient(x: Any, labels: Any, log_sum: Any, *, dloss: Any = None, smoothing: float = 0.0, ignored_label: int = -100,
                           out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(softmax(x) - target) * dloss of every row, from the log_sum of cross_entropy(). out may be x."""
    of = framework(x)
    dx = of.empty(x, tuple(x.shape), None) if out is None else out
    on, stream = where(of, x, device)
    said = on.cross_entropy_gradient(x, labels, log_sum, dloss, dx, smoothing, ignored_label, stream, strict, return_report)
    return answered(of.finished(dx), said, return_report)


def _of_columns(x, axis, each):
    """Is it axis 0 of a matrix? Refuses what is neither that nor the last axis."""
    dims = len(x.shape)
    if axis not in (-1, dims - 1) and not (axis in (0, -2) and dims == 2):
        raise Error('axis', repr(axis), f'it is -1 ({each} of each row), or 0 of a matrix ({each} of each column)')
    return axis not in (-1, dims - 1)


def _reduce(kind, x, axis, out_dtype, values, places, device, strict, return_report):
    of = framework(x)
    of.check(x)
    columns = _of_columns(x, axis, 'a value')
    shape = tuple(x.shape[1:]) if columns else tuple(x.shape[:-1])
    out = of.empty(x, shape, name_of(out_dtype) if out_dtype is not None else None) if values else None
    at = of.empty(x, shape, 'int32') if places else None
    on, stream = where(of, x, device)
    said = on.reduce(kind, x, out, at, columns, stream, strict, return_report)
    results = tuple(of.finished(t) for t in (out, at) if t is not None)
    return answered(results if len(results) > 1 else results[0], said, return_report)


def sum(x: Any, *, axis: int = -1, out_dtype: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The sum of each row (axis -1) or, of a matrix, of each column (axis 0), in float32 and in a fixed order."""
    return _reduce(0, x, axis, out_dtype, True, False, device, strict, return_report)


def mean(x: Any, *, axis: int = -1, out_dtype: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The mean of each row or column, as sum()."""
    return _reduce(1, x, axis, out_dtype, True, False, device, strict, return_report)


def max(x: Any, *, axis: int = -1, return_places: bool = False, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The largest element of each row or column; a NaN is larger than all numbers. return_places adds where it stands first."""
    return _reduce(2, x, axis, None, True, return_places, device, strict, return_report)


def argmax(x: Any, *, axis: int = -1, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """Where the largest element of each row or column stands first: int32."""
    return _reduce(3, x, axis, None, False, True, device, strict, return_report)


def top_k(x: Any, k: int, *, axis: int = -1, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(values, places) of the k largest elements of each row (axis -1: [..., k]) or, of a matrix, of each column
    (axis 0: [k, columns]), the largest first; k is 1 to 64."""
    of = framework(x)
    of.check(x)
    if not 1 <= k <= 64:
        raise Error('k', str(k), 'it must be between 1 and 64')
    columns = _of_columns(x, axis, 'k elements')
    shape = (k, *x.shape[1:]) if columns else (*x.shape[:-1], k)
    values, places = of.empty(x, shape, None), of.empty(x, shape, 'int32')
    on, stream = where(of, x, device)
    said = on.top_k(x, values, places, k, columns, stream, strict, return_report)
    return answered((of.finished(values), of.finished(places)), said, return_report)
