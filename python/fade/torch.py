"""FADE as operators of PyTorch, and under torch.nn.functional.scaled_dot_product_attention.

    import fade.torch
    o = fade.torch.attention(q, k, v, causal='bottom-right')        # torch.ops.fade.attention below it
    with fade.torch.sdpa_kernel() as said:
        model(x)                                                    # its scaled_dot_product_attention runs on FADE
    print(said)                                                     # which calls FADE took, and why not the others

The operators have fake kernels, so torch.compile and torch.export see their shapes. FADE has no backward pass of attention:
a tensor that needs a gradient is refused, or computed by PyTorch's own math with backward='math'.
"""
from __future__ import annotations

import contextlib
import math
from collections import Counter

import torch

import fade

from ._attention import CAUSAL as CAUSES
from ._attention import causal_number
from ._attention import quick as _quick
from ._devices import known, named
from ._error import Error
from ._gemm import columns_of
from ._tensors import framework
from ._torch_images import avg_pool, batch_norm, grid_sample, max_pool, upsample
from ._torch_library import fake as _fake
from ._torch_library import first_derivatives_alone as _first_derivatives_alone
from ._torch_library import gradient as _gradient
from ._torch_library import kernels as _kernels
from ._torch_library import library as _library
from ._torch_library import operator as _operator
from ._torch_products import (batched_gemm, grouped_gemm, grouped_k_gemm, grouped_weight_gemm, moe_combine, moe_dispatch, moe_route,
                              scaled_gemm, weight_gemm)

Tensor = torch.Tensor
CAUSAL = {**CAUSES, '': 0}                       # a schema has no strings that may be None
_torch = framework(torch.empty(0))
_makers = _torch.makers
EIGHT_BITS = frozenset(getattr(torch, n) for n in ('float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float8_e5m2fnuz') if hasattr(torch, n))


def _result_dtype(x: Tensor, eight: torch.dtype = torch.bfloat16) -> torch.dtype:
    return eight if x.dtype in EIGHT_BITS else torch.int32 if x.dtype is torch.int8 else x.dtype


# ---- operators ----------------------------------------------------------------------------------------------------------------

_RULES = "Tensor q, Tensor k, Tensor v, Tensor? bias=None, str causal='', int window_left=-1, int window_right=-1, float scale=0.0, " \
    "float softcap=0.0, float dropout=0.0, int seed=0"


def _attend(q, k, v, o, lse, bias, causal, window_left, window_right, scale, softcap, dropout, seed):
    """fade.attention without what reads its many names: what the extension made of o, where those are its makers."""
    if _torch.forward._current_level >= 0:
        _torch.check_tangents(q, k, v, bias)
    place, stream = _torch.place(q)
    return (known(place) or named(place))._c.attention(q, k, v, o, lse, bias, CAUSAL[causal] if causal in CAUSAL else causal_number(causal or None),
                                                window_left, window_right, scale, softcap, dropout, seed, stream)


# Defaults are those of the schema: PyTorch does not pass on arguments that have them.
@_operator(f'attention({_RULES}) -> Tensor')
def _attention(q, k, v, bias=None, causal='', window_left=-1, window_right=-1, scale=0.0, softcap=0.0, dropout=0.0, seed=0):
    return _attend(q, k, v, _makers, None, bias, causal, window_left, window_right, scale, softcap, dropout, seed)


@_fake('attention')
def _attention_result(q, k, v, bias=None, causal='', window_left=-1, window_right=-1, scale=0.0, softcap=0.0, dropout=0.0, seed=0):
    return torch.empty_like(q) if q.size(-1) == v.size(-1) and q.dtype not in EIGHT_BITS \
        else q.new_empty((*q.shape[:-1], v.size(-1)), dtype=_result_dtype(q))


