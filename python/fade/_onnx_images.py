"""ONNX's operators over images: pooling, normalisations, samples at points."""
from __future__ import annotations

from itertools import product

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


def in_norm(call, x, mean):
    """The norm of order p over windows, of the mean of powers: powers are NumPy's, means FADE's."""
    call.reals(x)
    p = call['p', 2]
    means, count = mean(np.abs(x.astype(np.float32)) ** p)
    return ((means * count) ** (1 / p)).astype(x.dtype)


@operator
def LpPool(call):
    x = call.input(0)
    return in_norm(call, x, lambda t: (fade.avg_pool(t, count_include_pad=True, **window_of(call, x)), np.prod(call['kernel_shape', None])))


@operator
def GlobalLpPool(call):
    x, pixels = call.input(0), call.input(0)[0, 0].size
    return in_norm(call, x, lambda t: (fade.avg_pool(t.reshape(*x.shape[:2], -1), pixels, layout='channels_first',
                                                     device=call.device).reshape(*x.shape[:2], *[1] * (x.ndim - 2)), pixels))


# ---- normalisations ----------------------------------------------------------------------------------------------------------------

def normalised(call, x, of_batch: bool, epsilon, *vectors):
    """Batch normalisation of x by its own mean and variance, or by those in the last two vectors; all [channels]."""
    weight, bias, *moments = (None if v is None else contiguous(v.astype(np.float32, copy=False)) for v in vectors)
    lines, more = contiguous(x).reshape(*x.shape[:2], -1), dict(epsilon=epsilon, layout='channels_first', device=call.device)
    if of_batch:
        mean, variance = moments or (None, None)
        return fade.batch_norm(lines, weight, bias, running_mean=mean, running_variance=variance, momentum=1.0, **more).reshape(x.shape)
    return fade.batch_norm_inference(lines, *moments, weight, bias, **more).reshape(x.shape)


@operator
def BatchNormalization(call):
    x, *vectors = call.inputs[:5]
    call.reals(x, *vectors)
    if not call['spatial', 1]:
        lacks('BatchNormalization whose statistics differ from pixel to pixel')
    if not call['training_mode', 0]:
        if call.wants(1):
            lacks('BatchNormalization that writes statistics outside training mode, as before opset 14')
        return normalised(call, x, False, call['epsilon', 1e-5], *vectors)
    pixels, momentum, old = x.size // x.shape[1], call['momentum', 0.9], vectors[2:]
    # With a momentum of one the running values become this batch's. FADE divides by one pixel fewer, ONNX by all of them.
    now = [np.zeros(x.shape[1], np.float32) for _ in range(2)]
    y = normalised(call, x, True, call['epsilon', 1e-5], *vectors[:2], *now)
    now[1] *= (pixels - 1) / pixels
    return y, *((t * momentum + n * (1 - momentum)).astype(t.dtype) for t, n in zip(old, now))


@operator
def MeanVarianceNormalization(call):
    x = call.input(0)
    call.reals(x)
    axes = [a % x.ndim for a in call['axes', [0, 2, 3]]]
    order = [i for i in range(x.ndim) if i not in axes] + axes
    there = x.transpose(order)
    rows = contiguous(there).reshape(1, -1, int(np.prod([x.shape[a] for a in axes])))
    return normalised(call, rows, True, 1e-18, None, None).reshape(there.shape).transpose(np.argsort(order))


@operator
def InstanceNormalization(call):
    x, weight, bias = call.inputs
    call.reals(x, weight, bias)
    each_image = (np.tile(v, x.shape[0]) for v in (weight, bias))
    return normalised(call, x.reshape(1, -1, *x.shape[2:]), True, call['epsilon', 1e-5], *each_image).reshape(x.shape)


@operator
def GroupNormalization(call):
    x, weight, bias = call.inputs
    call.reals(x, weight, bias)
    groups, channels = call['num_groups', 1], x.shape[1]
    rows = normalised(call, x.reshape(1, x.shape[0] * groups, -1), True, call['epsilon', 1e-5], None, None)
    weight, bias = (v.repeat(channels // v.size) for v in (weight, bias))        # before opset 21 there was one a group
    return normalised(call, rows.reshape(x.shape), False, 0.0, weight, bias, np.zeros(channels), np.ones(channels))


@operator
def LRN(call):
    """The mean of squares of neighbouring channels is FADE's, of channels as pixels; the power is NumPy's."""
    x, size = call.input(0), call['size', None]
    call.reals(x)
    if size > x.shape[1]:
        lacks(f'LRN over {size} of {x.shape[1]} channels')
    squares = np.square(x.astype(np.float32)).reshape(x.shape[0], 1, x.shape[1], -1)
    margin = (size - 1) // 2
    means = fade.avg_pool(contiguous(squares), [size, 1], stride=1, padding=[(margin, size - 1 - margin), (0, 0)],
                          layout='channels_first', device=call.device).reshape(x.shape)
    return (x / (call['bias', 1.0] + call['alpha', 1e-4] * means) ** call['beta', 0.75]).astype(x.dtype)


# ---- samples at points -------------------------------------------------------------------------------------------------------------

@operator
def GridSample(call):
    x, grid = call.input(0), call.input(1)
    call.reals(x, grid)
    mode = call['mode', 'linear'].removeprefix('bi')
    more = dict(padding=call['padding_mode', 'zeros'], align_corners=bool(call['align_corners', 0]), layout='channels_first',
                device=call.device)
    x, grid = contiguous(x), contiguous(grid.astype(np.float32))
    return cubic_samples(x, grid, **more) if mode == 'cubic' else fade.grid_sample(x, grid, mode=mode, **more)


def cubic_weights(apart, a=-0.75):
    """Keys's kernel at these distances."""
    d = np.abs(apart)
    return np.where(d <= 1, ((a + 2) * d - (a + 3)) * d * d + 1, np.where(d < 2, ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, 0))


def cubic_samples(x, grid, align_corners, padding, **more):
    """The pixels around each point are FADE's samples of the mode nearest; NumPy weights them."""
    sizes = np.array(x.shape[2:][::-1], np.float32)              # grids have the last dimension first
    at = (grid + 1) * (sizes - 1) / 2 if align_corners else ((grid + 1) * sizes - 1) / 2
    if padding == 'border':                      # ONNX moves points outside first, and then their neighbours
        low = 0 if align_corners else -0.5
        at = np.where((at < low) | (at > sizes - 1 - low), at.clip(0, sizes - 1), at)
    first, out = np.floor(at), 0
    for tap in product(range(-1, 3), repeat=len(sizes)):
        pixel = first + np.array(tap, np.float32)
        middle = 2 * pixel / np.maximum(sizes - 1, 1) - 1 if align_corners else (2 * pixel + 1) / sizes - 1
        weight = np.prod(cubic_weights(at - pixel), -1, dtype=np.float32)[:, None]
        out = out + weight * fade.grid_sample(x, contiguous(middle), mode='nearest', padding=padding, align_corners=align_corners, **more)
    return out.astype(x.dtype)
