"""ONNX's products of matrices, and its convolutions, of real and of whole numbers."""
from __future__ import annotations

import numpy as np

import fade

from . import _onnx_conv
from ._onnx_call import Call, contiguous, lacks, operator
from ._onnx_fusion import ACTIVATION

# ---- products --------------------------------------------------------------------------------------------------------------------

def product(call: Call, a, b, **more):
    """a @ b with numpy's rules for shapes."""
    if a.dtype.name not in ('float64', 'float32', 'float16', 'bfloat16', 'int8') or a.dtype != b.dtype:
        lacks(f'{call.node.op_type} of {a.dtype.name} and {b.dtype.name}')
    wide_a, wide_b = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    lead = np.broadcast_shapes(wide_a.shape[:-2], wide_b.shape[:-2])
    wide_a, wide_b = (contiguous(np.broadcast_to(t, lead + t.shape[-2:])) for t in (wide_a, wide_b))
    d = fade.gemm(wide_a, wide_b, device=call.device, **more)
    return d.reshape(lead + (() if a.ndim == 1 else (a.shape[-2],)) + (() if b.ndim == 1 else (b.shape[-1],)))


@operator
def MatMul(call):
    return product(call, *call.inputs)


@operator
def Gemm(call):
    a, b, c = call.input(0), call.input(1), call.input(2)
    if a.dtype.name not in ('float64', 'float32', 'float16', 'bfloat16'):
        lacks(f'Gemm of {a.dtype.name}')
    a, b = (a.T if call['transA', 0] else a), (b.T if call['transB', 0] else b)
    alpha, beta = call['alpha', 1.0], call['beta', 1.0]
    if c is not None:
        c = contiguous(np.broadcast_to(c, (a.shape[0], b.shape[1])))
    return fade.gemm(a, b, c=c, alpha=alpha, beta=beta if c is not None else 0.0, device=call.device)


def centered(x, zero):
    """(x as int8, what is missing to x - zero): FADE multiplies i8."""
    zero = np.int32(0) if zero is None else zero.astype(np.int32)
    if x.dtype == np.uint8:
        return (x.astype(np.int16) - 128).astype(np.int8), 128 - zero
    if x.dtype == np.int8:
        return x, -zero
    return lacks(f'integers of type {x.dtype.name}')


def integer_product(call, a, b, zero_a, zero_b):
    """(a - zero_a) @ (b - zero_b) in int32; zero points of rows of a and columns of b may differ."""
    a, more_a = centered(a, zero_a)
    b, more_b = centered(b, zero_b)
    more_a = np.asarray(more_a)[..., None] if np.ndim(more_a) == 1 and np.size(more_a) > 1 else np.asarray(more_a)
    sums_a, sums_b = a.sum(-1, dtype=np.int32, keepdims=True), b.sum(-2, dtype=np.int32, keepdims=True)
    k = a.shape[-1]
    return product(call, a, b, out_dtype='int32') + sums_a * more_b + more_a * sums_b + k * more_a * more_b


@operator
def MatMulInteger(call):
    return integer_product(call, call.input(0), call.input(1), call.input(2), call.input(3)).astype(np.int32)


@operator
def QLinearMatMul(call):
    a, scale_a, zero_a, b, scale_b, zero_b, scale_y, zero_y = call.inputs
    return quantized(integer_product(call, a, b, zero_a, zero_b), scale_a.astype(np.float32) * scale_b.astype(np.float32), scale_y, zero_y)


def quantized(sums, scale, scale_y, zero_y):
    """Whole numbers of so much each in the scale and type of y."""
    y = np.rint(sums * (scale / scale_y.astype(np.float32))) + zero_y.astype(np.int32)
    ends = np.iinfo(zero_y.dtype)
    return np.clip(y, ends.min, ends.max).astype(zero_y.dtype)


# ---- convolutions ------------------------------------------------------------------------------------------------------------------

