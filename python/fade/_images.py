"""Operators over images: pooling, batch normalisation, images of another size, samples at points, and their gradients."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence

from ._error import Error
from ._report import answered
from ._rows import NormGradient
from ._spatial import dimensions_of, each, joined, layout_of, made, margins, one_of, outputs, shaped, split, three
from ._tensors import framework, where

UPSAMPLE_MODES = {'nearest': 0, 'nearest_exact': 1, 'linear': 2}
GRID_MODES = {'linear': 0, 'nearest': 1}
GRID_PADDINGS = {'zeros': 0, 'border': 1, 'reflection': 2}


def _images(argument: str, x, layout: int) -> tuple:
    """(batch, channels, sizes) of images."""
    dimensions_of(argument, tuple(x.shape))
    return split(tuple(x.shape), layout)


def _vectors(of, like, channels: int, count: int) -> tuple:
    return tuple(of.empty(like, (channels,), 'float32') for _ in range(count))


# ---- pooling -----------------------------------------------------------------------------------------------------------------------

class _Windows:
    """The numbers of a pooling over images of these sizes."""

    def __init__(self, sizes, window, stride, padding, dilation, ceil_mode, count_include_pad):
        n = len(sizes)
        self.sizes, self.window, self.dilation = sizes, each('window', window, n, 1), each('dilation', dilation, n, 1)
        self.stride = self.window if stride is None else each('stride', stride, n, 1)
        self.before, self.behind = margins(padding, n)
        self.ceil_mode, self.count_include_pad = bool(ceil_mode), bool(count_include_pad)

    def outputs(self) -> tuple:
        return outputs(self.sizes, self.window, self.stride, self.dilation, self.before, self.behind, self.ceil_mode)

    def numbers(self) -> tuple:
        return (*three(self.sizes, 1), *three(self.window, 1), *three(self.stride, 1), *three(self.dilation, 1), *three(self.before, 0),
                *three(self.behind, 0), self.ceil_mode, self.count_include_pad)


def _pool(is_mean, x, windows, layout, return_indices, out, device, strict, return_report):
    of = framework(x)
    of.check(x)
    batch, channels, _ = split(tuple(x.shape), layout)
    shape = joined(batch, channels, windows.outputs(), layout)
    y, indices = made(of, x, out, shape, None), of.empty(x, shape, 'int32') if return_indices else None
    on, stream = where(of, x, device)
    said = on.pool(is_mean, False, x, y, indices, layout, batch, channels, *windows.numbers(), stream, strict, return_report)
    return answered((of.finished(y), of.finished(indices)) if return_indices else of.finished(y), said, return_report)


def _pool_gradient(is_mean, dy, indices, windows, layout, out, device, strict, return_report):
    of = framework(dy)
    of.check(dy)
    batch, channels, _ = _images('dy', dy, layout)
    shaped('dy', dy, joined(batch, channels, windows.outputs(), layout))
    if indices is not None:
        shaped('indices', indices, dy.shape)
    dx = made(of, dy, out, joined(batch, channels, windows.sizes, layout), None)
    on, stream = where(of, dy, device)
    said = on.pool(is_mean, True, dx, dy, indices, layout, batch, channels, *windows.numbers(), stream, strict, return_report)
    return answered(of.finished(dx), said, return_report)


def max_pool(x: Any, window: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: Any = 0,
             dilation: int | Sequence[int] = 1, ceil_mode: bool = False, layout: str = 'channels_last', return_indices: bool = False,
             out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The largest element of each window, in one to three dimensions; of equal ones the first, and the first NaN before all numbers.

    x: [batch, sizes..., channels], packed; layout='channels_first': [batch, channels, sizes...]. Types: float32, float16, bfloat16.
    window, stride (None: the window's), dilation: a number, or one for each dimension. padding: likewise, or pairs (before, behind),
    less than a window reaches. ceil_mode: a last window may reach beyond the padding, if it begins before the image's end.
    return_indices=True gives (y, indices): int32 of y's shape, the pixel of each element, counted within its image.
    Raises fade.Error, with nothing written.
    """
    how = layout_of(layout)
    windows = _Windows(_images('x', x, how)[2], window, stride, padding, dilation, ceil_mode, True)
    return _pool(False, x, windows, how, return_indices, out, device, strict, return_report)


