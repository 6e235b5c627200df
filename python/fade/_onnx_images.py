"""ONNX's operators over images: pooling, batch normalisation, samples at points, images of another size."""
from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np

import fade

from . import _onnx_conv
from ._onnx_call import contiguous, in_float32, lacks, operator

# ---- pooling -----------------------------------------------------------------------------------------------------------------------

def window_of(call, x) -> dict:
    """The arguments of a pooling but x."""
    taps = list(call['kernel_shape', None])
    each = [1] * len(taps)
    stride, dilation = list(call['strides', each]), list(call['dilations', each])
    padding = _onnx_conv.margins(call['auto_pad', 'NOTSET'], call['pads', None], x.shape[2:], taps, stride, dilation)
    return dict(window=taps, stride=stride, dilation=dilation, padding=padding, ceil_mode=bool(call['ceil_mode', 0]),
                layout='channels_first', device=call.device)


def places_in(x, indices, by_columns: bool):
    """ONNX counts the places of largest elements over all of x, and with by_columns its pixels by their first dimension first."""
    pixels = int(np.prod(x.shape[2:]))
    if (indices < 0).any():
        lacks('places of largest elements of windows that see no pixel')
    if by_columns:
        indices = np.ravel_multi_index(np.unravel_index(indices, x.shape[2:]), x.shape[2:], order='F')
    first = np.arange(x.shape[0] * x.shape[1], dtype=np.int64).reshape(*x.shape[:2], *[1] * (x.ndim - 2)) * pixels
    return indices.astype(np.int64) + first


@operator
def MaxPool(call):
    x = call.input(0)
    if x.dtype in (np.int8, np.uint8):
        call.inputs[0] = in_float32(call, x)
        y, places = MaxPool(call)
        return y.astype(x.dtype), places
    call.reals(x)
    y, indices = fade.max_pool(contiguous(x), return_indices=True, **window_of(call, x))
    return y, (places_in(x, indices, bool(call['storage_order', 0])) if call.wants(1) else None)


@operator
def AveragePool(call):
    x = call.input(0)
    call.reals(x)
    return fade.avg_pool(contiguous(x), count_include_pad=bool(call['count_include_pad', 0]), **window_of(call, x))


def in_one_window(call, pool):
    """The images of each channel as one window."""
    x = call.input(0)
    call.reals(x)
    lines = contiguous(x).reshape(*x.shape[:2], -1)
    return pool(lines, lines.shape[2], layout='channels_first', device=call.device).reshape(*x.shape[:2], *[1] * (x.ndim - 2))


@operator
def GlobalAveragePool(call):
    return in_one_window(call, fade.avg_pool)


@operator
def GlobalMaxPool(call):
    return in_one_window(call, fade.max_pool)


# ---- batch normalisation -----------------------------------------------------------------------------------------------------------

@operator
def BatchNormalization(call):
    x, *vectors = call.inputs[:5]
    call.reals(x, *vectors)
    if call['training_mode', 0] or call.wants(1):
        lacks('BatchNormalization in training mode, whose running variance is that of a finite number of pixels')
    if not call['spatial', 1]:
        lacks('BatchNormalization whose statistics differ from pixel to pixel')
    weight, bias, mean, variance = (contiguous(v.astype(np.float32)) for v in vectors)
    lines = contiguous(x).reshape(*x.shape[:2], -1)
    y = fade.batch_norm_inference(lines, mean, variance, weight, bias, epsilon=call['epsilon', 1e-5], layout='channels_first',
                                  device=call.device)
    return y.reshape(x.shape)


# ---- samples at points -------------------------------------------------------------------------------------------------------------

@operator
def GridSample(call):
    x, grid = call.input(0), call.input(1)
    call.reals(x, grid)
    mode = call['mode', 'linear'].removeprefix('bi')
    return fade.grid_sample(contiguous(x), contiguous(grid.astype(np.float32)), mode=mode, padding=call['padding_mode', 'zeros'],
                            align_corners=bool(call['align_corners', 0]), layout='channels_first', device=call.device)


# ---- images of another size --------------------------------------------------------------------------------------------------------

HALF = Fraction(1, 2)
ROUNDED = {'round_prefer_floor': lambda p: ceil(p - HALF), 'round_prefer_ceil': lambda p: floor(p + HALF), 'floor': floor, 'ceil': ceil}


def position(o: int, size: int, out: int, how: str) -> Fraction:
    """Where output o of a dimension lies in the image, as ONNX's coordinate_transformation_mode has it."""
    if how == 'asymmetric':
        return Fraction(o * size, out)
    if how == 'align_corners' or how == 'pytorch_half_pixel' and out == 1:
        return Fraction(o * (size - 1), out - 1) if out > 1 else Fraction(0)
    if how in ('half_pixel', 'half_pixel_symmetric', 'pytorch_half_pixel'):
        return (o + HALF) * size / out - HALF
    return lacks(f'the coordinate_transformation_mode {how}')


