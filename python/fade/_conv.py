"""Convolution and its backward passes."""
from __future__ import annotations

from operator import index
from typing import Any, Sequence

from ._error import Error
from ._gemm import OUT, stage
from ._report import answered
from ._spatial import LARGEST, dimensions_of, each, joined, layout_of, made, margins, one_of, outputs, shaped, split, three
from ._tensors import framework, where
from ._tuned import asked

ALGORITHMS = {'automatic': 0, 'implicit_gemm': 1, 'direct': 2, 'im2col': 3, 'winograd_f2': 4, 'winograd_f4': 5,
              'mec': 6, 'fft': 7}


class _Geometry:
    """The sizes of a call; x and w are shapes."""

    def __init__(self, x, w, layout, stride, padding, dilation, groups):
        self.layout, self.n = layout_of(layout), dimensions_of('x', x)
        if len(w) != len(x):
            raise Error('w', f'of shape {list(w)}', f'x has {len(x)} dimensions, so the filter has as many')
        self.batch, self.channels, self.sizes = split(x, self.layout)
        self.filters, share, self.taps = split(w, self.layout)
        (self.groups,) = each('groups', groups, 1, 1)
        if share * self.groups != self.channels:
            raise Error('w', f'of shape {list(w)}', f'x has {self.channels} channels in {self.groups} groups, so a tap has as many as a group')
        self.stride, self.dilation = each('stride', stride, self.n, 1), each('dilation', dilation, self.n, 1)
        self.before, self.behind = margins(padding, self.n)
        if max(self.channels, self.filters, *self.sizes, *self.taps) > LARGEST:
            raise Error('x', f'of shape {list(x)}', 'sizes are below 2^31')

    def outputs(self) -> tuple:
        """The shape of y."""
        sizes = outputs(self.sizes, self.taps, self.stride, self.dilation, self.before, self.behind)
        return joined(self.batch, self.filters, sizes, self.layout)

    def numbers(self) -> tuple:
        return (self.layout, self.batch, self.channels, self.filters, self.groups, *three(self.sizes, 1), *three(self.taps, 1),
                *three(self.stride, 1), *three(self.dilation, 1), *three(self.before, 0), *three(self.behind, 0))


def _run(which, of, x, w, dy, c, out, epilogue, geometry, split_k, algorithm, alpha, beta, tuned, device, strict, return_report, bias_gradient=None,
         x_zero=0, w_zero=None):
    on, stream = where(of, w if x is None else x, device)
    beta = (0.0 if c is None else 1.0) if beta is None else beta
    said = on.conv(which, x, w, dy, c, out, bias_gradient, w_zero, x_zero, [stage(s) for s in epilogue], *geometry.numbers(), split_k,
                   one_of(ALGORITHMS, 'algorithm', algorithm), alpha, beta, stream, strict, return_report, *asked(tuned, on))
    if tuned is not None:
        tuned.hear(said)
    return answered(of.finished(out), said, return_report)


def conv_forward(x: Any, w: Any, *, stride: int | Sequence[int] = 1, padding: Any = 0, dilation: int | Sequence[int] = 1, groups: int = 1,
                 layout: str = 'channels_last', x_zero: int = 0, w_zero: Any = None, c: Any = None, alpha: float = 1.0,
                 beta: float | None = None, epilogue: Sequence = (), out: Any = None, out_dtype: Any = None, split_k: int = 0,
                 algorithm: str = 'automatic', tuned: Any = None, device: Any = None, strict: bool = False,
                 return_report: bool = False) -> Any:
    """y = epilogue(alpha * conv(x, w) + beta * c), in one to three dimensions; the filter is not turned, as frameworks have it.

    x: [batch, sizes..., channels], w: [filters, taps..., channels / groups], y and c [batch, sizes of y..., filters], packed;
    layout='channels_first': [batch, channels, sizes...], [filters, channels / groups, taps...], which is copied on the way.
    Of PyTorch's channels_last tensors give t.permute(0, 2, 3, 1), which copies nothing. Types: float32, float16, bfloat16 to
    themselves; int8 (int32 or float32); 8-bit floats (bfloat16, float16, float32). Sums are float32, of int8 exact in
    int32, rounded once at the end.
    x_zero, w_zero: of int8, x stands for x - x_zero (-128 to 127), w for w - w_zero (int32 [filters]), and pixels beyond x are x_zero.
    Scales are stages: ('scale_columns', scales) with out_dtype='float32'.
    stride, dilation: a number, or one for each dimension. padding: likewise, or pairs (before, behind). epilogue: as of gemm();
    a row is a pixel of y, a column a filter, so bias is [filters]; residual, mul and derivatives have channels last.
    beta is 1 where c is given. split_k: workgroups that share a tile's k, 0 for the selector's number. out may be c.
    algorithm: 'automatic', 'implicit_gemm', 'direct' for groups of one channel, 'im2col', 'mec' for one group, 'winograd_f2' and
    'winograd_f4' for 3 x 3 filters without strides, or 'fft' for large filters without strides; one that cannot take the call refuses it. tuned: a fade.tune.Database that is
    asked for an algorithm and a policy.
    Raises fade.Error, with nothing written.
    """
    of = framework(x)
    of.check(x, w, c, w_zero)
    if not -128 <= index(x_zero) <= 127:
        raise Error('x_zero', str(x_zero), 'it is a value of x, so it must be between -128 and 127')
    geometry = _Geometry(tuple(x.shape), tuple(w.shape), layout, stride, padding, dilation, groups)
    shape = geometry.outputs()
    if c is not None:
        shaped('c', c, shape)
    out = made(of, x, out, shape, OUT.get(of.dtype_name(x)) if out_dtype is None else out_dtype)
    return _run(0, of, x, w, None, c, out, epilogue, geometry, split_k, algorithm, alpha, beta, tuned, device, strict, return_report,
                x_zero=index(x_zero), w_zero=w_zero)


