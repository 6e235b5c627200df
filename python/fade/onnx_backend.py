"""ONNX's Backend interface over FADE: fade.onnx_backend.prepare(model).run(inputs).

    import onnx, fade.onnx_backend
    outputs = fade.onnx_backend.run_model(onnx.load('model.onnx'), [x])

Operators: Attention, ArgMax, ArgMin, AveragePool, BatchNormalization, Clip, Conv, ConvInteger, ConvTranspose, Gelu, Gemm,
GlobalAveragePool, GlobalMaxPool, GridSample, LayerNormalization, LogSoftmax, MatMul, MatMulInteger, MaxPool, QLinearConv,
QLinearMatMul, ReduceMax, ReduceMean, ReduceMin, ReduceSum, ReduceSumSquare, Relu, Resize, RMSNormalization, RotaryEmbedding, Sigmoid,
Softmax, Swish, TopK, Upsample. All else raises BackendIsNotSupposedToImplementIt with a sentence. Devices: 'CPU', or a device of FADE
by its name ('emulated:gfx942').
NumPy does what moves elements or handles a few (shapes, scales of QLinearMatMul); the arithmetic of tensors is FADE's.
"""
from __future__ import annotations

import numpy as np
import onnx
from onnx.backend.base import Backend, BackendRep

import fade

from . import _onnx_conv, _onnx_images, _onnx_scores  # noqa: F401: _onnx_images enters its operators
from ._onnx_call import (OPERATORS, BackendIsNotSupposedToImplementIt, Call,  # noqa: F401: callers catch it by this name
                         contiguous, in_float32, lacks, operator)

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
    auto_pad, pads, stride, dilation = geometry(call, w.shape[2:])
    padding = _onnx_conv.margins(auto_pad, pads, x.shape[2:], w.shape[2:], stride, dilation)
    return fade.conv_forward(contiguous(x), contiguous(w), stride=stride, padding=padding, dilation=dilation, groups=call['group', 1],
                             layout='channels_first', epilogue=[] if bias is None else [('bias', contiguous(bias))], device=call.device)


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
    """Of (x - zero_x) and (w - zero_w), in float32 where that holds every sum."""
    for t in (x, w):
        if t.dtype not in (np.int8, np.uint8):
            lacks(f'{call.node.op_type} of {t.dtype.name}')
    x, w = (t.astype(np.int32) - (0 if zero is None else zero.astype(np.int32).reshape(-1, *[1] * (t.ndim - 1)))
            for t, zero in ((x, zero_x), (w, zero_w)))
    if int(np.abs(x).max(initial=0)) * int(np.abs(w).max(initial=0)) * int(np.prod(w.shape[1:])) > 2**24:
        lacks(f'{call.node.op_type} whose sums may pass 2^24, beyond which float32 skips whole numbers')
    return convolved(call, x.astype(np.float32), w.astype(np.float32)).astype(np.int32)


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


# ---- rows ------------------------------------------------------------------------------------------------------------------------

def along(call, f, x, axis):
    """f of the rows of an axis."""
    call.reals(x)
    rows = contiguous(np.moveaxis(x, axis, -1))
    return np.moveaxis(f(rows, device=call.device), -1, axis)


@operator
def Softmax(call):
    return softened(call, fade.softmax)


@operator
def LogSoftmax(call):
    return softened(call, fade.log_softmax)


def softened(call, f):
    x = call.input(0)
    if call.opset >= 13:
        return along(call, f, x, call['axis', -1])
    axis = call['axis', 1] % max(x.ndim, 1)      # before opset 13 all dimensions from the axis on were one row
    return along(call, f, x.reshape(int(np.prod(x.shape[:axis])), -1), -1).reshape(x.shape)


@operator
def LayerNormalization(call):
    x, weight, bias = call.input(0), call.input(1), call.input(2)
    rows, weight, bias, shape, lead = norm_rows(call, x, weight, bias)
    n = fade.layer_norm(rows, weight, bias, epsilon=call['epsilon', 1e-5], for_gradient=True, device=call.device)
    return n.y.reshape(shape), n.mean.reshape(lead), n.inverse_root.reshape(lead)


