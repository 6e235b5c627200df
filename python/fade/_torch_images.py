"""Operators of PyTorch for images [batch, channels, sizes...]: pooling, batch normalisation, other sizes and samples, with their gradients."""
from __future__ import annotations

from typing import Sequence

import torch

import fade

from ._error import Error
from ._spatial import outputs
from ._torch_library import fake, gradient, operator

Tensor = torch.Tensor
FIRST = {'layout': 'channels_first'}


# ---- pooling -----------------------------------------------------------------------------------------------------------------------

_MAX = 'SymInt[] window, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool ceil_mode'
_MEAN = 'SymInt[] window, SymInt[] stride, SymInt[] padding, bool ceil_mode, bool count_include_pad'


def _how(window, stride, padding, ceil_mode, **more) -> dict:
    return {'window': tuple(window), 'stride': tuple(stride), 'padding': tuple(padding), 'ceil_mode': ceil_mode, **more, **FIRST}


@operator(f'max_pool(Tensor x, {_MAX}) -> (Tensor, Tensor)')
def _max_pool(x, window, stride, padding, dilation, ceil_mode):
    return fade.max_pool(x.contiguous(), return_indices=True, **_how(window, stride, padding, ceil_mode, dilation=tuple(dilation)))


@fake('max_pool')
def _(x, window, stride, padding, dilation, ceil_mode):
    shape = *x.shape[:2], *outputs(x.shape[2:], window, stride, dilation, padding, padding, ceil_mode)
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int32)


@operator(f'max_pool_gradient(Tensor dy, Tensor indices, SymInt[] sizes, {_MAX}) -> Tensor')
def _max_pool_gradient(dy, indices, sizes, window, stride, padding, dilation, ceil_mode):
    return fade.max_pool_gradient(dy.contiguous(), indices, tuple(sizes), **_how(window, stride, padding, ceil_mode, dilation=tuple(dilation)))


@fake('max_pool_gradient')
def _(dy, indices, sizes, *how):
    return dy.new_empty((*dy.shape[:2], *sizes))


def _keep_max_pool(ctx, inputs, output):
    x, *ctx.how = inputs
    ctx.sizes = x.shape[2:]
    ctx.save_for_backward(output[1])


def _max_pool_backward(ctx, dy, _):
    return _max_pool_gradient(dy, *ctx.saved_tensors, ctx.sizes, *ctx.how), *(None,) * 5


gradient('max_pool', _max_pool_backward, _keep_max_pool)


@operator(f'avg_pool(Tensor x, {_MEAN}) -> Tensor')
def _avg_pool(x, window, stride, padding, ceil_mode, count_include_pad):
    return fade.avg_pool(x.contiguous(), **_how(window, stride, padding, ceil_mode, count_include_pad=count_include_pad))


@fake('avg_pool')
def _(x, window, stride, padding, ceil_mode, count_include_pad):
    return x.new_empty((*x.shape[:2], *outputs(x.shape[2:], window, stride, [1] * len(window), padding, padding, ceil_mode)))


@operator(f'avg_pool_gradient(Tensor dy, SymInt[] sizes, {_MEAN}) -> Tensor')
def _avg_pool_gradient(dy, sizes, window, stride, padding, ceil_mode, count_include_pad):
    return fade.avg_pool_gradient(dy.contiguous(), tuple(sizes), **_how(window, stride, padding, ceil_mode, count_include_pad=count_include_pad))


@fake('avg_pool_gradient')
def _(dy, sizes, *how):
    return dy.new_empty((*dy.shape[:2], *sizes))


def _keep_avg_pool(ctx, inputs, output):
    x, *ctx.how = inputs
    ctx.sizes = x.shape[2:]


def _avg_pool_backward(ctx, dy):
    return _avg_pool_gradient(dy, ctx.sizes, *ctx.how), *(None,) * 5


gradient('avg_pool', _avg_pool_backward, _keep_avg_pool)


# ---- batch normalisation -----------------------------------------------------------------------------------------------------------

@operator('batch_norm(Tensor x, Tensor? weight, Tensor? bias, float epsilon) -> (Tensor, Tensor, Tensor)')
def _batch_norm(x, weight, bias, epsilon):
    return tuple(fade.batch_norm(x.contiguous(), weight, bias, epsilon=epsilon, for_gradient=True, **FIRST))


@fake('batch_norm')
def _(x, weight, bias, epsilon):
    return x.new_empty(x.shape), *(x.new_empty((x.shape[1],), dtype=torch.float32) for _ in range(2))


@operator('batch_norm_gradient(Tensor dy, Tensor x, Tensor mean, Tensor inverse_root, Tensor? weight) -> (Tensor, Tensor, Tensor)')
def _batch_norm_gradient(dy, x, mean, inverse_root, weight):
    return tuple(fade.batch_norm_gradient(dy.contiguous(), x.contiguous(), mean, inverse_root, weight, **FIRST))


@fake('batch_norm_gradient')
def _(dy, x, mean, inverse_root, weight):
    return x.new_empty(x.shape), torch.empty_like(mean), torch.empty_like(mean)