def max_pool_gradient(dy: Any, indices: Any, sizes: int | Sequence[int], window: int | Sequence[int], *,
                      stride: int | Sequence[int] | None = None, padding: Any = 0, dilation: int | Sequence[int] = 1,
                      ceil_mode: bool = False, layout: str = 'channels_last', out: Any = None, device: Any = None, strict: bool = False,
                      return_report: bool = False) -> Any:
    """dx: the sum of dy over the windows whose largest element a pixel is, in a fixed order: two runs give the same bits.

    indices: those of max_pool(). sizes: those of x, which several strides leave open. All else as of max_pool().
    """
    windows = _Windows(each('sizes', sizes, dimensions_of('dy', tuple(dy.shape)), 1), window, stride, padding, dilation, ceil_mode, True)
    return _pool_gradient(False, dy, indices, windows, layout_of(layout), out, device, strict, return_report)


def avg_pool(x: Any, window: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: Any = 0,
             dilation: int | Sequence[int] = 1, ceil_mode: bool = False, count_include_pad: bool = True, layout: str = 'channels_last',
             out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The mean of each window, summed in float32; count_include_pad=False: of the pixels that it sees, without the padding's zeros.

    All else as of max_pool().
    """
    how = layout_of(layout)
    windows = _Windows(_images('x', x, how)[2], window, stride, padding, dilation, ceil_mode, count_include_pad)
    return _pool(True, x, windows, how, False, out, device, strict, return_report)


def avg_pool_gradient(dy: Any, sizes: int | Sequence[int], window: int | Sequence[int], *, stride: int | Sequence[int] | None = None,
                      padding: Any = 0, dilation: int | Sequence[int] = 1, ceil_mode: bool = False, count_include_pad: bool = True,
                      layout: str = 'channels_last', out: Any = None, device: Any = None, strict: bool = False,
                      return_report: bool = False) -> Any:
    """dx: the sum of dy / count over the windows that see a pixel, in a fixed order. sizes: those of x. All else as of avg_pool()."""
    windows = _Windows(each('sizes', sizes, dimensions_of('dy', tuple(dy.shape)), 1), window, stride, padding, dilation, ceil_mode,
                       count_include_pad)
    return _pool_gradient(True, dy, None, windows, layout_of(layout), out, device, strict, return_report)


# ---- batch normalisation -----------------------------------------------------------------------------------------------------------

class BatchNormed(NamedTuple):
    """What batch_norm() keeps for its gradient."""

    y: Any
    mean: Any          #: [channels] float32, of this batch
    inverse_root: Any  #: [channels] float32: 1 / sqrt(variance + epsilon)


def batch_norm(x: Any, weight: Any = None, bias: Any = None, *, running_mean: Any = None, running_variance: Any = None,
               momentum: float = 0.1, epsilon: float = 1e-5, layout: str = 'channels_last', for_gradient: bool = False, out: Any = None,
               device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(x - mean) / sqrt(variance + epsilon) * weight + bias, mean and variance being those of a channel in this batch (training).

    x: as of max_pool(). weight, bias, running_mean, running_variance: [channels] float32. Running values are written where they are
    given: (1 - momentum) of the old and momentum of this batch's, the variance divided by one pixel fewer. out may be x.
    Returns y, or with for_gradient=True a fade.BatchNormed. Raises fade.Error, with nothing written.
    """
    of = framework(x)
    of.check(x, weight, bias)
    how = layout_of(layout)
    batch, channels, sizes = _images('x', x, how)
    y, (mean, root) = made(of, x, out, tuple(x.shape), None), _vectors(of, x, channels, 2)
    on, stream = where(of, x, device)
    said = on.batch_norm(x, y, weight, bias, mean, root, running_mean, running_variance, how, batch, channels, *three(sizes, 1),
                         float(epsilon), float(momentum), stream, strict, return_report)
    return answered(BatchNormed(*map(of.finished, (y, mean, root))) if for_gradient else of.finished(y), said, return_report)


def batch_norm_inference(x: Any, mean: Any, variance: Any, weight: Any = None, bias: Any = None, *, epsilon: float = 1e-5,
                         layout: str = 'channels_last', out: Any = None, device: Any = None, strict: bool = False,
                         return_report: bool = False) -> Any:
    """As batch_norm(), with a mean and a variance that are given: [channels] float32."""
    of = framework(x)
    of.check(x, mean, variance, weight, bias)
    how = layout_of(layout)
    batch, channels, sizes = _images('x', x, how)
    y = made(of, x, out, tuple(x.shape), None)
    on, stream = where(of, x, device)
    said = on.batch_norm_inference(x, y, weight, bias, mean, variance, how, batch, channels, *three(sizes, 1), float(epsilon), stream,
                                   strict, return_report)
    return answered(of.finished(y), said, return_report)


def batch_norm_gradient(dy: Any, x: Any, mean: Any, inverse_root: Any, weight: Any = None, *, layout: str = 'channels_last',
                        out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """fade.NormGradient(dx, dweight, dbias) from the mean and inverse_root of a fade.BatchNormed; out (dx) may be dy."""
    of = framework(x)
    of.check(dy, x, weight)
    how = layout_of(layout)
    batch, channels, sizes = _images('x', x, how)
    shaped('dy', dy, x.shape)
    dx, (dweight, dbias) = made(of, x, out, tuple(x.shape), None), _vectors(of, x, channels, 2)
    on, stream = where(of, x, device)
    said = on.batch_norm_gradient(dy, x, weight, mean, inverse_root, dx, dweight, dbias, how, batch, channels, *three(sizes, 1), stream,
                                  strict, return_report)
    return answered(NormGradient(*map(of.finished, (dx, dweight, dbias))), said, return_report)


def fold_into_filter(w: Any, mean: Any, variance: Any, weight: Any = None, shift: Any = None, *, bias: Any = None, epsilon: float = 1e-5,
                     out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(w, bias) with which a convolution alone computes what it and batch_norm_inference() compute together.

    w: [filters, ...] in either layout; bias: of the convolution; shift: the bias of the normalisation; all vectors [filters] float32.
    out (the filter) may be w.
    """
    of = framework(w)
    of.check(w, mean, variance, weight, shift, bias)
    if len(w.shape) < 2:
        raise Error('w', f'of {len(w.shape)} dimensions', 'it has filters, and the elements of each')
    filters, elements = w.shape[0], 1
    for size in w.shape[1:]:
        elements *= size
    folded, (folded_bias,) = made(of, w, out, tuple(w.shape), None), _vectors(of, w, filters, 1)
    on, stream = where(of, w, device)
    said = on.fold_into_filter(w, folded, bias, folded_bias, weight, shift, mean, variance, filters, elements, float(epsilon), stream,
                               strict, return_report)
    return answered((of.finished(folded), of.finished(folded_bias)), said, return_report)


# ---- images of another size, and samples at points ---------------------------------------------------------------------------------

def _upsample(is_gradient, given, sizes, mode, align_corners, layout, out, device, strict, return_report):
    """given: x and the sizes of y, or dy and the sizes of x."""
    of = framework(given)
    of.check(given)
    how, named = layout_of(layout), 'dy' if is_gradient else 'x'
    batch, channels, held = _images(named, given, how)
    wanted = each('sizes', sizes, len(held), 1)
    made_one = made(of, given, out, joined(batch, channels, wanted, how), None)
    x, y, of_x, of_y = (made_one, given, wanted, held) if is_gradient else (given, made_one, held, wanted)
    on, stream = where(of, given, device)
    said = on.upsample(is_gradient, x, y, how, batch, channels, one_of(UPSAMPLE_MODES, 'mode', mode), bool(align_corners),
                       *three(of_x, 1), *three(of_y, 1), stream, strict, return_report)
    return answered(of.finished(made_one), said, return_report)


def upsample(x: Any, sizes: int | Sequence[int], *, mode: str = 'nearest', align_corners: bool = False, layout: str = 'channels_last',
             out: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """Images of other sizes, larger or smaller.

    x: as of max_pool(). mode: 'nearest' (pixel floor(o * input / output)), 'nearest_exact' (floor((o + 1/2) * input / output)) or
    'linear' (between neighbours, along each dimension; align_corners=True: corners of both lie on each other).
    Raises fade.Error, with nothing written.
    """
    return _upsample(False, x, sizes, mode, align_corners, layout, out, device, strict, return_report)


def upsample_gradient(dy: Any, sizes: int | Sequence[int], *, mode: str = 'nearest', align_corners: bool = False,
                      layout: str = 'channels_last', out: Any = None, device: Any = None, strict: bool = False,
                      return_report: bool = False) -> Any:
    """dx: the sum of dy times what each output has taken of a pixel, in a fixed order. sizes: those of x. All else as of upsample()."""
    return _upsample(True, dy, sizes, mode, align_corners, layout, out, device, strict, return_report)


class _Points:
    """The numbers of samples of images [batch, channels, sizes] at the points of a grid."""

    def __init__(self, images, grid, mode, padding, align_corners, layout):
        batch, channels, sizes = images
        n = len(sizes)
        if n == 1:
            raise Error('x', 'of 1 dimension', 'a point has 2 or 3 coordinates, so images have as many dimensions')
        if len(grid.shape) != n + 2 or grid.shape[0] != batch or grid.shape[-1] != n:
            raise Error('grid', f'of shape {list(grid.shape)}',
                        f'it is [{batch}, sizes of y..., {n}], coordinates of as many dimensions as x has')
        self.of_y = tuple(grid.shape[1:-1])
        self.shape = joined(batch, channels, self.of_y, layout)
        self.numbers = (layout, batch, channels, n, one_of(GRID_MODES, 'mode', mode), one_of(GRID_PADDINGS, 'padding', padding),
                        bool(align_corners), *three(sizes, 1), *three(self.of_y, 1))


def grid_sample(x: Any, grid: Any, *, mode: str = 'linear', padding: str = 'zeros', align_corners: bool = False,
                layout: str = 'channels_last', out: Any = None, device: Any = None, strict: bool = False,
                return_report: bool = False) -> Any:
    """y[n, o] = x[n] at the point grid[n, o].

    x: as of max_pool(), of two or three dimensions. grid: [batch, sizes of y..., dimensions] float32; coordinates are (w, h) or
    (w, h, d), -1 and 1 the outer edges of the first and the last pixel, with align_corners=True their middles. mode: 'linear' or
    'nearest' (halves to even). padding, outside the image: 'zeros', 'border' or 'reflection'. Raises fade.Error, with nothing written.
    """
    of = framework(x)
    of.check(x, grid)
    how = layout_of(layout)
    points = _Points(_images('x', x, how), grid, mode, padding, align_corners, how)
    y = made(of, x, out, points.shape, None)
    on, stream = where(of, x, device)
    said = on.grid_sample(x, grid, y, *points.numbers, stream, strict, return_report)
    return answered(of.finished(y), said, return_report)


def grid_sample_gradient(dy: Any, x: Any, grid: Any, *, of_x: bool = True, of_grid: bool = True, mode: str = 'linear',
                         padding: str = 'zeros', align_corners: bool = False, layout: str = 'channels_last', device: Any = None,
                         strict: bool = False, return_report: bool = False) -> Any:
    """(dx, dgrid), the one that of_x or of_grid leaves out being None; dx is summed in a fixed order. All else as of grid_sample()."""
    of = framework(x)
    of.check(dy, x, grid)
    how = layout_of(layout)
    points = _Points(_images('x', x, how), grid, mode, padding, align_corners, how)
    shaped('dy', dy, points.shape)
    dx = of.empty(x, tuple(x.shape), None) if of_x else None
    dgrid = of.empty(x, tuple(grid.shape), 'float32') if of_grid else None
    on, stream = where(of, x, device)
    said = on.grid_sample_gradient(dy, x, grid, dx, dgrid, *points.numbers, stream, strict, return_report)
    return answered((of.finished(dx), of.finished(dgrid)), said, return_report)