@operator
def RMSNormalization(call):
    rows, weight, _, shape, _ = norm_rows(call, call.input(0), call.input(1), None)
    return fade.rms_norm(rows, weight, epsilon=call['epsilon', 1e-5], device=call.device).reshape(shape)


def norm_rows(call, x, weight, bias):
    call.reals(x, weight, bias)
    axis = call['axis', -1] % x.ndim
    columns = int(np.prod(x.shape[axis:]))
    flat = [None if t is None else contiguous(np.broadcast_to(t, x.shape[axis:])).reshape(columns) for t in (weight, bias)]
    return contiguous(x).reshape(-1, columns), *flat, x.shape, x.shape[:axis] + (1,) * (x.ndim - axis)


def axes_of(call, x):
    axes = call.input(1) if call.input(1) is not None else call['axes', None]
    if axes is None or len(axes) == 0:
        return () if call['noop_with_empty_axes', 0] else tuple(range(x.ndim))
    return tuple(int(a) % x.ndim for a in axes)


def reduced(call, f):
    x = call.input(0)
    if x.dtype == bool and f is fade.max:        # 0 and 1 are exact
        call.inputs[0] = x.astype('float32')
        return reduced(call, f) > 0
    call.reals(x)
    axes = axes_of(call, x)
    if not axes:
        return x
    kept = [i for i in range(x.ndim) if i not in axes]
    count, columns = (int(np.prod([x.shape[i] for i in some])) for some in (kept, axes))
    if not columns and f is fade.max:
        out = np.full(count, -np.inf, x.dtype)   # what ONNX says of nothing
    else:
        out = f(contiguous(x.transpose(*kept, *axes)).reshape(count, columns), device=call.device)
    return out.reshape([1 if i in axes else x.shape[i] for i in range(x.ndim)] if call['keepdims', 1] else [x.shape[i] for i in kept])


@operator
def ReduceSum(call):
    return reduced(call, fade.sum)


@operator
def ReduceSumSquare(call):
    x = call.input(0)
    call.reals(x)
    call.inputs[0] = staged(call, ('mul', contiguous(x).reshape(1, -1)))
    return reduced(call, fade.sum)


@operator
def ReduceMean(call):
    return reduced(call, fade.mean)


@operator
def ReduceMax(call):
    return reduced(call, fade.max)


@operator
def ReduceMin(call):
    x = call.input(0)
    if x.dtype == bool:
        call.inputs[0] = ~x
        return ~ReduceMax(call)
    call.reals(x)
    call.inputs[0] = -x
    return -ReduceMax(call)


@operator
def ArgMin(call):
    call.reals(call.input(0))
    call.inputs[0] = -call.input(0)
    return ArgMax(call)


@operator
def ArgMax(call):
    x = call.input(0)
    call.reals(x)
    axis, last = call['axis', 0], call['select_last_index', 0]
    at = along(call, fade_argmax, np.flip(x, axis) if last else x, axis).astype(np.int64)
    if last:
        at = x.shape[axis] - 1 - at
    return at if call['keepdims', 1] else at.squeeze(call['axis', 0])


def fade_argmax(rows, device):
    return fade.argmax(rows, device=device)[..., None]


@operator
def TopK(call):
    x, k, axis = call.input(0), int(call.input(1).reshape(-1)[0]), call['axis', -1]
    if x.dtype.kind in 'iu':
        call.inputs[0] = in_float32(call, x)
        values, places = TopK(call)
        return values.astype(x.dtype), places
    call.reals(x)
    if not 1 <= k <= 64:
        lacks(f'TopK of {k}; k is 1 to 64')
    rows = contiguous(np.moveaxis(x, axis, -1))
    values, places = fade.top_k(rows if call['largest', 1] else -rows, k, device=call.device)
    if not call['largest', 1]:
        values = -values
    return np.moveaxis(values, -1, axis), np.moveaxis(places, -1, axis).astype(np.int64)


# ---- activations: the stages of an epilogue over a product of nothing -------------------------------------------------------------

def staged(call, *stages):
    x = call.input(0)
    if x.dtype.name not in ('float64', 'float32', 'float16', 'bfloat16'):
        lacks(f'{call.node.op_type} of {x.dtype.name}')
    c = contiguous(x).reshape(1, -1)
    none_a, none_b = np.empty((1, 0), x.dtype), np.empty((0, c.shape[1]), x.dtype)
    return fade.gemm(none_a, none_b, c=c, beta=1.0, epilogue=stages, device=call.device).reshape(x.shape)


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
        return staged(call, ('scale', alpha), 'sigmoid', ('mul', contiguous(call.input(0)).reshape(1, -1)))
    return staged(call, 'silu')


