"""Sizes of images and filters: what convolution and operators over images share."""
from __future__ import annotations

from ._error import Error
from ._tensors import name_of

LAYOUTS = {'channels_last': 0, 'channels_first': 1}
LARGEST = (1 << 31) - 1


def dimensions_of(argument: str, shape) -> int:
    if not 3 <= len(shape) <= 5:
        raise Error(argument, f'of {len(shape)} dimensions', 'it has a batch (or filters), channels and one to three dimensions between')
    return len(shape) - 2


def one_of(names: dict, argument: str, value: str) -> int:
    """What the library calls that name."""
    if value not in names:
        raise Error(argument, repr(value), f'it is one of {", ".join(names)}')
    return names[value]


def layout_of(layout: str) -> int:
    return one_of(LAYOUTS, 'layout', layout)


def each(argument: str, value, dimensions: int, least: int) -> tuple:
    """A number for each dimension, of one for all or a sequence."""
    values = (value,) * dimensions if isinstance(value, int) else tuple(value)
    if len(values) != dimensions or not all(isinstance(v, int) and least <= v <= LARGEST for v in values):
        raise Error(argument, repr(value), f'it is an integer from {least} on, or {dimensions} of them, one for each dimension of an image')
    return values


def margins(padding, dimensions: int) -> tuple:
    """(before, behind): zeros for each dimension, of one number, one a dimension, or pairs."""
    if not isinstance(padding, int) and any(not isinstance(p, int) for p in padding):
        pairs = [tuple(p) if not isinstance(p, int) else (p, p) for p in padding]
        if len(pairs) != dimensions or any(len(p) != 2 for p in pairs):
            raise Error('padding', repr(padding), f'it is a number, or {dimensions} of them or of pairs (before, behind)')
        return tuple(each('padding', tuple(p[i] for p in pairs), dimensions, 0) for i in (0, 1))
    return (each('padding', padding, dimensions, 0),) * 2


def outputs(sizes, taps, stride, dilation, before, behind, ceil_mode=False) -> tuple:
    """Windows along each dimension; with ceil_mode a last one may reach beyond the end, if it begins within the image or before it."""
    out = []
    for s, t, step, d, b, e in zip(sizes, taps, stride, dilation, before, behind):
        room = s + b + e - (t - 1) * d - 1 + (step - 1 if ceil_mode else 0)
        n = 0 if room < 0 else room // step + 1
        out.append(n - 1 if n and ceil_mode and (n - 1) * step >= s + b else n)
    return tuple(out)


def split(shape, layout: int) -> tuple:
    """(batch or filters, channels, sizes) of a shape."""
    return (shape[0], shape[1], tuple(shape[2:])) if layout else (shape[0], shape[-1], tuple(shape[1:-1]))


def joined(first, channels, sizes, layout: int) -> tuple:
    return (first, channels, *sizes) if layout else (first, *sizes, channels)


def three(values, otherwise: int) -> tuple:
    return (*(otherwise,) * (3 - len(values)), *values)


def shaped(argument: str, t, shape) -> None:
    if tuple(t.shape) != tuple(shape):
        raise Error(argument, f'of shape {list(t.shape)}', f'the other tensors and sizes make it {list(shape)}')


def made(of, like, out, shape, out_dtype):
    if out is None:
        return of.empty(like, shape, None if out_dtype is None else name_of(out_dtype))
    shaped('out', out, shape)
    return out
