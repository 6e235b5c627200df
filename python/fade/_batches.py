"""Batches of products whose matrices are found by tables of pointers."""
from __future__ import annotations

from typing import Any, Sequence

from . import _c
from ._error import Error
from ._gemm import columns_of, stage
from ._report import answered
from ._tensors import framework, name_of, where


def _matrices(argument: str, tensors) -> tuple:
    """The matrices of a sequence, of which there is one at least."""
    try:
        out = tuple(tensors)
    except TypeError:
        raise Error(argument, f'a {type(tensors).__name__}', 'it is a sequence of matrices, or a fade.PointerTable') from None
    if not out:
        raise Error(argument, 'empty', 'a batch has one matrix at least, which says the type and the shape of all')
    missing = next((i for i, t in enumerate(out) if t is None), None)
    if missing is not None:
        raise Error(f'{argument}[{missing}]', 'None', 'each is a matrix')
    framework(out[0]).check(*out)
    return out


class PointerTable:
    """Pointers to matrices of one shape, type and layout in the memory of their device: what batched_gemm() makes of a list.

    tensors: a sequence of [rows, columns], or a tensor [batch, rows, columns]; they lie anywhere on one device, and live as long as
    the table. A table spares a call the reading of each matrix and the way of its pointers to a GPU, and is what a call takes while a
    graph is captured. Raises fade.Error where the matrices differ.
    """

    __slots__ = ('tensors', 'alignment', 'read_only', 'memory')

    def __init__(self, tensors: Any):
        self.tensors = _matrices('tensors', tensors)
        pointers, self.alignment, self.read_only = _c.pointers(self.tensors, 'tensors')
        self.memory = framework(self.tensors[0]).pointers(self.tensors[0], pointers, True)

    def __len__(self) -> int:
        return len(self.tensors)


class _Operand:
    """The matrices of an argument; `pointers` are those of a list, whose table is still to be made."""

    def __init__(self, argument: str, given):
        self.table = given if isinstance(given, PointerTable) else None
        if self.table:
            self.tensors, self.pointers, self.alignment, self.read_only = given.tensors, b'', given.alignment, given.read_only
            framework(self.tensors[0]).check(*self.tensors)
        else:
            self.tensors = _matrices(argument, given)
            self.pointers, self.alignment, self.read_only = _c.pointers(self.tensors, argument)


def _tables(of, operands: Sequence) -> list:
    """The memory of each operand's table: those of lists go to the device in one piece."""
    made, at, out = of.pointers(operands[0].tensors[0], b''.join(o.pointers for o in operands if o), False), 0, []
    for o in operands:
        words = len(o.pointers) // 4 if o else 0
        out.append(None if o is None else o.table.memory if o.table else made[at:at + words])
        at += words
    return out


def batched_gemm(a: Any, b: Any, *, c: Any = None, alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), out: Any = None,
                 out_dtype: Any = None, check_pointers: bool | None = None, device: Any = None, strict: bool = False,
                 return_report: bool = False) -> Any:
    """out[i] = epilogue(alpha * a[i] @ b[i] + beta * c[i]) for matrices that lie anywhere, found by tables of pointers.

    a: as many [m, k] as b has [k, n], and c and out [m, n]: sequences of matrices, or tensors [batch, ...]. The matrices of one
    argument have the same shape, type and strides; those of a and b may be transposed views, and a, b and c may name a matrix more
    than once. Types: float32, float64; float16 and bfloat16 (results of the same or float32). Sums are float32 (float64), rounded
    once at the end. A new result is a list of matrices. In place of a sequence a fade.PointerTable names the same matrices call
    after call; while a graph of a GPU is captured all arguments are such.
    epilogue: as of gemm(), gates too; batch_bias is [batch, n], and matrices of stages are one, or [batch, m, n].
    beta is 1 where c is given. check_pointers: True: results that overlap each other or an operand are an error, which on a GPU
    waits for the stream; False: nobody looks; None: the host and emulated devices look, and GPUs do not. out may be c.
    Raises fade.Error, with nothing written.
    """
    operands = [None if x is None else _Operand(name, x) for name, x in (('a', a), ('b', b), ('c', c))]
    left, right, added = operands
    first, count = left.tensors[0], len(left.tensors)
    of = framework(first)
    for name, o in (('a', left), ('b', right)):
        if len(o.tensors[0].shape) != 2:
            raise Error(name, f'of shape {list(o.tensors[0].shape)}', 'each is a matrix')
    result = out
    if out is None:
        shape = count, first.shape[0], columns_of(right.tensors[0].shape[1], epilogue)
        result = list(of.empty(first, shape, None if out_dtype is None else name_of(out_dtype)))
    written = _Operand('out', result)
    for name, o in (('b', right), ('c', added), ('out', written)):
        if o and len(o.tensors) != count:
            raise Error(name, f'{len(o.tensors)} matrices', f'a has {count}')
    if written.read_only >= 0:
        raise Error(f'out[{written.read_only}]', 'read-only', 'it is written')
    on, stream = where(of, first, device)
    tables = _tables(of, [left, right, added, written])
    said = on.batched_gemm(first, right.tensors[0], added and added.tensors[0], written.tensors[0], *tables, count,
                           min(left.alignment, right.alignment), [stage(s) for s in epilogue], alpha,
                           (0.0 if c is None else 1.0) if beta is None else beta, -1 if check_pointers is None else int(bool(check_pointers)),
                           stream, strict, return_report)
    return answered([of.finished(x) for x in result] if out is None else out, said, return_report)
