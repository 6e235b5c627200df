"""Products with weights of 4 or 8 bits."""
from __future__ import annotations

from typing import Any, Sequence

from ._error import Error
from ._gemm import columns_of, stage
from ._report import answered
from ._tensors import framework, where

FORMATS = ('gptq', 'awq', 'int8', 'mxfp4', 'mxfp8', 'nvfp4')
BYTES = ('mxfp4', 'mxfp8', 'nvfp4')   # of which both weights and scales are


def columns_of_weights(format: str, weights, scales) -> int:
    """Columns of the product, by the shape of what is packed."""
    if format in ('gptq', 'awq'):
        return scales.shape[-1]
    return weights.shape[-2]


def _as_bytes(of, argument: str, t):
    try:
        return of.as_bytes(t)
    except Error:
        raise Error(argument, f'of {t.dtype}', 'its bytes are uint8 or int8: t.view(torch.uint8) copies nothing') from None


def _checked(of, a, weights, scales, format: str, group: int, groups: int):
    """(weights, scales) as the library takes them; with `groups`, each has one dimension more."""
    if format not in FORMATS:
        raise Error('format', repr(format), f'it is one of {", ".join(FORMATS)}')
    if format not in ('gptq', 'awq') and group != 0:
        raise Error('group', repr(group), 'gptq and awq alone have groups of several sizes: let it be 0')
    if not isinstance(group, int) or group < -1 or 0 < group < 16 or group > 0 and group & (group - 1):
        raise Error('group', repr(group), 'it is a power of two, at least 16, or -1 for all of k, or 0 for 128')
    for name, t, dimensions in (('a', a, 2), ('weights', weights, 2 + groups), ('scales', scales, (1 if format == 'int8' else 2) + groups)):
        if len(t.shape) != dimensions:
            raise Error(name, f'of shape {list(t.shape)}', f'it has {dimensions} dimensions')
    if format in BYTES:
        weights, scales = _as_bytes(of, 'weights', weights), _as_bytes(of, 'scales', scales)
    return weights, scales


def weight_gemm(a: Any, weights: Any, scales: Any, zeros: Any = None, *, format: str = 'gptq', group: int = 0, c: Any = None, alpha: float = 1.0,
                beta: float | None = None, epilogue: Sequence = (), out: Any = None, split_k: int = 0, device: Any = None,
                strict: bool = False, return_report: bool = False) -> Any:
    """D = epilogue(alpha * a @ W + beta * c), where W, k x n, is stored in 4 or 8 bits and becomes numbers of a's type on its way.

    a: [m, k] of float16 or bfloat16; c and the result [m, n] of the same. Memory is packed, and begins at multiples of 16 bytes.
    format: 'gptq': weights (qweight) int32 [k / 8, n], scales float16 [k / group, n], zeros (qzeros) int32 [k / group, n / 8],
    without desc_act; 'awq': weights int32 [k, n / 8], scales and zeros likewise; 'int8': weights int8 [n, k], scales float32 [n];
    'mxfp4': weights uint8 [n, k / 2], scales uint8 [n, k / 32], powers of two; 'mxfp8': weights uint8 [n, k] of e4m3, scales
    likewise; 'nvfp4': weights uint8 [n, k / 2], scales uint8 [n, k / 16] of e4m3, and the tensor's own scale is a factor of alpha.
    Bytes may be int8. group: k that share a scale of gptq and awq: a power of two, at least 16 (0: 128), or -1 for all. k is a
    multiple of it and of 32, n of 8 of gptq and awq. split_k: workgroups that share a tile's k, 0 for as many as idle compute units call for. epilogue: as
    of gemm(), gates too, behind which the result is [m, n / 2]. beta is 1 where c is given. out may be c. Raises fade.Error, with
    nothing written.
    """
    of = framework(a)
    of.check(a, c)
    weights, scales = _checked(of, a, weights, scales, format, group, 0)
    if out is None:
        out = of.empty(a, (a.shape[0], columns_of(columns_of_weights(format, weights, scales), epilogue)), None)
    on, stream = where(of, a, device)
    said = on.weight_gemm(a, weights, scales, zeros, c, out, FORMATS.index(format), group, [stage(s) for s in epilogue], alpha,
                          (0.0 if c is None else 1.0) if beta is None else beta, split_k, stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def grouped_weight_gemm(a: Any, weights: Any, scales: Any, zeros: Any = None, *, ends: Any, row_list: Any = None, format: str = 'gptq',
                        group: int = 0, c: Any = None, alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), out: Any = None,
                        check_indices: bool | None = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """D = epilogue(alpha * a @ W[g] + beta * c) for the rows of each group g, whose W, k x n, is its own, in 4 or 8 bits.

    a: [rows, k] of float16 or bfloat16; weights, scales and zeros: as weight_gemm() takes them for each format, one group behind the
    other ([groups, ...]), packed; ends: [groups] int32, row_list: [rows] int32 and check_indices: as of grouped_gemm(); c and the
    result: [rows, n] of a's type. Rows behind the last end are not written: in a new result they hold anything. epilogue: as of
    gemm(), gates too, behind which the result is [rows, n / 2]; matrices have the rows of all groups, and batch_bias is [groups, n].
    beta is 1 where c is given. out may be c. Raises fade.Error, with nothing written.
    """
    of = framework(a)
    of.check(a, c)
    weights, scales = _checked(of, a, weights, scales, format, group, 1)
    if out is None:
        rows = a.shape[0] if row_list is None else row_list.shape[0]
        out = of.empty(a, (rows, columns_of(columns_of_weights(format, weights, scales), epilogue)), None)
    on, stream = where(of, a, device)
    said = on.grouped_weight_gemm(a, weights, scales, zeros, c, out, ends, row_list, FORMATS.index(format), group, [stage(s) for s in epilogue],
                                  alpha, (0.0 if c is None else 1.0) if beta is None else beta,
                                  -1 if check_indices is None else int(bool(check_indices)), stream, strict, return_report)
    return answered(of.finished(out), said, return_report)