def _keep_batch_norm(ctx, inputs, output):
    x, weight, bias, *others = inputs
    ctx.with_bias, ctx.others = bias is not None, len(others)
    ctx.save_for_backward(x, *output[1:3], weight)


def _batch_norm_backward(ctx, dy, *_):
    weight = ctx.saved_tensors[-1]
    dx, dweight, dbias = _batch_norm_gradient(dy, *ctx.saved_tensors)
    return dx, None if weight is None else dweight, dbias if ctx.with_bias else None, *(None,) * ctx.others


gradient('batch_norm', _batch_norm_backward, _keep_batch_norm)


# Operators with gradients write nothing that they are given, so the running values are results, which the caller keeps.
@operator('batch_norm_running(Tensor x, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float epsilon) '
          '-> (Tensor, Tensor, Tensor, Tensor, Tensor)')
def _batch_norm_running(x, weight, bias, running_mean, running_var, momentum, epsilon):
    kept = running_mean.clone(), running_var.clone()
    return *fade.batch_norm(x.contiguous(), weight, bias, running_mean=kept[0], running_variance=kept[1], momentum=momentum, epsilon=epsilon,
                            for_gradient=True, **FIRST), *kept


@fake('batch_norm_running')
def _(x, weight, bias, running_mean, running_var, momentum, epsilon):
    vectors = (x.new_empty((x.shape[1],), dtype=torch.float32) for _ in range(2))
    return x.new_empty(x.shape), *vectors, torch.empty_like(running_mean), torch.empty_like(running_var)


gradient('batch_norm_running', _batch_norm_backward, _keep_batch_norm)


@operator('batch_norm_inference(Tensor x, Tensor mean, Tensor variance, Tensor? weight, Tensor? bias, float epsilon) -> Tensor')
def _batch_norm_inference(x, mean, variance, weight, bias, epsilon):
    return fade.batch_norm_inference(x.contiguous(), mean, variance, weight, bias, epsilon=epsilon, **FIRST)


@fake('batch_norm_inference')
def _(x, mean, variance, weight, bias, epsilon):
    return x.new_empty(x.shape)


def _keep_batch_norm_inference(ctx, inputs, output):
    x, mean, variance, weight, bias, ctx.epsilon = inputs
    ctx.with_bias = bias is not None
    ctx.save_for_backward(x, mean, variance, weight)


def _batch_norm_inference_backward(ctx, dy):
    x, mean, variance, weight = ctx.saved_tensors
    wants_x, wants_mean, wants_variance, *wants_vectors = ctx.needs_input_grad[:5]
    for name, wanted in (('running_mean', wants_mean), ('running_var', wants_variance)):
        if wanted:
            raise Error(name, 'a tensor that needs a gradient', 'it has none: running values are constants')
    dx = dweight = dbias = None
    if wants_x:                                  # a factor for each channel, and nothing is added
        dx = _batch_norm_inference(dy, torch.zeros_like(mean), variance, weight, None, ctx.epsilon)
    if any(wants_vectors):
        _, dweight, dbias = _batch_norm_gradient(dy, x, mean, torch.rsqrt(variance + ctx.epsilon), weight)
    return dx, None, None, None if weight is None else dweight, dbias if ctx.with_bias else None, None


gradient('batch_norm_inference', _batch_norm_inference_backward, _keep_batch_norm_inference)


# ---- images of another size, and samples at points ---------------------------------------------------------------------------------

@operator('upsample(Tensor x, SymInt[] sizes, str mode, bool align_corners) -> Tensor')
def _upsample(x, sizes, mode, align_corners):
    return fade.upsample(x.contiguous(), tuple(sizes), mode=mode, align_corners=align_corners, **FIRST)


@operator('upsample_gradient(Tensor dy, SymInt[] sizes, str mode, bool align_corners) -> Tensor')
def _upsample_gradient(dy, sizes, mode, align_corners):
    return fade.upsample_gradient(dy.contiguous(), tuple(sizes), mode=mode, align_corners=align_corners, **FIRST)


def _of_sizes(given, sizes, mode, align_corners):
    return given.new_empty((*given.shape[:2], *sizes))


fake('upsample')(_of_sizes)
fake('upsample_gradient')(_of_sizes)


def _keep_upsample(ctx, inputs, output):
    x, _, *ctx.how = inputs
    ctx.sizes = x.shape[2:]


def _upsample_backward(ctx, dy):
    return _upsample_gradient(dy, ctx.sizes, *ctx.how), None, None, None


gradient('upsample', _upsample_backward, _keep_upsample)


@operator('grid_sample(Tensor x, Tensor grid, str mode, str padding, bool align_corners) -> Tensor')
def _grid_sample(x, grid, mode, padding, align_corners):
    return fade.grid_sample(x.contiguous(), grid.contiguous(), mode=mode, padding=padding, align_corners=align_corners, **FIRST)