@operator
def Clip(call):
    low, high = call.input(1), call.input(2)
    ends = (-np.inf if low is None else float(low)), (np.inf if high is None else float(high))
    if ends[0] > ends[1]:
        ends = ends[1], ends[1]                  # ONNX: the upper end wins
    x = call.input(0)
    if x.dtype == np.int8:                       # which float32 holds
        call.inputs[0] = x.astype('float32')
        return staged(call, ('clamp', *ends)).astype(x.dtype)
    return staged(call, ('clamp', *ends))


# ---- attention ---------------------------------------------------------------------------------------------------------------------

def by_heads(x, heads):
    """[batch, heads, positions, dim] of an input of three or four dimensions."""
    return x if x.ndim == 4 else x.reshape(x.shape[0], x.shape[1], heads, -1).transpose(0, 2, 1, 3)


@operator
def Attention(call):
    inputs = [call.input(i) for i in range(7)]
    flat = inputs[0].ndim == 3
    q = by_heads(inputs[0], call['q_num_heads', 0])
    k, v = (by_heads(t, call['kv_num_heads', 0]) for t in inputs[1:3])
    call.reals(q, k, v)
    mask, past_k, past_v, lengths = inputs[3:]
    if past_k is not None:
        k, v = np.concatenate((past_k, k), 2), np.concatenate((past_v, v), 2)
    queries, keys = q.shape[2], k.shape[2]
    causal, window = bool(call['is_causal', 0]), (call['left_window_size', -1], call['right_window_size', -1])
    ahead = past_k.shape[2] if past_k is not None else 0         # the position of the first query, where lengths say no other
    at_end = lengths is not None or ahead == keys - queries
    kind = ('bottom-right' if at_end else 'top-left') if causal else None
    if not at_end and (causal and ahead or max(window) >= 0 and not causal):
        mask, kind, window = with_positions(mask, queries, keys, ahead, causal, window), None, (-1, -1)
    bias = mask_as_bias(mask, q.shape[0], q.shape[1], queries, keys)
    o = fade.attention(*(contiguous(t).transpose(0, 2, 1, 3) for t in (q, k, v)), bias=bias, scale=call['scale', None],
                       softcap=call['softcap', 0.0], window=window, causal=kind,
                       counts_k=None if lengths is None else lengths.astype(np.int32), device=call.device)
    y = o.reshape(*o.shape[:2], -1) if flat else contiguous(o.transpose(0, 2, 1, 3))
    return (y, k, v, matrix_of_scores(call, q, k, inputs[3], ahead, lengths)) if call.wants(3) else (y, k, v)


def matrix_of_scores(call, q, k, mask, ahead, lengths):
    """qk_matmul_output, of which every mask is a matrix."""
    queries, keys, mode = q.shape[2], k.shape[2], call['qk_matmul_output_mode', 0]
    window, causal = (call['left_window_size', -1], call['right_window_size', -1]), bool(call['is_causal', 0])
    bias = None
    if mask is not None or causal or max(window) >= 0 or lengths is not None:
        first = ahead if lengths is None else lengths - queries
        seen = _onnx_scores.seen_keys(queries, keys, first, causal, window, lengths)
        bias = np.broadcast_to(np.where(seen, np.float32(0), np.float32(-np.inf)), (q.shape[0], q.shape[1], queries, keys))
        if mask is not None:
            bias = bias + mask_as_bias(mask, q.shape[0], q.shape[1], queries, keys)
    return _onnx_scores.scores(q, k, mode, call['scale', None], call['softcap', 0.0], bias, call.device)


def with_positions(mask, queries, keys, ahead, causal, window):
    """A mask that hides what queries at positions from `ahead` on do not see: FADE counts positions from either end."""
    hidden = np.where(_onnx_scores.seen_keys(queries, keys, ahead, causal, window, None)[0, 0], np.float32(0), np.float32(-np.inf))
    return hidden if mask is None else hidden + mask_as_bias(mask, 1, 1, queries, keys, False)