def geometry(call, taps):
    """(auto_pad, pads, stride, dilation) of a node."""
    if call['kernel_shape', None] is not None and list(call['kernel_shape', None]) != list(taps):
        lacks(f'{call.node.op_type} with a kernel_shape other than that of W')
    each = [1] * len(taps)
    return call['auto_pad', 'NOTSET'], call['pads', None], list(call['strides', each]), list(call['dilations', each])


def convolved(call, x, w, bias=None):
    call.reals(x, w, bias)
    if x.dtype != w.dtype:
        lacks(f'{call.node.op_type} of {x.dtype.name} and {w.dtype.name}')
    stages = [] if bias is None else [('bias', contiguous(bias))]
    if activation := call[ACTIVATION, None]:
        stages.append(activation)
    return forward(call, x, w, epilogue=stages)


def forward(call, x, w, **more):
    auto_pad, pads, stride, dilation = geometry(call, w.shape[2:])
    padding = _onnx_conv.margins(auto_pad, pads, x.shape[2:], w.shape[2:], stride, dilation)
    return fade.conv_forward(contiguous(x), contiguous(w), stride=stride, padding=padding, dilation=dilation, groups=call['group', 1],
                             layout='channels_first', device=call.device, **more)


@operator
def Conv(call):
    return convolved(call, call.input(0), call.input(1), call.input(2))


@operator
def ConvTranspose(call):
    x, w, bias = call.input(0), call.input(1), call.input(2)
    call.reals(x, w, bias)
    taps = w.shape[2:]
    auto_pad, pads, stride, dilation = geometry(call, taps)
    sizes, padding = _onnx_conv.transposed(auto_pad, pads, x.shape[2:], taps, stride, dilation, call['output_padding', [0] * len(taps)],
                                           call['output_shape', None])
    more = [(max(-a, 0), max(-b, 0)) for a, b in padding]       # rows beyond the reach of every tap: zeros, and the bias
    sizes, padding = [s - sum(m) for s, m in zip(sizes, more)], [(max(a, 0), max(b, 0)) for a, b in padding]
    y = fade.conv_backward_data(contiguous(x), contiguous(w), sizes, stride=stride, padding=padding, dilation=dilation,
                                groups=call['group', 1], layout='channels_first',
                                epilogue=[] if bias is None else [('bias', contiguous(bias))], device=call.device)
    if not any(map(sum, more)):
        return y
    inside = (slice(None), slice(None), *(slice(a, a + s) for (a, _), s in zip(more, sizes)))
    out = np.zeros((*y.shape[:2], *(s + sum(m) for s, m in zip(sizes, more))), y.dtype)
    out += 0 if bias is None else bias.reshape(-1, *[1] * len(sizes))
    out[inside] = y
    return out


def integer_convolution(call, x, w, zero_x, zero_w):
    """Of (x - zero_x) and (w - zero_w) in int32; each filter may have a zero point of its own."""
    if 255 * 255 * int(np.prod(w.shape[1:])) >= 2**31:
        lacks(f'{call.node.op_type} whose sums may pass 2^31')
    x, more_x = centered(x, zero_x)
    w, more_w = centered(w, zero_w)
    if np.size(more_x) != 1:
        lacks(f'{call.node.op_type} with several zero points of x')
    zeros = contiguous(np.broadcast_to(-np.ravel(more_w), w.shape[0]).astype(np.int32))
    return forward(call, x, w, x_zero=-int(np.ravel(more_x)[0]), w_zero=zeros if zeros.any() else None)


@operator
def ConvInteger(call):
    return integer_convolution(call, call.input(0), call.input(1), call.input(2), call.input(3))


@operator
def QLinearConv(call):
    x, scale_x, zero_x, w, scale_w, zero_w, scale_y, zero_y = call.inputs[:8]
    sums, bias = integer_convolution(call, x, w, zero_x, zero_w), call.input(8)
    each_filter = [-1, *[1] * (x.ndim - 2)]
    if bias is not None:
        sums = sums + bias.reshape(each_filter)
    return quantized(sums, scale_x.astype(np.float32) * scale_w.astype(np.float32).reshape(each_filter), scale_y, zero_y)