def conv_backward_data(dy: Any, w: Any, sizes: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: Any = 0,
                       dilation: int | Sequence[int] = 1, groups: int = 1, layout: str = 'channels_last', c: Any = None,
                       alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), out: Any = None, out_dtype: Any = None,
                       split_k: int = 0, algorithm: str = 'automatic', tuned: Any = None, device: Any = None, strict: bool = False,
                       return_report: bool = False) -> Any:
    """dx = epilogue(alpha * the gradient of x + beta * c): the transposed convolution of dy.

    sizes: those of x, which several strides leave open. All else as of conv_forward(); a row of the epilogue is a pixel of x, a
    column a channel.
    """
    of = framework(dy)
    of.check(dy, w, c)
    how = layout_of(layout)
    n = dimensions_of('dy', tuple(dy.shape))
    if len(w.shape) != n + 2:
        raise Error('w', f'of shape {list(w.shape)}', f'dy has {n + 2} dimensions, so the filter has as many')
    share = split(tuple(w.shape), how)[1]
    shape = joined(dy.shape[0], share * each('groups', groups, 1, 1)[0], each('sizes', sizes, n, 1), how)
    geometry = _Geometry(shape, tuple(w.shape), layout, stride, padding, dilation, groups)
    shaped('dy', dy, geometry.outputs())
    if c is not None:
        shaped('c', c, shape)
    out = made(of, dy, out, shape, out_dtype)
    return _run(1, of, None, w, dy, c, out, epilogue, geometry, split_k, algorithm, alpha, beta, tuned, device, strict, return_report)


def conv_backward_weights(dy: Any, x: Any, taps: int | Sequence[int], *, stride: int | Sequence[int] = 1, padding: Any = 0,
                          dilation: int | Sequence[int] = 1, groups: int = 1, layout: str = 'channels_last', c: Any = None,
                          alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), out: Any = None,
                          out_dtype: Any = None, bias_gradient: Any = None, split_k: int = 0, algorithm: str = 'automatic',
                          tuned: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """dw = epilogue(alpha * the gradient of the filter + beta * c), summed in a fixed order: two runs give the same bits.

    taps: sizes of the filter. bias_gradient: [filters] of the result's type, or None: dy summed over batch and pixels in float32, whatever
    alpha, beta and the epilogue are. All else as of conv_forward(); a row of the epilogue is a filter, a column a tap's channel.
    """
    of = framework(x)
    of.check(dy, x, c, bias_gradient)
    how = layout_of(layout)
    n = dimensions_of('x', tuple(x.shape))
    if len(dy.shape) != n + 2:
        raise Error('dy', f'of shape {list(dy.shape)}', f'x has {n + 2} dimensions, so it has as many')
    channels, filters = split(tuple(x.shape), how)[1], split(tuple(dy.shape), how)[1]
    (parts,) = each('groups', groups, 1, 1)
    shape = joined(filters, channels // parts, each('taps', taps, n, 1), how)
    geometry = _Geometry(tuple(x.shape), shape, layout, stride, padding, dilation, groups)
    shaped('dy', dy, geometry.outputs())
    if c is not None:
        shaped('c', c, shape)
    out = made(of, x, out, shape, out_dtype)
    return _run(2, of, x, None, dy, c, out, epilogue, geometry, split_k, algorithm, alpha, beta, tuned, device, strict, return_report,
                bias_gradient)
