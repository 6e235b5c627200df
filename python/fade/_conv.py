"""Convolution and its backward passes."""
from __future__ import annotations

from typing import Any, Sequence

from ._error import Error
from ._gemm import stage
from ._report import answered
from ._tensors import framework, name_of, where

LAYOUTS = {'channels_last': 0, 'channels_first': 1}
LARGEST = (1 << 31) - 1


def _dimensions(argument: str, shape) -> int:
    if not 3 <= len(shape) <= 5:
        raise Error(argument, f'of {len(shape)} dimensions', 'it has a batch (or filters), channels and one to three dimensions between')
    return len(shape) - 2


def _layout(layout: str) -> int:
    if layout not in LAYOUTS:
        raise Error('layout', repr(layout), f'it is one of {", ".join(LAYOUTS)}')
    return LAYOUTS[layout]


def _each(argument: str, value, dimensions: int, least: int) -> tuple:
    """A number for each dimension, of one for all or a sequence."""
    values = (value,) * dimensions if isinstance(value, int) else tuple(value)
    if len(values) != dimensions or not all(isinstance(v, int) and least <= v <= LARGEST for v in values):
        raise Error(argument, repr(value), f'it is an integer from {least} on, or {dimensions} of them, one for each dimension of an image')
    return values


def _margins(padding, dimensions: int) -> tuple:
    """(before, behind): zeros for each dimension, of one number, one a dimension, or pairs."""
    if not isinstance(padding, int) and any(not isinstance(p, int) for p in padding):
        pairs = [tuple(p) if not isinstance(p, int) else (p, p) for p in padding]
        if len(pairs) != dimensions or any(len(p) != 2 for p in pairs):
            raise Error('padding', repr(padding), f'it is a number, or {dimensions} of them or of pairs (before, behind)')
        return tuple(_each('padding', tuple(p[i] for p in pairs), dimensions, 0) for i in (0, 1))
    return (_each('padding', padding, dimensions, 0),) * 2