@_operator(f'attention_with_lse({_RULES}) -> (Tensor, Tensor)')
def _attention_with_lse(q, k, v, bias=None, causal='', window_left=-1, window_right=-1, scale=0.0, softcap=0.0, dropout=0.0, seed=0):
    batch, queries, heads, _ = q.shape
    # Sizes one by one: PyTorch reads a tuple in twice the time.
    lse = q.new_empty(batch, heads, queries, dtype=torch.float32)
    return _attend(q, k, v, _makers, lse, bias, causal, window_left, window_right, scale, softcap, dropout, seed), lse


@_fake('attention_with_lse')
def _(q, k, v, *rules):
    return _attention_result(q, k, v, *rules), q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)


@_operator('gemm(Tensor a, Tensor b, Tensor? bias, str activation) -> Tensor')
def _gemm(a, b, bias, activation):
    return fade.gemm(a, b, epilogue=([('bias', bias)] if bias is not None else []) + ([activation] if activation else []))


@_fake('gemm')
def _(a, b, bias, activation):
    lead = a.shape[:-2] if a.dim() >= b.dim() else b.shape[:-2]
    return a.new_empty((*lead, a.shape[-2], columns_of(b.shape[-1], [activation])), dtype=_result_dtype(a))


@_operator('rms_norm(Tensor x, Tensor? weight, float epsilon) -> (Tensor, Tensor)')
def _rms_norm(x, weight, epsilon):
    n = fade.rms_norm(x, weight, epsilon=epsilon, for_gradient=True)
    return n.y, n.inverse_root


@_fake('rms_norm')
def _(x, weight, epsilon):
    return torch.empty_like(x, memory_format=torch.contiguous_format), x.new_empty(x.shape[:-1], dtype=torch.float32)


@_operator('rms_norm_gradient(Tensor x, Tensor dy, Tensor? weight, Tensor inverse_root) -> (Tensor, Tensor)')
def _rms_norm_gradient(x, dy, weight, inverse_root):
    g = fade.rms_norm_gradient(x, dy, weight, inverse_root=inverse_root)
    return g.dx, g.dweight


@_fake('rms_norm_gradient')
def _(x, dy, weight, inverse_root):
    like = x if weight is None else weight
    return torch.empty_like(dy, memory_format=torch.contiguous_format), like.new_empty(x.shape[-1:])


def _keep_norm(ctx, inputs, output):
    x, weight, _ = inputs
    ctx.save_for_backward(x, weight, output[1])


def _norm_backward(ctx, dy, _):
    x, weight, root = ctx.saved_tensors
    dx, dweight = _rms_norm_gradient(x, dy.contiguous(), weight, root)
    return dx, None if weight is None else dweight, None


_gradient('rms_norm', _norm_backward, _keep_norm)


@_operator('layer_norm(Tensor x, Tensor? weight, Tensor? bias, float epsilon) -> (Tensor, Tensor, Tensor)')
def _layer_norm(x, weight, bias, epsilon):
    n = fade.layer_norm(x, weight, bias, epsilon=epsilon, for_gradient=True)
    return n.y, n.mean, n.inverse_root


@_fake('layer_norm')
def _(x, weight, bias, epsilon):
    rows = [x.new_empty(x.shape[:-1], dtype=torch.float32) for _ in range(2)]
    return torch.empty_like(x, memory_format=torch.contiguous_format), *rows


@_operator('layer_norm_gradient(Tensor x, Tensor dy, Tensor? weight, Tensor mean, Tensor inverse_root) -> (Tensor, Tensor, Tensor)')
def _layer_norm_gradient(x, dy, weight, mean, inverse_root):
    return tuple(fade.layer_norm_gradient(x, dy, weight, mean=mean, inverse_root=inverse_root))


@_fake('layer_norm_gradient')
def _(x, dy, weight, mean, inverse_root):
    like = x if weight is None else weight
    columns = [like.new_empty(x.shape[-1:]) for _ in range(2)]
    return torch.empty_like(dy, memory_format=torch.contiguous_format), *columns


def _keep_layer_norm(ctx, inputs, output):
    x, weight, bias, _ = inputs
    ctx.with_bias = bias is not None
    ctx.save_for_backward(x, weight, *output[1:])