@fake('grid_sample')
def _(x, grid, mode, padding, align_corners):
    return x.new_empty((*x.shape[:2], *grid.shape[1:-1]))


@operator('grid_sample_gradient(Tensor dy, Tensor x, Tensor grid, str mode, str padding, bool align_corners) -> (Tensor, Tensor)')
def _grid_sample_gradient(dy, x, grid, mode, padding, align_corners):
    return fade.grid_sample_gradient(dy.contiguous(), x.contiguous(), grid.contiguous(), mode=mode, padding=padding, align_corners=align_corners, **FIRST)


@fake('grid_sample_gradient')
def _(dy, x, grid, mode, padding, align_corners):
    return x.new_empty(x.shape), grid.new_empty(grid.shape)


def _keep_grid_sample(ctx, inputs, output):
    x, grid, *ctx.how = inputs
    ctx.save_for_backward(x, grid)


def _grid_sample_backward(ctx, dy):
    return *_grid_sample_gradient(dy, *ctx.saved_tensors, *ctx.how), None, None, None


gradient('grid_sample', _grid_sample_backward, _keep_grid_sample)


# ---- functions ---------------------------------------------------------------------------------------------------------------------

def _each(number, x: Tensor) -> list:
    """One for each dimension of the images."""
    return [number] * (x.dim() - 2) if isinstance(number, int) else list(number)


def max_pool(x: Tensor, window: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0,
             dilation: int | Sequence[int] = 1, ceil_mode: bool = False, return_indices: bool = False) -> Tensor | tuple[Tensor, Tensor]:
    """fade.max_pool as torch.nn.functional.max_pool1d to max_pool3d have it, with its gradient: x [batch, channels, sizes...].
    return_indices=True gives (y, indices), int32 within an image."""
    y, indices = _max_pool(x, *(_each(n, x) for n in (window, window if stride is None else stride, padding, dilation)), ceil_mode)
    return (y, indices) if return_indices else y


def avg_pool(x: Tensor, window: int | Sequence[int], *, stride: int | Sequence[int] | None = None, padding: int | Sequence[int] = 0,
             ceil_mode: bool = False, count_include_pad: bool = True) -> Tensor:
    """fade.avg_pool as torch.nn.functional.avg_pool1d to avg_pool3d have it, with its gradient: x [batch, channels, sizes...]."""
    return _avg_pool(x, *(_each(n, x) for n in (window, window if stride is None else stride, padding)), ceil_mode, count_include_pad)


def batch_norm(x: Tensor, weight: Tensor | None = None, bias: Tensor | None = None, *, running_mean: Tensor | None = None,
               running_var: Tensor | None = None, training: bool = True, momentum: float = 0.1, epsilon: float = 1e-5) -> Tensor:
    """fade.batch_norm as torch.nn.functional.batch_norm has it: x [batch, channels, sizes...], all vectors [channels] float32.

    training=True: by the mean and variance of this batch, with the gradients of x, weight and bias; running_mean and running_var (both
    or none) become (1 - momentum) of themselves and momentum of this batch's, in place. training=False: by the running values, which
    stay, with the same gradients.
    """
    if (running_mean is None) != (running_var is None) or not training and running_mean is None:
        raise Error('running_mean' if running_mean is None else 'running_var', 'None',
                    'a mean and a variance are given together' if training else 'without training both are read')
    for name, running in (('running_mean', running_mean), ('running_var', running_var)):
        if running is not None and running.requires_grad:
            raise Error(name, 'a tensor that needs a gradient', 'it has none: running values are constants')
    try:
        return _normed(x, weight, bias, running_mean, running_var, training, momentum, epsilon)
    except Error as e:                           # by the names of this call
        names = {'mean': 'running_mean', 'variance': 'running_var', 'running_variance': 'running_var'}
        if e.argument not in names:
            raise
        raise Error(names[e.argument], e.value, e.rule) from None


def _normed(x, weight, bias, running_mean, running_var, training, momentum, epsilon):
    if not training:
        return _batch_norm_inference(x, running_mean, running_var, weight, bias, epsilon)
    if running_mean is None:
        return _batch_norm(x, weight, bias, epsilon)[0]
    y, _, _, *kept = _batch_norm_running(x, weight, bias, running_mean, running_var, momentum, epsilon)
    with torch.no_grad():
        for running, now in zip((running_mean, running_var), kept):
            running.copy_(now)
    return y


def upsample(x: Tensor, sizes: int | Sequence[int], *, mode: str = 'nearest', align_corners: bool = False) -> Tensor:
    """fade.upsample ('nearest', 'nearest_exact', 'linear') with its gradient: x [batch, channels, sizes...]."""
    return _upsample(x, _each(sizes, x), mode, align_corners)


def grid_sample(x: Tensor, grid: Tensor, *, mode: str = 'linear', padding: str = 'zeros', align_corners: bool = False) -> Tensor:
    """fade.grid_sample with the gradients of x and grid: x [batch, channels, sizes...], grid [batch, sizes of y..., dimensions] float32."""
    return _grid_sample(x, grid, mode, padding, align_corners)
