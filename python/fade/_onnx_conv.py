"""ONNX's geometry of convolutions in fade's words: margins of Conv, sizes and margins of ConvTranspose."""
from __future__ import annotations


def same(total: int, lower: bool) -> tuple[int, int]:
    """(before, behind) of so many zeros; an odd one lies before where the attribute ends in LOWER."""
    return (total - total // 2, total // 2) if lower else (total // 2, total - total // 2)


def margins(auto_pad: str, pads, sizes, taps, stride, dilation) -> list[tuple[int, int]]:
    """Of Conv: (before, behind) for each dimension."""
    n = len(sizes)
    if auto_pad.startswith('SAME'):
        totals = [max((-(-s // st) - 1) * st + (t - 1) * d + 1 - s, 0) for s, t, st, d in zip(sizes, taps, stride, dilation)]
        return [same(total, auto_pad == 'SAME_LOWER') for total in totals]
    pads = [0] * 2 * n if auto_pad == 'VALID' or pads is None else list(pads)
    return list(zip(pads[:n], pads[n:]))


def transposed(auto_pad: str, pads, sizes, taps, stride, dilation, more, output_shape) -> tuple[list[int], list[tuple[int, int]]]:
    """Of ConvTranspose: the sizes of its result, and the margins of the convolution whose gradient it is."""
    n = len(sizes)
    full = [st * (s - 1) + m + (t - 1) * d + 1 for s, t, st, d, m in zip(sizes, taps, stride, dilation, more)]
    if output_shape is None and not auto_pad.startswith('SAME'):
        pads = [0] * 2 * n if auto_pad == 'VALID' or pads is None else list(pads)
        pairs = list(zip(pads[:n], pads[n:]))
        return [f - a - b for f, (a, b) in zip(full, pairs)], pairs
    out = list(output_shape)[-n:] if output_shape is not None else [s * st for s, st in zip(sizes, stride)]
    return out, [same(f - o, auto_pad != 'SAME_UPPER') for f, o in zip(full, out)]
