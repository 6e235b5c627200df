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

from ._attention import causal_number
from ._error import Error
from ._tensors import framework, where

Tensor = torch.Tensor
EIGHT_BITS = frozenset(getattr(torch, n) for n in ('float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz', 'float8_e5m2fnuz') if hasattr(torch, n))


def _result_dtype(x: Tensor, eight: torch.dtype = torch.bfloat16) -> torch.dtype:
    return eight if x.dtype in EIGHT_BITS else torch.int32 if x.dtype is torch.int8 else x.dtype


# ---- operators: functional, with results of their own, as torch.library wants them --------------------------------------------

_library = torch.library.Library('fade', 'DEF')
_kernels: dict = {}                              # what runs below autograd


def _operator(schema: str):
    """Makes a function the operator fade::schema on CPUs and GPUs. A call of it costs less than one of torch.library.custom_op."""
    name = schema.partition('(')[0]

    def enter(f):
        _library.define(schema, tags=torch.Tag.pt2_compliant_tag)
        for key in ('CPU', 'CUDA'):
            _library.impl(name, f, key)
        _kernels[name] = f
        return getattr(torch.ops.fade, name).default
    return enter


def _fake(name: str):
    return torch.library.register_fake(f'fade::{name}', lib=_library)


def _gradient(name: str, backward, keep=None):
    torch.library.register_autograd(f'fade::{name}', backward, setup_context=keep, lib=_library)


@_operator('attention(Tensor q, Tensor k, Tensor v, Tensor? bias, str causal, int window_left, int window_right, float scale, '
           'float softcap, float dropout, int seed) -> (Tensor, Tensor)')
def _attention(q, k, v, bias, causal, window_left, window_right, scale, softcap, dropout, seed):
    # fade.attention without what reads its many names: half the cost of a small call.
    on, stream = where(framework(q), q, None)
    batch, queries, heads, dim = q.shape
    dtype, dim_v = q.dtype, v.shape[-1]
    # Sizes one by one: PyTorch reads a tuple in twice the time.
    if dtype in EIGHT_BITS:
        o = q.new_empty(batch, queries, heads, dim_v, dtype=torch.bfloat16)
    else:
        o = torch.empty_like(q) if dim == dim_v else q.new_empty(batch, queries, heads, dim_v)
    lse = q.new_empty(batch, heads, queries) if dtype is torch.float32 else q.new_empty(batch, heads, queries, dtype=torch.float32)
    on.attention(q, k, v, o, lse, None, bias, None, None, None, None, None, None, None, None, None, None, causal_number(causal or None),
                 window_left, window_right, scale, softcap, dropout, seed, 0, 0, -1, 0, 0, stream, False, False)
    return o, lse


@_fake('attention')
def _(q, k, v, bias, causal, window_left, window_right, scale, softcap, dropout, seed):
    o = torch.empty_like(q) if q.size(-1) == v.size(-1) and q.dtype not in EIGHT_BITS \
        else q.new_empty((*q.shape[:-1], v.size(-1)), dtype=_result_dtype(q))
    return o, q.new_empty((q.shape[0], q.shape[2], q.shape[1]), dtype=torch.float32)


@_operator('gemm(Tensor a, Tensor b, Tensor? bias, str activation) -> Tensor')
def _gemm(a, b, bias, activation):
    return fade.gemm(a, b, epilogue=([('bias', bias)] if bias is not None else []) + ([activation] if activation else []))


@_fake('gemm')
def _(a, b, bias, activation):
    lead = a.shape[:-2] if a.dim() >= b.dim() else b.shape[:-2]
    return a.new_empty((*lead, a.shape[-2], b.shape[-1]), dtype=_result_dtype(a))


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


class _NoBackward(torch.autograd.Function):
    """An operator whose gradient is refused when it is asked for."""

    @staticmethod
    def forward(ctx, name, *arguments):
        ctx.name = name
        with torch._C._AutoDispatchBelowAutograd():
            return getattr(torch.ops.fade, name).default(*arguments)

    @staticmethod
    def backward(ctx, *gradients):
        raise Error('requires_grad', 'True',
                    f"fade has no backward pass of {ctx.name}; call it under torch.no_grad(), or attention with backward='math'")


def _without_gradient(name: str):
    """The autograd kernel of an operator without a backward pass. What needs no gradient costs no second dispatch."""
    op, run = getattr(torch.ops.fade, name).default, _kernels[name]
    tensors = sum('Tensor' in str(a.type) for a in op._schema.arguments)      # they come first
    grad_enabled, modes = torch.is_grad_enabled, torch._C._len_torch_dispatch_stack

    def kernel(*arguments):
        plain = not modes()
        gradients = grad_enabled()
        for t in arguments[:tensors]:
            if t is not None:
                if gradients and t.requires_grad:
                    return _NoBackward.apply(name, *arguments)
                plain = plain and type(t) is Tensor
        if plain:
            return run(*arguments)
        with torch._C._AutoDispatchBelowAutograd():
            return op(*arguments)
    for key in ('AutogradCPU', 'AutogradCUDA'):
        _library.impl(name, kernel, key)


for _name in ('attention', 'gemm'):
    _without_gradient(_name)


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
    o, lse = _attention(q, k, v, bias, causal or '', window[0], window[1], scale or 0.0, softcap, dropout, seed)
    return (o, lse) if return_lse else o


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
    """activation(a @ b + bias) as torch.ops.fade.gemm; activation is 'relu', 'gelu', 'gelu_tanh', 'silu' or 'sigmoid'."""
    return _gemm(a, b, bias, activation or '')


def rms_norm(x: Tensor, weight: Tensor | None = None, *, epsilon: float = 1e-5) -> Tensor:
    """fade.rms_norm with its gradient."""
    return _rms_norm(x, weight, epsilon)[0]


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
        return original(query, key, value, attn_mask=attn_mask, dropout_p=dropout_p, is_causal=is_causal, scale=scale, enable_gqa=enable_gqa)

    functional.scaled_dot_product_attention = routed
    try:
        yield said
    finally:
        functional.scaled_dot_product_attention = original