def _layer_norm_backward(ctx, dy, *_):
    x, weight, mean, root = ctx.saved_tensors
    dx, dweight, dbias = _layer_norm_gradient(x, dy.contiguous(), weight, mean, root)
    return dx, None if weight is None else dweight, dbias if ctx.with_bias else None, None


_gradient('layer_norm', _layer_norm_backward, _keep_layer_norm)


@_operator('cross_entropy(Tensor x, Tensor labels, float smoothing, int ignored_label) -> (Tensor, Tensor)')
def _cross_entropy(x, labels, smoothing, ignored_label):
    return fade.cross_entropy(x, labels, smoothing=smoothing, ignored_label=ignored_label, return_log_sum=True)


@_fake('cross_entropy')
def _(x, labels, smoothing, ignored_label):
    return tuple(x.new_empty(x.shape[:-1], dtype=torch.float32) for _ in range(2))


@_operator('cross_entropy_gradient(Tensor x, Tensor labels, Tensor log_sum, Tensor dloss, float smoothing, int ignored_label) -> Tensor')
def _cross_entropy_gradient(x, labels, log_sum, dloss, smoothing, ignored_label):
    return fade.cross_entropy_gradient(x, labels, log_sum, dloss=dloss, smoothing=smoothing, ignored_label=ignored_label)


@_fake('cross_entropy_gradient')
def _(x, labels, log_sum, dloss, smoothing, ignored_label):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _keep_cross_entropy(ctx, inputs, output):
    x, labels, *ctx.how = inputs
    ctx.save_for_backward(x, labels, output[1])


def _cross_entropy_backward(ctx, dloss, _):
    return _cross_entropy_gradient(*ctx.saved_tensors, dloss.contiguous(), *ctx.how), None, None, None


_gradient('cross_entropy', _cross_entropy_backward, _keep_cross_entropy)


@_operator('rotary(Tensor x, Tensor cos, Tensor sin, Tensor? positions, int first_position, bool interleaved, bool back) -> Tensor')
def _rotary(x, cos, sin, positions, first_position, interleaved, back):
    turn = fade.rotary_gradient if back else fade.rotary
    return turn(x, cos, sin, positions=positions, first_position=first_position, interleaved=interleaved)


@_fake('rotary')
def _(x, cos, sin, positions, first_position, interleaved, back):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


def _keep_rotary(ctx, inputs, output):
    _, cos, sin, positions, *ctx.how = inputs
    ctx.save_for_backward(cos, sin, positions)


def _rotary_backward(ctx, dy):
    first, interleaved, back = ctx.how
    return _rotary(dy.contiguous(), *ctx.saved_tensors, first, interleaved, not back), *(None,) * 6


_gradient('rotary', _rotary_backward, _keep_rotary)


_GEOMETRY = 'SymInt[] stride, SymInt[] padding, SymInt[] dilation, SymInt groups'


def _conv_how(stride, padding, dilation, groups):
    return dict(stride=tuple(stride), padding=tuple(padding), dilation=tuple(dilation), groups=groups, layout='channels_first')


@_operator(f'conv(Tensor x, Tensor w, Tensor? bias, str activation, {_GEOMETRY}) -> Tensor')
def _conv(x, w, bias, activation, stride, padding, dilation, groups):
    epilogue = ([('bias', bias)] if bias is not None else []) + ([activation] if activation else [])
    return fade.conv_forward(x.contiguous(), w.contiguous(), epilogue=epilogue, **_conv_how(stride, padding, dilation, groups))


