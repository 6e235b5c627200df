"""Products of 8-bit floats with a scale for every 128 values."""
from __future__ import annotations

from typing import Any, Sequence

from ._error import Error
from ._gemm import columns_of, stage
from ._report import answered
from ._tensors import framework, name_of, where


def scaled_gemm(a: Any, b: Any, scale_a: Any, scale_b: Any, *, rows_per_scale: int = 1, columns_per_scale: int = 128,
                epilogue: Sequence = (), out: Any = None, out_dtype: Any = None, device: Any = None, strict: bool = False,
                return_report: bool = False) -> Any:
    """D = epilogue(the sum over parts s of 128 k of scale_a[i, s] * scale_b[j, s] * (a @ b over s)).

    a: [m, k], b: [k, n] of one 8-bit float; each may be a transposed view, as b is of weights [n, k]. scale_a: [m / rows_per_scale,
    k / 128], scale_b: [n / columns_per_scale, k / 128], rounded up, of float32 at any strides above 0. rows_per_scale and
    columns_per_scale are powers of two: 1 and 128 are what DeepSeek-V3 has. The result [m, n] is bfloat16 or float32 (out_dtype).
    Sums are float32, rounded once at the end. epilogue: as of gemm(), gates too, behind which the result is [m, n / 2]. Raises
    fade.Error, with nothing written.
    """
    of = framework(a)
    of.check(a, b, scale_a, scale_b)
    for name, t in (('a', a), ('b', b)):
        if len(t.shape) != 2:
            raise Error(name, f'of shape {list(t.shape)}', 'it is a matrix')
    for name, lines in (('rows_per_scale', rows_per_scale), ('columns_per_scale', columns_per_scale)):
        if not isinstance(lines, int) or lines < 1 or lines & (lines - 1):
            raise Error(name, repr(lines), 'it must be a power of two: 128 shares a scale among 128, 1 gives each its own')
    if out is None:
        out = of.empty(a, (a.shape[0], columns_of(b.shape[1], epilogue)), 'bfloat16' if out_dtype is None else name_of(out_dtype))
    on, stream = where(of, a, device)
    said = on.scaled_gemm(a, b, out, scale_a, scale_b, [stage(s) for s in epilogue], rows_per_scale, columns_per_scale, stream, strict,
                          return_report)
    return answered(of.finished(out), said, return_report)
