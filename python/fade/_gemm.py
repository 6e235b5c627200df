"""Matrix multiplication with an epilogue."""
from __future__ import annotations

from typing import Any, Sequence

from ._error import Error
from ._report import answered
from ._tensors import framework, name_of, where
from ._tuned import asked

STAGES = ('bias', 'bias_col', 'relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid', 'clamp', 'scale', 'residual', 'mul', 'drelu', 'dgelu',
          'dsilu', 'scale_rows', 'scale_columns', 'batch_bias', 'aux', 'amax', 'swiglu', 'geglu', 'geglu_tanh')
GATES = {'swiglu', 'geglu', 'geglu_tanh'}
TENSORS = set(STAGES) - {'relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid', 'clamp', 'scale'} - GATES
OUT = {'int8': 'int32', 'float8_e4m3fn': 'bfloat16', 'float8_e5m2': 'bfloat16', 'float8_e4m3fnuz': 'bfloat16',
       'float8_e5m2fnuz': 'bfloat16'}


def stage(one) -> tuple:
    """(kind, values, low, high) of a stage as users write it."""
    name, *rest = (one,) if isinstance(one, str) else tuple(one)
    if name not in STAGES:
        raise Error('epilogue', repr(name), f'its stages are {", ".join(STAGES)}')
    wanted = 2 if name == 'clamp' else 1 if name == 'scale' or name in TENSORS else 0
    if len(rest) != wanted:
        raise Error('epilogue', f'{name} with {len(rest)} values', f'{name} takes {wanted}: ("bias", tensor), ("clamp", low, high), '
                    '("scale", factor), "relu"')
    numbers = [] if name in TENSORS else [float(x) for x in rest]
    low, high = (numbers + [0.0, 0.0])[:2]
    return STAGES.index(name), rest[0] if name in TENSORS else None, low, high


def columns_of(n: int, epilogue: Sequence) -> int:
    """Columns of the result of n columns of a product: half as many where the epilogue has a gate."""
    names = [one if isinstance(one, str) else next(iter(one), None) for one in epilogue]
    return n // 2 if GATES.intersection(names) else n


def gemm(a: Any, b: Any, *, c: Any = None, alpha: float = 1.0, beta: float | None = None, epilogue: Sequence = (), row_sums: Any = None,
         column_sums: Any = None, out: Any = None, out_dtype: Any = None, split_k: int = 1, tuned: Any = None, device: Any = None,
         strict: bool = False, return_report: bool = False) -> Any:
    """D = epilogue(alpha * a @ b + beta * c).

    a: [..., m, k], b: [..., k, n], c and the result [..., m, n]; a and b may be transposed views, and one matrix serves a
    whole batch. Types: float32, float64; float16 and bfloat16 (results of the same or float32); int8 (int32 or float32); 8-bit
    floats (bfloat16, float16, float32); a and b of two 8-bit floats, e4m3 and e5m2 or their fnuz kin (bfloat16, float32). Sums are
    float32 (float64, int32), rounded once at the end.
    epilogue: up to eight stages, as ['relu'], [('bias', t), 'gelu', ('residual', r)], [('clamp', 0, 6)], [('scale', s)]. Numbers of
    stages are float32, of float64 too. bias and scale_columns are [n], bias_col and scale_rows [m], batch_bias [..., n] of a batch; residual, mul, drelu, dgelu and dsilu read
    matrices of the result's shape, and aux writes one, which overlaps nothing else: what came in, which is passed on. All have the
    result's type. ('amax', t), t of one float32: t becomes the largest of itself and the magnitudes that pass.
    Gates (of results of the inputs' type; on GPUs float32, float16 and bfloat16): 'swiglu', 'geglu', 'geglu_tanh' make column j of D
    of columns 2j, the gate, and 2j + 1 of the product. The result is [..., m, n / 2]; stages before the gate see n columns, stages behind it n / 2. beta is 0.
    row_sums [..., m] and column_sums [n] are written: the sums of the result as it is stored, column_sums over a whole batch (the
    gradient of a bias, where the result is the gradient of what it was added to). Both are float32, or of the result's type; the
    result is float32, float16 or bfloat16.
    beta is 1 where c is given. split_k: workgroups that share a tile's k, 0 for the selector's number. tuned: a fade.tune.Database
    that is asked for a policy.
    out may be c. Raises fade.Error, with nothing written.
    """
    of = framework(a)
    of.check(a, b, c, row_sums, column_sums)
    if out is None:
        lead = tuple(a.shape[:-2]) if len(a.shape) >= len(b.shape) else tuple(b.shape[:-2])
        name = name_of(out_dtype) if out_dtype is not None else OUT.get(of.dtype_name(a))
        if len(a.shape) < 2 or len(b.shape) < 2:
            raise Error('a' if len(a.shape) < 2 else 'b', f'of {min(len(a.shape), len(b.shape))} dimensions', 'it is a matrix, or a batch of them')
        out = of.empty(a, (*lead, a.shape[-2], columns_of(b.shape[-1], epilogue)), name)
    on, stream = where(of, a, device)
    said = on.gemm(a, b, c, out, row_sums, column_sums, [stage(s) for s in epilogue], alpha,
                   (0.0 if c is None else 1.0) if beta is None else beta, split_k, stream, strict, return_report, *asked(tuned, on))
    if tuned is not None:
        tuned.hear(said)
    return answered(of.finished(out), said, return_report)