def _outputs(sizes, taps, stride, dilation, before, behind) -> tuple:
    room = [s + b + e - (t - 1) * d - 1 for s, t, d, b, e in zip(sizes, taps, dilation, before, behind)]
    return tuple(0 if r < 0 else r // s + 1 for r, s in zip(room, stride))


def _split(shape, layout: int) -> tuple:
    """(batch or filters, channels, sizes) of a shape."""
    return (shape[0], shape[1], tuple(shape[2:])) if layout else (shape[0], shape[-1], tuple(shape[1:-1]))


def _joined(first, channels, sizes, layout: int) -> tuple:
    return (first, channels, *sizes) if layout else (first, *sizes, channels)


def _three(values, otherwise: int) -> tuple:
    return (*(otherwise,) * (3 - len(values)), *values)


class _Geometry:
    """The sizes of a call; x and w are shapes."""

    def __init__(self, x, w, layout, stride, padding, dilation, groups):
        self.layout, self.n = _layout(layout), _dimensions('x', x)
        if len(w) != len(x):
            raise Error('w', f'of shape {list(w)}', f'x has {len(x)} dimensions, so the filter has as many')
        self.batch, self.channels, self.sizes = _split(x, self.layout)
        self.filters, share, self.taps = _split(w, self.layout)
        (self.groups,) = _each('groups', groups, 1, 1)
        if share * self.groups != self.channels:
            raise Error('w', f'of shape {list(w)}', f'x has {self.channels} channels in {self.groups} groups, so a tap has as many as a group')
        self.stride, self.dilation = _each('stride', stride, self.n, 1), _each('dilation', dilation, self.n, 1)
        self.before, self.behind = _margins(padding, self.n)
        if max(self.channels, self.filters, *self.sizes, *self.taps) > LARGEST:
            raise Error('x', f'of shape {list(x)}', 'sizes are below 2^31')

    def outputs(self) -> tuple:
        """The shape of y."""
        sizes = _outputs(self.sizes, self.taps, self.stride, self.dilation, self.before, self.behind)
        return _joined(self.batch, self.filters, sizes, self.layout)

    def numbers(self) -> tuple:
        return (self.layout, self.batch, self.channels, self.filters, self.groups, *_three(self.sizes, 1), *_three(self.taps, 1),
                *_three(self.stride, 1), *_three(self.dilation, 1), *_three(self.before, 0), *_three(self.behind, 0))


def _run(which, of, x, w, dy, c, out, epilogue, geometry, split_k, alpha, beta, device, strict, return_report):
    on, stream = where(of, w if x is None else x, device)
    beta = (0.0 if c is None else 1.0) if beta is None else beta
    said = on.conv(which, x, w, dy, c, out, [stage(s) for s in epilogue], *geometry.numbers(), split_k, alpha, beta, stream, strict,
                   return_report)
    return answered(of.finished(out), said, return_report)


def _shaped(argument: str, t, shape) -> None:
    if tuple(t.shape) != tuple(shape):
        raise Error(argument, f'of shape {list(t.shape)}', f'the other tensors and sizes make it {list(shape)}')


def _made(of, like, out, shape, out_dtype):
    if out is None:
        return of.empty(like, shape, None if out_dtype is None else name_of(out_dtype))
    _shaped('out', out, shape)
    return out


def conv_forward(x: Any, w: Any, *, stride: int | Sequence[int] = 1, padding: Any = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
                 layout: str = 'channels_last', c: Any = None, alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (),
                 out: Any = None, out_dtype: Any = None, split_k: int = 0, device: Any = None, strict: bool = False,
                 return_report: bool = False) -> Any:
    """y = epilogue(alpha * conv(x, w) + beta * c), in one to three dimensions; the filter is not turned, as frameworks have it.

    x: [batch, sizes..., channels], w: [filters, taps..., channels / groups], y and c [batch, sizes of y..., filters], packed;
    layout='channels_first': [batch, channels, sizes...], [filters, channels / groups, taps...], which is copied on the way.
    Of PyTorch's channels_last tensors give t.permute(0, 2, 3, 1), which copies nothing. Types: float32, float16, bfloat16;
    sums are float32, rounded once at the end.
    stride, dilation: a number, or one for each dimension. padding: likewise, or pairs (before, behind). epilogue: as of gemm();
    a row is a pixel of y, a column a filter, so bias is [filters]; residual, mul and derivatives have channels last.
    beta is 1 where c is given. split_k: workgroups that share a tile's k, 0 for the selector's number. out may be c.
    Raises fade.Error, with nothing written.
    """
    of = framework(x)
    of.check(x, w, c)
    geometry = _Geometry(tuple(x.shape), tuple(w.shape), layout, stride, padding, dilation, groups)
    shape = geometry.outputs()
    if c is not None:
        _shaped('c', c, shape)
    out = _made(of, x, out, shape, out_dtype)
    return _run(0, of, x, w, None, c, out, epilogue, geometry, split_k, alpha, beta, device, strict, return_report)


def conv_backward_data(dy: Any, w: Any, sizes: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: Any = 0,
                       dilation: int | Sequence[int] = 1, groups: int = 1, layout: str = 'channels_last', c: Any = None,
                       alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), out: Any = None, out_dtype: Any = None,
                       split_k: int = 0, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """dx = epilogue(alpha * the gradient of x + beta * c): the transposed convolution of dy.

    sizes: those of x, which several strides leave open. All else as of conv_forward(); a row of the epilogue is a pixel of x, a
    column a channel.
    """
    of = framework(dy)
    of.check(dy, w, c)
    how = _layout(layout)
    n = _dimensions('dy', tuple(dy.shape))
    if len(w.shape) != n + 2:
        raise Error('w', f'of shape {list(w.shape)}', f'dy has {n + 2} dimensions, so the filter has as many')
    share = _split(tuple(w.shape), how)[1]
    shape = _joined(dy.shape[0], share * _each('groups', groups, 1, 1)[0], _each('sizes', sizes, n, 1), how)
    geometry = _Geometry(shape, tuple(w.shape), layout, stride, padding, dilation, groups)
    _shaped('dy', dy, geometry.outputs())
    if c is not None:
        _shaped('c', c, shape)
    out = _made(of, dy, out, shape, out_dtype)
    return _run(1, of, None, w, dy, c, out, epilogue, geometry, split_k, alpha, beta, device, strict, return_report)


def conv_backward_weights(dy: Any, x: Any, taps: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: Any = 0,
                          dilation: int | Sequence[int] = 1, groups: int = 1, layout: str = 'channels_last', c: Any = None,
                          alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), out: Any = None,
                          out_dtype: Any = None, split_k: int = 0, device: Any = None, strict: bool = False,
                          return_report: bool = False) -> Any:
    """dw = epilogue(alpha * the gradient of the filter + beta * c), summed in a fixed order: two runs give the same bits.

    taps: sizes of the filter. All else as of conv_forward(); a row of the epilogue is a filter, a column a tap's channel.
    """
    of = framework(x)
    of.check(dy, x, c)
    how = _layout(layout)
    n = _dimensions('x', tuple(x.shape))
    if len(dy.shape) != n + 2:
        raise Error('dy', f'of shape {list(dy.shape)}', f'x has {n + 2} dimensions, so it has as many')
    channels, filters = _split(tuple(x.shape), how)[1], _split(tuple(dy.shape), how)[1]
    (parts,) = _each('groups', groups, 1, 1)
    shape = _joined(filters, channels // parts, _each('taps', taps, n, 1), how)
    geometry = _Geometry(tuple(x.shape), shape, layout, stride, padding, dilation, groups)
    _shaped('dy', dy, geometry.outputs())
    if c is not None:
        _shaped('c', c, shape)
    out = _made(of, x, out, shape, out_dtype)
    return _run(2, of, x, None, dy, c, out, epilogue, geometry, split_k, alpha, beta, device, strict, return_report)