def mask_as_bias(mask, batch, heads, queries, keys, whole=True):
    """FADE's bias: float32, minus infinity where a key is hidden."""
    if mask is None:
        return None
    if mask.dtype == bool:
        mask = np.where(mask, np.float32(0), np.float32(-np.inf))
    mask = mask.astype(np.float32)
    if mask.shape[-1] < keys:
        mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])], constant_values=-np.inf)
    return contiguous(np.broadcast_to(mask, (batch, heads, queries, keys))) if whole else mask


@operator
def RotaryEmbedding(call):
    x, cos, sin, places = (call.input(i) for i in range(4))
    call.reals(x)
    flat = x.ndim == 3
    if flat and not call['num_heads', 0]:
        lacks('RotaryEmbedding of three dimensions without num_heads')
    heads = by_heads(x, call['num_heads', 0]).transpose(0, 2, 1, 3)
    out = np.empty(heads.shape, x.dtype)
    other = np.empty((1, *heads.shape[1:]), x.dtype)
    for b in range(x.shape[0]):                  # each sequence has its own positions, which are rows of tables
        tables = [contiguous((t[places[b]] if places is not None else t[b]).astype(np.float32)) for t in (cos, sin)]
        one = contiguous(heads[b:b + 1])
        fade.append_kv(one, one, out[b:b + 1], other, cos=tables[0], sin=tables[1], interleaved=bool(call['interleaved', 0]),
                       device=call.device)
    return out.reshape(x.shape) if flat else contiguous(out.transpose(0, 2, 1, 3))


# ---- ONNX's interface ----------------------------------------------------------------------------------------------------------------

def outputs_of(call: Call) -> tuple:
    """What a node makes."""
    try:
        made = OPERATORS[call.node.op_type](call)
    except fade.Error as why:
        lacks(f'{call.node.op_type}: {why}')
    return made if isinstance(made, tuple) else (made,)


class FadeRep(BackendRep):
    """A model that is ready to run."""

    def __init__(self, model, device: str):
        self.model, self.device = model, device
        self.opset = next((o.version for o in model.opset_import if o.domain in ('', 'ai.onnx')), 1)
        self.constants = {t.name: onnx.numpy_helper.to_array(t) for t in model.graph.initializer}
        for node in model.graph.node:
            if node.op_type not in OPERATORS or node.domain not in ('', 'ai.onnx'):
                lacks(f'the operator {node.op_type}')

    def run(self, inputs, **kwargs):
        graph = self.model.graph
        names = [i.name for i in graph.input if i.name not in self.constants]
        values = {**self.constants, **dict(zip(names, (np.asarray(x) for x in inputs)))}
        for node in graph.node:
            given = [values[name] if name else None for name in node.input]
            values.update(zip(node.output, outputs_of(Call(node, given, self.opset, self.device))))
        return tuple(values[o.name] for o in graph.output)


class FadeBackend(Backend):
    """onnx.backend.base.Backend, as its documentation has it."""

    @classmethod
    def device_name(cls, device: str) -> str:
        return 'host' if device.upper().startswith('CPU') else device

    @classmethod
    def supports_device(cls, device: str) -> bool:
        return cls.device_name(device) in fade.info()['devices']

    @classmethod
    def prepare(cls, model, device='CPU', **kwargs):
        super().prepare(model, device, **kwargs)
        return FadeRep(model, cls.device_name(device))

    @classmethod
    def run_model(cls, model, inputs, device='CPU', **kwargs):
        return cls.prepare(model, device, **kwargs).run(inputs)

    @classmethod
    def run_node(cls, node, inputs, device='CPU', outputs_info=None, **kwargs):
        super().run_node(node, inputs, device, outputs_info, **kwargs)
        if node.op_type not in OPERATORS:
            lacks(f'the operator {node.op_type}')
        given = [None if x is None else np.asarray(x) for x in inputs]
        return outputs_of(Call(node, given, kwargs.get('opset_version', onnx.defs.onnx_opset_version()), cls.device_name(device)))


is_compatible, prepare, run_model, run_node, supports_device = (FadeBackend.is_compatible, FadeBackend.prepare, FadeBackend.run_model,
                                                                FadeBackend.run_node, FadeBackend.supports_device)