def inside(at, size: int):
    return min(max(at, 0), size - 1)


def nearest_mode(sizes, outs, how: str, rounding: str) -> str:
    """FADE's mode that takes the same pixels as ONNX's, whatever that calls its own."""
    wanted = [[inside(ROUNDED[rounding](position(o, s, n, how)), s) for o in range(n)] for s, n in zip(sizes, outs)]
    taken = {'nearest': [[o * s // n for o in range(n)] for s, n in zip(sizes, outs)],
             'nearest_exact': [[(2 * o + 1) * s // (2 * n) for o in range(n)] for s, n in zip(sizes, outs)]}
    return next((mode for mode, pixels in taken.items() if pixels == wanted), '') or \
        lacks(f'pixels of {list(sizes)} at {list(outs)} by {how} and {rounding}, which differ from those of every mode of upsample')


def has_aligned_corners(sizes, outs, how: str) -> bool:
    """Which of FADE's positions are ONNX's, between the middles of the first and the last pixel?"""
    def positions(by):
        return [[inside(position(o, s, n, by), s) for o in range(n)] for s, n in zip(sizes, outs)]
    wanted = positions(how)
    for aligned, by in ((False, 'half_pixel'), (True, 'align_corners')):
        if positions(by) == wanted:
            return aligned
    return lacks(f'positions of {list(sizes)} at {list(outs)} by {how}, which differ from those of upsample')


def whole_sizes(shape, scales) -> list[int]:
    """Sizes that have just these scales, as float32 holds them."""
    outs = [floor(s * float(scale)) for s, scale in zip(shape, scales)]
    nearest = [round(s * float(scale)) for s, scale in zip(shape, scales)]
    for size, out, scale in zip(shape, nearest, scales):
        if np.float32(out / size) != np.float32(scale):
            lacks(f'a scale of {scale} of {size} pixels, which is no whole number of them')
    return nearest if nearest == outs else lacks(f'scales {list(scales)} of {list(shape)}, whose products are just below whole numbers')


def sizes_within(shape, sizes, policy: str) -> list[int]:
    """Sizes that keep the ratio of the dimensions."""
    if policy == 'stretch':
        return list(sizes)
    ratios = [Fraction(n, s) for s, n in zip(shape, sizes)]
    scale = min(ratios) if policy == 'not_larger' else max(ratios)
    if any((scale * s).denominator != 1 for s in shape):
        lacks(f'sizes {list(sizes)} of {list(shape)} by {policy}, which makes no whole numbers of pixels')
    return [int(scale * s) for s in shape]


def resized(call, outs, mode: str, how: str, rounding: str):
    """x at sizes outs, of all its dimensions."""
    x = call.input(0)
    if outs[:2] != list(x.shape[:2]):
        lacks(f'{call.node.op_type} of batches or channels')
    sizes, outs = list(x.shape[2:]), outs[2:]
    if mode == 'nearest' and x.dtype.kind in 'iu':
        call.inputs[0] = in_float32(call, x)
        return resized(call, [*x.shape[:2], *outs], mode, how, rounding).astype(x.dtype)
    call.reals(x)
    if mode == 'nearest':
        more = dict(mode=nearest_mode(sizes, outs, how, rounding))
    elif mode == 'linear':
        more = dict(mode='linear', align_corners=has_aligned_corners(sizes, outs, how))
    else:
        lacks(f'{call.node.op_type} by the mode {mode}')
    return fade.upsample(contiguous(x), outs, layout='channels_first', device=call.device, **more)


@operator
def Resize(call):
    x = call.input(0)
    old = call.opset < 11                        # there were no sizes then, and positions were asymmetric
    scales, sizes = (call.input(1), None) if old else (call.input(2), call.input(3))
    axes = [a % x.ndim for a in call['axes', None] or range(x.ndim)]
    shape, outs = [x.shape[a] for a in axes], list(x.shape)
    named = sizes_within(shape, sizes.tolist(), call['keep_aspect_ratio_policy', 'stretch']) if sizes is not None and sizes.size else \
        whole_sizes(shape, scales.tolist())
    for a, n in zip(axes, named):
        outs[a] = n
    if call['antialias', 0] and any(n < s for s, n in zip(x.shape, outs)):
        lacks('Resize to fewer pixels with antialias')
    # exclude_outside leaves weights of pixels outside the image out, which between two neighbours is to take the one inside.
    return resized(call, outs, call['mode', 'nearest'], call['coordinate_transformation_mode', 'asymmetric' if old else 'half_pixel'],
                   call['nearest_mode', 'floor' if old else 'round_prefer_floor'])


@operator
def Upsample(call):
    x, scales = call.input(0), call['scales', None] or call.input(1).tolist()
    return resized(call, whole_sizes(x.shape, scales), call['mode', 'nearest'].removeprefix('bi'), 'asymmetric', 'floor')