@_fake('conv')
def _(x, w, bias, activation, stride, padding, dilation, groups):
    sizes = [(s + 2 * p - (t - 1) * d - 1) // i + 1 for s, t, i, p, d in zip(x.shape[2:], w.shape[2:], stride, padding, dilation)]
    return x.new_empty((x.shape[0], w.shape[0], *sizes))


@_operator(f'conv_data_gradient(Tensor dy, Tensor w, SymInt[] sizes, {_GEOMETRY}) -> Tensor')
def _conv_data_gradient(dy, w, sizes, stride, padding, dilation, groups):
    return fade.conv_backward_data(dy, w.contiguous(), tuple(sizes), **_conv_how(stride, padding, dilation, groups))


@_fake('conv_data_gradient')
def _(dy, w, sizes, stride, padding, dilation, groups):
    return dy.new_empty((dy.shape[0], w.shape[1] * groups, *sizes))


@_operator(f'conv_weights_gradient(Tensor dy, Tensor x, SymInt[] taps, {_GEOMETRY}) -> Tensor')
def _conv_weights_gradient(dy, x, taps, stride, padding, dilation, groups):
    return fade.conv_backward_weights(dy, x.contiguous(), tuple(taps), **_conv_how(stride, padding, dilation, groups))


@_fake('conv_weights_gradient')
def _(dy, x, taps, stride, padding, dilation, groups):
    return dy.new_empty((dy.shape[1], x.shape[1] // groups, *taps))


@_operator(f'conv_weights_bias_gradient(Tensor dy, Tensor x, SymInt[] taps, {_GEOMETRY}) -> (Tensor, Tensor)')
def _conv_weights_bias_gradient(dy, x, taps, stride, padding, dilation, groups):
    db = dy.new_empty(dy.shape[1])
    return fade.conv_backward_weights(dy, x.contiguous(), tuple(taps), bias_gradient=db, **_conv_how(stride, padding, dilation, groups)), db


@_fake('conv_weights_bias_gradient')
def _(dy, x, taps, stride, padding, dilation, groups):
    return dy.new_empty((dy.shape[1], x.shape[1] // groups, *taps)), dy.new_empty(dy.shape[1])


def _keep_conv(ctx, inputs, output):
    x, w, _, ctx.activation, *ctx.how = inputs
    ctx.save_for_backward(x, w)


def _conv_backward(ctx, dy):
    if ctx.activation:
        raise Error('activation', repr(ctx.activation), 'conv has a gradient without an activation; apply it behind')
    x, w = ctx.saved_tensors
    dy = dy.contiguous()
    dx = _conv_data_gradient(dy, w, x.shape[2:], *ctx.how) if ctx.needs_input_grad[0] else None
    _, for_w, for_bias = ctx.needs_input_grad[:3]
    if for_w and for_bias:
        dw, dbias = _conv_weights_bias_gradient(dy, x, w.shape[2:], *ctx.how)
    else:
        dw = _conv_weights_gradient(dy, x, w.shape[2:], *ctx.how) if for_w else None
        dbias = dy.sum([0, *range(2, dy.dim())]) if for_bias else None
    return dx, dw, dbias, *(None,) * 5


_gradient('conv', _conv_backward, _keep_conv)


@_operator('softmax(Tensor x, bool log) -> Tensor')
def _softmax(x, log):
    return fade.log_softmax(x) if log else fade.softmax(x)


@_fake('softmax')
def _(x, log):
    return torch.empty_like(x, memory_format=torch.contiguous_format)


@_operator('softmax_gradient(Tensor y, Tensor dy, bool log) -> Tensor')
def _softmax_gradient(y, dy, log):
    return fade.log_softmax_gradient(y, dy) if log else fade.softmax_gradient(y, dy)


@_fake('softmax_gradient')
def _(y, dy, log):
    return torch.empty_like(y, memory_format=torch.contiguous_format)


def _keep_softmax(ctx, inputs, output):
    ctx.save_for_backward(output)
    ctx.log = inputs[1]


def _softmax_backward(ctx, dy):
    return _softmax_gradient(ctx.saved_tensors[0], dy.contiguous(), ctx.log), None


_gradient('softmax', _softmax_backward, _keep_softmax)


def _no_backward(ctx, *gradients):
    raise Error('requires_grad', 'True', "fade has no backward pass of attention; call it under torch.no_grad(), or with backward='math'")


def _gemm_backward(ctx, dy):
    """Two more products; what was broadcast over batches is summed."""
    (a, b, bias), activation, (_, for_a, for_b, for_bias, _) = ctx.saved_tensors, ctx.activation, ctx.needs_input_grad
    if activation:
        raise Error('activation', repr(activation), 'gemm has a gradient without an activation; apply it behind')
    dy = dy.contiguous()
    da = _gemm(dy, b.mT, None, '').sum_to_size(a.shape) if for_a else None
    db = _gemm(a.mT, dy, None, '').sum_to_size(b.shape) if for_b else None
    return da, db, dy.sum_to_size(bias.shape) if for_bias else None, None


_backward_of = {'attention': _no_backward, 'attention_with_lse': _no_backward, 'gemm': _gemm_backward}


class _WithBackward(torch.autograd.Function):
    """An operator whose gradient is computed, or refused, when it is asked for."""

    @staticmethod
    def forward(ctx, name, *arguments):
        ctx.name = name
        if name == 'gemm':
            *tensors, ctx.activation = arguments
            ctx.save_for_backward(*tensors)
        return _below(name, *arguments)

    @staticmethod
    def backward(ctx, *gradients):
        return None, *_backward_of[ctx.name](ctx, *gradients)


def _below(name, *arguments):
    """An operator of tensors of any kind, without what autograd does."""
    with torch._C._AutoDispatchBelowAutograd():
        return getattr(torch.ops.fade, name).default(*arguments)


def _quick_gradient(name: str):
    """The autograd kernel of an operator of small calls: a tensor, another, one or two that may be None. What needs no gradient costs no
    second dispatch."""
    run, gradients, modes = _kernels[name], torch.is_grad_enabled, torch._C._len_torch_dispatch_stack
    plain = {Tensor, type(None), str}

    def kernel(a, b, c, *more):
        d = more[0] if more else None
        if gradients() and any(isinstance(t, Tensor) and t.requires_grad for t in (a, b, c, d)):
            return _WithBackward.apply(name, a, b, c, *more)
        if modes() or not (type(a) is type(b) is Tensor and type(c) in plain and type(d) in plain):
            return _below(name, a, b, c, *more)
        return run(a, b, c, *more)
    if name == 'attention':
        kernel = _quick(kernel, CAUSAL, ())
    for key in ('AutogradCPU', 'AutogradCUDA'):
        _library.impl(name, kernel, key)


for _name in _backward_of:
    _quick_gradient(_name)


def _quick_packet():
    """torch.ops.fade.attention(q, k, v) of plain tensors that nobody watches does what its kernel does without PyTorch's dispatcher, which costs
    as much as the rest of the call. torch.ops.fade.attention.default, and whatever modes, transforms, traces and profilers watch, go
    through the dispatcher."""
    watchers = [getattr(torch._C, '_len_torch_function_stack', None)]
    watchers.append(getattr(torch._C._autograd, '_profiler_enabled', None))
    watchers.append(getattr(getattr(torch._C, '_functorch', None), 'peek_interpreter_stack', None))
    packet = torch.ops.fade.attention
    if all(watchers) and hasattr(packet, '_op'):
        kernel = packet._op
        packet._op = _quick(kernel, CAUSAL, tuple(watchers))
        builtins = getattr(torch.jit, '_builtins', None)   # torch.jit.script finds operators by the identity of _op
        if hasattr(builtins, '_register_builtin'):
            builtins._register_builtin(packet._op, 'fade::attention')


_quick_packet()
_first_derivatives_alone()


# ---- functions ----------------------------------------------------------------------------------------------------------------

def attention(q: Tensor, k: Tensor, v: Tensor, *, bias: Tensor | None = None, causal: str | None = None, window: tuple[int, int] = (-1, -1),
              scale: float | None = None, softcap: float = 0.0, dropout: float = 0.0, seed: int = 0, return_lse: bool = False,
              backward: str = 'refuse'):
    """fade.attention as the operator torch.ops.fade.attention: [batch, positions, heads, dim].

    backward: what happens where a tensor needs a gradient. 'refuse': fade.Error; 'math': PyTorch's own formula, which makes a
    matrix of queries x keys, and has no window, softcap or dropout here.
    """
    if backward not in ('refuse', 'math'):
        raise Error('backward', repr(backward), "it is 'refuse' or 'math'")
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in (q, k, v, bias)):
        if backward == 'refuse':
            raise Error('requires_grad', 'True', "fade has no backward pass of attention; call it under torch.no_grad(), or with backward='math'")
        if window != (-1, -1) or softcap or dropout or return_lse:
            raise Error('backward', "'math'", 'it has no window, softcap, dropout or lse')
        return _math(q, k, v, bias, causal, scale)
    if softcap or dropout or seed or scale or window != (-1, -1):
        rules = (bias, causal or '', window[0], window[1], scale or 0.0, softcap, dropout, seed)
    else:
        rules = (bias, causal) if causal else (bias,) if bias is not None else ()
    return _attention_with_lse(q, k, v, *rules) if return_lse else torch.ops.fade.attention(q, k, v, *rules)


def _math(q, k, v, bias, causal, scale):
    """PyTorch's formula, of which autograd knows the gradient."""
    q, k, v = (t.transpose(1, 2) for t in (q, k, v))
    share = q.shape[1] // k.shape[1]
    k, v = (t.repeat_interleave(share, 1) for t in (k, v))
    scores = q @ k.transpose(-1, -2) * (scale or 1 / math.sqrt(q.shape[-1]))
    if bias is not None:
        scores = scores + bias
    if causal:
        ahead = k.shape[2] - q.shape[2] if causal == 'bottom-right' else 0
        seen = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool, device=q.device).tril(ahead)
        scores = scores.masked_fill(~seen, -math.inf)
    weights = torch.softmax(scores, -1)
    return (weights.nan_to_num() if causal else weights).matmul(v).transpose(1, 2)


def gemm(a: Tensor, b: Tensor, *, bias: Tensor | None = None, activation: str | None = None) -> Tensor:
    """activation(a @ b + bias) as torch.ops.fade.gemm, with gradients where there is no activation ('relu', 'gelu', 'gelu_tanh',
    'silu', 'sigmoid', or a gate, 'swiglu', 'geglu' or 'geglu_tanh', which leaves half of the columns)."""
    return _gemm(a, b, bias, activation or '')


def rms_norm(x: Tensor, weight: Tensor | None = None, *, epsilon: float = 1e-5) -> Tensor:
    """fade.rms_norm with its gradient."""
    return _rms_norm(x, weight, epsilon)[0]


def layer_norm(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, *, epsilon: float = 1e-5) -> Tensor:
    """fade.layer_norm of the last dimension, with its gradients."""
    return _layer_norm(x, weight, bias, epsilon)[0]


def cross_entropy(x: Tensor, labels: Tensor, *, smoothing: float = 0.0, ignored_label: int = -100) -> Tensor:
    """fade.cross_entropy, a float32 loss for each row, with its gradient. labels of int64 become int32."""
    return _cross_entropy(x, labels.int(), smoothing, ignored_label)[0]


def rotary(x: Tensor, cos: Tensor, sin: Tensor, *, positions: Tensor | None = None, first_position: int = 0, interleaved: bool = False) -> Tensor:
    """fade.rotary, with the gradient of x."""
    return _rotary(x, cos, sin, positions, first_position, interleaved, False)


def conv(x: Tensor, w: Tensor, bias: Tensor | None = None, *, stride=1, padding=0, dilation=1, groups: int = 1, activation: str | None = None) -> Tensor:
    """fade.conv_forward as torch.nn.functional.conv1d to conv3d have it: x [batch, channels, sizes...], w [filters, channels / groups,
    taps...]; with gradients of x, w and bias where there is no activation ('relu', 'gelu', 'gelu_tanh', 'silu', 'sigmoid')."""
    each = [[n] * (x.dim() - 2) if isinstance(n, int) else list(n) for n in (stride, padding, dilation)]
    return _conv(x, w, bias, activation or '', *each, groups)


def softmax(x: Tensor) -> Tensor:
    """fade.softmax of the last dimension, with its gradient."""
    return _softmax(x, False)


def log_softmax(x: Tensor) -> Tensor:
    """fade.log_softmax of the last dimension, with its gradient."""
    return _softmax(x, True)


# ---- scaled_dot_product_attention ------------------------------------------------------------------------------------------------

class Routed:
    """What sdpa_kernel() did: how many calls FADE took, and which it left to PyTorch for which reason."""

    def __init__(self):
        self.taken = 0
        self.left: Counter[str] = Counter()

    def __repr__(self):
        left = '; '.join(f'{n} left to PyTorch: {why}' for why, n in self.left.items())
        return f'{self.taken} calls on FADE' + (f'; {left}' if left else '')


def _obstacle(q, k, v, mask, dropout_p, is_causal, enable_gqa) -> str:
    """Why FADE cannot take a call of scaled_dot_product_attention; empty where it can."""
    if torch.is_grad_enabled() and any(t.requires_grad for t in (q, k, v)):
        return 'a gradient is wanted, and FADE has no backward pass of attention'
    if q.dim() != 4 or k.dim() != 4 or v.dim() != 4:
        return f'q has {q.dim()} dimensions, FADE takes [batch, heads, positions, dim]'
    if q.dtype not in (torch.float32, torch.float16, torch.bfloat16) or k.dtype != q.dtype or v.dtype != q.dtype:
        return f'type {str(q.dtype).rpartition(".")[2]}'
    if dropout_p:
        return 'dropout takes its random numbers from PyTorch'
    if mask is not None and is_causal:
        return 'attn_mask and is_causal at once, which PyTorch refuses'
    if mask is not None and (mask.requires_grad or mask.shape[-2:] != (q.shape[-2], k.shape[-2])):
        return 'attn_mask needs a gradient, or is not [..., queries, keys]'
    if q.shape[1] != k.shape[1] and not enable_gqa:
        return 'heads of q and k differ without enable_gqa'
    if k.shape[0] != q.shape[0] or v.shape[0] != q.shape[0] or k.shape[1] != v.shape[1] or k.shape[2] != v.shape[2]:
        return 'batches or heads are broadcast'
    if any(t.stride(-1) != 1 for t in (q, k, v)):
        return 'elements of a head do not lie side by side'
    return ''


@contextlib.contextmanager
def sdpa_kernel(*, log: bool = False):
    """Within it torch.nn.functional.scaled_dot_product_attention runs on FADE where FADE can take the call; PyTorch takes the others.

    Gives a fade.torch.Routed, which says how many calls FADE took and why it left the others. log=True prints each reason once.
    The function is replaced in torch.nn.functional, for all threads, until the context ends.
    """
    functional = torch.nn.functional
    original = functional.scaled_dot_product_attention
    said = Routed()

    def routed(query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False):
        why = _obstacle(query, key, value, attn_mask, dropout_p, is_causal, enable_gqa)
        if not why:
            try:
                bias = None
                if attn_mask is not None:
                    bias = torch.zeros(attn_mask.shape, dtype=torch.float32, device=query.device).masked_fill_(~attn_mask, -math.inf) \
                        if attn_mask.dtype is torch.bool else attn_mask.float()
                o = attention(query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2), bias=bias, scale=scale,
                              causal='top-left' if is_causal else None)
                said.taken += 1
                return o.transpose(1, 2)
            except Error as e:
                why = str(e)
        if log and why not in said.left:
            print(f'fade.torch: left to PyTorch: {why}')
        said.left[why] += 1
        more = {'enable_gqa': True} if enable_gqa else {}     # PyTorch 2.4 has no such argument
        return original(query, key, value, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale, **more)

    functional.scaled_dot_product_attention = routed
    try:
        yield said
    finally:
        functional.scaled_dot_product_attention = original
