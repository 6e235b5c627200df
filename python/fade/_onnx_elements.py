"""ONNX's element-wise operators of which FADE has stages: those of an epilogue over a product of nothing."""
from __future__ import annotations

import numpy as np

import fade

from ._onnx_call import ROW_TYPES, contiguous, lacks, operator
from ._onnx_numpy import by_reference

MOST_STAGES = 8


def near_square(shape) -> tuple[int, int]:
    """Rows and columns of these elements: tiles of a product of one row would be almost empty."""
    cuts = [(int(np.prod(shape[:i])), int(np.prod(shape[i:]))) for i in range(len(shape) + 1)]
    return min(cuts, key=lambda cut: max(cut))


def staged(call, *stages):
    """The stages over the first input; tensors in them have its shape."""
    x = call.input(0)
    if x.dtype.name not in ('float64', 'float32', 'float16', 'bfloat16'):
        lacks(f'{call.node.op_type} of {x.dtype.name}')
    rows, columns = near_square(x.shape)
    none_a, none_b = np.empty((rows, 0), x.dtype), np.empty((0, columns), x.dtype)
    flat = [(s[0], contiguous(s[1]).reshape(rows, columns)) if isinstance(s[1], np.ndarray) else s for s in stages]
    return fade.gemm(none_a, none_b, c=contiguous(x).reshape(rows, columns), beta=1.0, epilogue=flat, device=call.device).reshape(x.shape)


@operator
def Relu(call):
    return staged(call, 'relu')


@operator
def Sigmoid(call):
    return staged(call, 'sigmoid')


@operator
def Gelu(call):
    return staged(call, 'gelu_tanh' if call['approximate', 'none'] == 'tanh' else 'gelu')


@operator
def Swish(call):
    if (alpha := call['alpha', 1.0]) != 1.0:
        return staged(call, ('scale', alpha), 'sigmoid', ('mul', call.input(0)))
    return staged(call, 'silu')


@operator
def SwiGLU(call):
    a, b = call.inputs
    if (a.dtype, a.shape) != (b.dtype, b.shape):
        lacks(f'SwiGLU of {a.dtype.name} {list(a.shape)} and {b.dtype.name} {list(b.shape)}')
    if (alpha := call['alpha', 1.0]) != 1.0:
        return staged(call, ('scale', alpha), 'sigmoid', ('mul', a), ('mul', b))
    return staged(call, 'silu', ('mul', b))


@operator
def Clip(call):
    low, high = (call.input(1), call.input(2)) if call.opset >= 11 else (call['min', None], call['max', None])
    ends = (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
    if ends[0] > ends[1]:
        ends = ends[1], ends[1]                  # ONNX: the upper end wins
    x = call.input(0)
    if x.dtype == np.int8:                       # which float32 holds
        call.inputs[0] = x.astype('float32')
        return staged(call, ('clamp', *ends)).astype(x.dtype)
    return staged(call, ('clamp', *ends))


def with_slope(call, slope):
    """The elements below zero times a slope: the sum of both halves, one of which is zero."""
    x = call.input(0)
    scaled = ('scale', float(slope)) if np.ndim(slope) == 0 else ('mul', np.broadcast_to(slope, x.shape))
    return staged(call, ('clamp', -np.inf, 0), scaled, ('residual', staged(call, 'relu')))


@operator
def LeakyRelu(call):
    return with_slope(call, call['alpha', 0.01])


@operator
def PRelu(call):
    x, slope = call.inputs
    if call.opset < 7 and slope.ndim == 1 and x.ndim > 1:        # before there was broadcasting: one a channel
        slope = call.inputs[1] = slope.reshape(-1, *[1] * (x.ndim - 2))
    return with_slope(call, slope) if x.dtype.name in ROW_TYPES else by_reference(call)


# ---- of several tensors ------------------------------------------------------------------------------------------------------------

def joined(call, kind: str):
    """Sums ('residual') or products ('mul') of all inputs. Other types than FADE's are NumPy's."""
    if any(t.dtype.name not in ROW_TYPES for t in call.inputs):
        return by_reference(call)
    shape = np.broadcast_shapes(*(t.shape for t in call.inputs))
    first, *others = (np.broadcast_to(t, shape) for t in call.inputs)
    while others and first.size:
        call.inputs[0] = first
        first, others = staged(call, *((kind, t) for t in others[:MOST_STAGES])), others[MOST_STAGES:]
    return contiguous(first)


@operator
def Add(call):
    return joined(call, 'residual') if call.opset >= 7 else by_reference(call)


@operator
def Sum(call):
    return joined(call, 'residual')


@operator
def Mul(call):
    return joined(call, 'mul') if call.opset >= 7 else by_reference(call)


@operator
def Sub(call):
    x, y = call.inputs
    if x.dtype.name not in ROW_TYPES or call.opset < 7:
        return by_reference(call)
    call.inputs[:] = staged_negative(call, y), x
    return joined(call, 'residual')


@operator
def Neg(call):
    x = call.input(0)
    return staged_negative(call, x) if x.dtype.name in ROW_TYPES else by_reference(call)


def staged_negative(call, x):
    call.inputs[0] = x
    return staged(call, ('scale', -1.0))
