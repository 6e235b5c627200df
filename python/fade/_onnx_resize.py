"""ONNX's Resize and Upsample: fade.upsample where it takes the same pixels, else a product with a matrix of weights a dimension."""
from __future__ import annotations

from fractions import Fraction
from math import ceil, floor

import numpy as np

import fade

from ._onnx_call import ROW_TYPES, contiguous, lacks, operator
from ._onnx_images import cubic_weights

HALF = Fraction(1, 2)
ROUNDED = {'round_prefer_floor': lambda p: ceil(p - HALF), 'round_prefer_ceil': lambda p: floor(p + HALF), 'floor': floor, 'ceil': ceil}


class Dimension:
    """One dimension at another size: out outputs of size pixels, scale times as many; roi are the ends of a crop."""

    def __init__(self, size: int, out: int, scale: Fraction, roi=(0.0, 1.0)):
        self.size, self.out, self.scale, self.roi = size, out, scale, [Fraction(float(r)) for r in roi]

    def positions(self, how: str) -> list[Fraction]:
        """Where outputs lie among the pixels, as ONNX's coordinate_transformation_mode has it."""
        return [self.position(o, how) for o in range(self.out)]

    def position(self, o: int, how: str) -> Fraction:
        last, width = self.size - 1, self.size * self.scale      # which may be no whole number
        if how == 'asymmetric':
            return o / self.scale
        if how == 'align_corners':
            return o * last / (width - 1) if width != 1 else Fraction(0)
        if how == 'tf_crop_and_resize':
            begin, end = self.roi
            return begin * last + (o * (end - begin) * last / (width - 1) if width != 1 else (end - begin) * last / 2)
        if how == 'pytorch_half_pixel' and width == 1:
            return -HALF
        if how in ('half_pixel', 'pytorch_half_pixel'):
            return (o + HALF) / self.scale - HALF
        if how == 'half_pixel_symmetric':
            return Fraction(self.size, 2) * (1 - self.out / width) + (o + HALF) / self.scale - HALF
        return lacks(f'the coordinate_transformation_mode {how}')

    def inside(self, at):
        return min(max(at, 0), self.size - 1)

    def pixels(self, how: str, rounding: str) -> list[int]:
        return [self.inside(ROUNDED[rounding](p)) for p in self.positions(how)]

    def seen(self, how: str) -> list[Fraction]:
        return [self.inside(p) for p in self.positions(how)]


def whole(d: Dimension) -> Dimension:
    """Scaled by the ratio of its sizes, as upsample does."""
    return Dimension(d.size, d.out, Fraction(d.out, d.size))


