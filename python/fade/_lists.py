"""Primitives over lists: tensors of one dimension."""
from __future__ import annotations

from typing import Any

from ._error import Error
from ._report import answered
from ._tensors import framework, where

OPERATIONS = {'sum': 0, 'min': 1, 'max': 2}


def _operation(op: str) -> int:
    if op not in OPERATIONS:
        raise Error('op', repr(op), f'it is one of {", ".join(OPERATIONS)}')
    return OPERATIONS[op]


def _begin(x, *more):
    of = framework(x)
    of.check(x, *more)
    return of


def sort(x: Any, values: Any = None, *, descending: bool = False, device: Any = None, strict: bool = False,
         return_report: bool = False) -> Any:
    """A list in order; with values (of 4 or 8 bytes) the pair of it and of the values that stood beside the elements.

    Equal elements keep their order, both zeros are equal, and a NaN comes last (first where its sign is set). Types: float64,
    float32, float16, bfloat16, int32.
    """
    of = _begin(x, values)
    out = of.empty(x, tuple(x.shape), None)
    beside = None if values is None else of.empty(values, tuple(values.shape), None)
    on, stream = where(of, x, device)
    said = on.sort(x, values, out, beside, descending, stream, strict, return_report)
    return answered(of.finished(out) if values is None else (of.finished(out), of.finished(beside)), said, return_report)


def scan(x: Any, *, exclusive: bool = False, first: float = 0.0, any_order: bool = False, out: Any = None, device: Any = None,
         strict: bool = False, return_report: bool = False) -> Any:
    """Running sums of a list: x[0] + ... + x[i], or exclusive first + x[0] + ... + x[i - 1].

    Types: float64, float32, int32. Floats want any_order=True: GPUs add them in an order that may differ from call to call.
    """
    of = _begin(x)
    if first and not exclusive:
        raise Error('first', str(first), 'an inclusive scan begins at its first element: give exclusive=True')
    if out is None:
        out = of.empty(x, tuple(x.shape), None)
    on, stream = where(of, x, device)
    said = on.scan(x, out, exclusive, float(first), any_order, stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def select(x: Any, flags: Any, *, wait: bool = True, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """The elements of a list whose flag is not 0, in their order: [selected].

    flags: as many as x has, bool or of 8 bits. How many there are is known on the device alone, so the call waits for a GPU;
    wait=False does not, and returns (room, selected): memory of x's size whose first selected[0] elements (int32 [1]) are set.
    Types: float64, float32, float16, bfloat16, int32.
    """
    of = _begin(x)
    out, selected = of.empty(x, tuple(x.shape), None), of.empty(x, (1,), 'int32')
    on, stream = where(of, x, device)
    said = on.select(x, of.as_bytes(flags), out, selected, stream, strict, return_report)
    if not wait:
        return answered((of.finished(out), of.finished(selected)), said, return_report)
    return answered(of.finished(out[:int(selected[0])]), said, return_report)


def reduce(x: Any, op: str = 'sum', *, offsets: Any = None, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """[1]: the 'sum', 'min' or 'max' of a list; with offsets ([segments + 1] int32) [segments], one of each of its segments.

    16-bit floats give float32. A NaN stays one.
    """
    of = _begin(x)
    name = 'float32' if of.dtype_name(x) in ('float16', 'bfloat16') else None
    out = of.empty(x, (1 if offsets is None else len(offsets) - 1,), name)
    on, stream = where(of, x, device)
    said = on.reduce_list(x, offsets, out, _operation(op), stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def histogram(x: Any, bins: int, lower: float, upper: float, *, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """[bins] int32: how many elements of a list lie in each of equal bins in [lower, upper)."""
    of = _begin(x)
    out = of.empty(x, (bins,), 'int32')
    on, stream = where(of, x, device)
    said = on.histogram(x, out, float(lower), float(upper), stream, strict, return_report)
    return answered(of.finished(out), said, return_report)


def list_top_k(x: Any, k: int, *, device: Any = None, strict: bool = False, return_report: bool = False) -> Any:
    """(values, places): the k largest elements of a list in the order of sort(), and int32 where they stand."""
    of = _begin(x)
    values, places = of.empty(x, (k,), None), of.empty(x, (k,), 'int32')
    on, stream = where(of, x, device)
    said = on.list_top_k(x, values, places, k, stream, strict, return_report)
    return answered((of.finished(values), of.finished(places)), said, return_report)