def mode_of_upsample(dimensions, mode: str, how: str, rounding: str):
    """The arguments with which upsample takes the same pixels, whatever ONNX calls them; None if there are none."""
    if mode == 'nearest':
        wanted = [d.pixels(how, rounding) for d in dimensions]
        taken = {'nearest': [[o * d.size // d.out for o in range(d.out)] for d in dimensions],
                 'nearest_exact': [[(2 * o + 1) * d.size // (2 * d.out) for o in range(d.out)] for d in dimensions]}
        return next((dict(mode=name) for name, pixels in taken.items() if pixels == wanted), None)
    wanted = [d.seen(how) for d in dimensions]
    return next((dict(mode='linear', align_corners=aligned) for aligned, by in ((False, 'half_pixel'), (True, 'align_corners'))
                 if [whole(d).seen(by) for d in dimensions] == wanted), None)


def weights(d: Dimension, kernel, how: str, antialias: bool, exclude_outside: bool):
    """[out, size]: how much of each pixel an output has. Pixels outside are those at the ends, or with exclude_outside nothing."""
    narrow = min(float(d.scale), 1.0) if antialias else 1.0
    reach = ceil(2 / narrow) + 1
    at = np.array([float(p) for p in d.positions(how)])[:, None]
    pixels = np.floor(at).astype(int) + np.arange(-reach, reach + 1)
    each = kernel((at - pixels) * narrow)
    if exclude_outside:
        each = np.where((pixels >= 0) & (pixels < d.size), each, 0)
    total = each.sum(1, keepdims=True)
    each = each / np.where(total == 0, 1, total)
    out = np.zeros((d.out, d.size))
    np.add.at(out, (np.arange(d.out)[:, None], pixels.clip(0, d.size - 1)), each)
    return out


def by_products(call, x, changed: dict, kernel, how: str, antialias: bool, exclude_outside: bool):
    """x with each of these dimensions multiplied by its weights; sums in float32, or in float64 where x is."""
    y = x if x.dtype == np.float64 else x.astype(np.float32)
    for axis, d in changed.items():
        last = contiguous(np.moveaxis(y, axis, -1))
        w = weights(d, kernel, how, antialias, exclude_outside).astype(y.dtype)
        z = fade.gemm(last.reshape(-1, d.size), w.T, device=call.device)
        y = np.moveaxis(z.reshape(*last.shape[:-1], d.out), -1, axis)
    return contiguous(y).astype(x.dtype)


def resized(call, x, dimensions, mode: str, how: str, rounding: str, antialias=False, exclude_outside=False):
    """x with dimensions of other sizes. Where fade.upsample takes the same pixels it runs; nearest ones are else moved by NumPy."""
    if mode not in ('nearest', 'linear', 'cubic'):
        lacks(f'{call.node.op_type} by the mode {mode}')
    changed = {axis: d for axis, d in enumerate(dimensions) if (d.out, d.scale) != (d.size, 1) or how == 'tf_crop_and_resize'}
    antialias = antialias and any(d.scale < 1 for d in dimensions)
    # exclude_outside leaves weights of pixels outside the image out, which between two neighbours is to take the one inside.
    if x.dtype.name in ROW_TYPES and x.ndim > 2 and mode != 'cubic' and not antialias and not {0, 1} & set(changed):
        if (more := mode_of_upsample(dimensions[2:], mode, how, rounding)) is not None:
            return fade.upsample(contiguous(x), [d.out for d in dimensions[2:]], layout='channels_first', device=call.device, **more)
    if mode == 'nearest':
        return contiguous(x[np.ix_(*(d.pixels(how, rounding) for d in dimensions))])
    if x.dtype.name not in (*ROW_TYPES, 'float64'):
        lacks(f'{call.node.op_type} of {x.dtype.name} by the mode {mode}')
    kernel = (lambda apart: cubic_weights(apart, call['cubic_coeff_a', -0.75])) if mode == 'cubic' else \
        (lambda apart: np.maximum(1 - np.abs(apart), 0))
    return by_products(call, x, changed, kernel, how, antialias, exclude_outside)


# ---- sizes and scales --------------------------------------------------------------------------------------------------------------

def by_scales(shape, scales) -> list[Dimension]:
    """Outputs are whole numbers below the products; a scale that float32 rounds from a ratio of pixels is that ratio."""
    def one(size, scale):
        nearest, product = round(size * float(scale)), size * float(scale)
        if np.float32(nearest / size) != np.float32(scale):
            return Dimension(size, floor(product), Fraction(float(scale)))
        if nearest > floor(product):
            lacks(f'a scale of {scale} of {size} pixels, whose product is just below a whole number')
        return Dimension(size, nearest, Fraction(nearest, size))
    return [one(*pair) for pair in zip(shape, scales)]


def by_sizes(shape, sizes, policy: str) -> list[Dimension]:
    """These sizes, or of one scale for all dimensions where a policy keeps their ratio."""
    if policy == 'stretch':
        return [Dimension(s, n, Fraction(n, s)) for s, n in zip(shape, sizes)]
    ratios = [Fraction(n, s) for s, n in zip(shape, sizes)]
    scale = min(ratios) if policy == 'not_larger' else max(ratios)
    return [Dimension(s, floor(scale * s + HALF), scale) for s in shape]


@operator
def Resize(call):
    x = call.input(0)
    old = call.opset < 11                        # there were no sizes then, and positions were asymmetric
    scales, sizes = (call.input(1), None) if old else (call.input(2), call.input(3))
    how = call['coordinate_transformation_mode', 'asymmetric' if old else 'half_pixel']
    axes = [a % x.ndim for a in call['axes', None] or range(x.ndim)]
    shape = [x.shape[a] for a in axes]
    has_sizes = sizes is not None and sizes.size
    named = by_sizes(shape, sizes.tolist(), call['keep_aspect_ratio_policy', 'stretch']) if has_sizes else by_scales(shape, scales.tolist())
    if how == 'tf_crop_and_resize':
        if not has_sizes:
            lacks('Resize of a crop by scales, of whose sizes ONNX says two things')
        roi = call.input(1)
        named = [Dimension(d.size, d.out, d.scale, ends) for d, ends in zip(named, zip(roi[:len(axes)], roi[len(axes):]))]
    given = dict(zip(axes, named))
    dimensions = [given.get(a) or Dimension(n, n, Fraction(1)) for a, n in enumerate(x.shape)]
    y = resized(call, x, dimensions, call['mode', 'nearest'], how, call['nearest_mode', 'floor' if old else 'round_prefer_floor'],
                bool(call['antialias', 0]), bool(call['exclude_outside', 0]))
    if how == 'tf_crop_and_resize':
        for axis, d in enumerate(dimensions):
            outside = [not 0 <= p <= d.size - 1 for p in d.positions(how)]
            np.moveaxis(y, axis, 0)[outside] = call['extrapolation_value', 0.0]
    return y


@operator
def Upsample(call):
    x, scales = call.input(0), call['scales', None] or call.input(1).tolist()
    return resized(call, x, by_scales(x.shape, scales), call['mode', 'nearest'].removeprefix('bi'), 'asymmetric', 'floor')
