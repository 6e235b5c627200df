"""FADE's kernels for arrays of NumPy, PyTorch, JAX and CuPy, without copies.

    >>> import fade, numpy
    >>> a, b = numpy.ones((4, 8), 'float32'), numpy.ones((8, 3), 'float32')
    >>> fade.gemm(a, b, epilogue=['relu'])[0]
    array([8., 8., 8.], dtype=float32)

fade.info() says which devices there are. A call runs where its tensors lie, on their framework's current stream; device='...'
chooses another ('emulated:gfx942'). A call that cannot be raises fade.Error, a ValueError with argument, value and rule; with
return_report=True it returns (result, fade.Report). fade.torch has operators for torch.compile, fade.flash_attn the interface of
FlashAttention, fade.onnx_backend that of ONNX; fade.truth corrects what PyTorch says of devices.
"""
from ._attention import append_kv, attention, quantize, rotary, rotary_gradient
from ._batches import PointerTable, batched_gemm
from ._conv import conv_backward_data, conv_backward_weights, conv_forward
from ._devices import Device, info
from ._error import Error
from ._gemm import gemm
from ._groups import grouped_gemm, grouped_k_gemm, moe_combine, moe_dispatch, moe_route
from ._images import (BatchNormed, avg_pool, avg_pool_gradient, batch_norm, batch_norm_gradient, batch_norm_inference, fold_into_filter,
                      grid_sample, grid_sample_gradient, max_pool, max_pool_gradient, upsample, upsample_gradient)
from ._lists import histogram, list_top_k, reduce, scan, select, sort
from ._optimizer import adamw_step, find_nonfinite, sgd_step
from ._report import Report
from ._rows import (NormGradient, Normed, argmax, cross_entropy, cross_entropy_gradient, layer_norm, layer_norm_gradient, log_softmax,
                    log_softmax_gradient, max, mean, rms_norm, rms_norm_gradient, softmax, softmax_gradient, sum, top_k)
from ._scaled import scaled_gemm
from ._weights import grouped_weight_gemm, weight_gemm

__version__ = '0.1.0'
__all__ = ['BatchNormed', 'Device', 'Error', 'NormGradient', 'Normed', 'PointerTable', 'Report', 'adamw_step', 'append_kv', 'argmax',
           'attention', 'avg_pool', 'avg_pool_gradient', 'batch_norm', 'batch_norm_gradient',
           'batch_norm_inference', 'batched_gemm', 'conv_backward_data', 'conv_backward_weights', 'conv_forward',
           'cross_entropy', 'cross_entropy_gradient', 'doctor', 'find_nonfinite', 'fold_into_filter', 'gemm', 'grid_sample',
           'grid_sample_gradient', 'grouped_gemm', 'grouped_k_gemm', 'grouped_weight_gemm', 'histogram', 'info', 'layer_norm',
           'layer_norm_gradient', 'list_top_k', 'log_softmax', 'log_softmax_gradient', 'max', 'max_pool', 'max_pool_gradient',
           'mean', 'moe_combine', 'moe_dispatch', 'moe_route', 'quantize', 'reduce', 'rms_norm',
           'rms_norm_gradient', 'rotary', 'rotary_gradient', 'scaled_gemm', 'scan', 'select', 'sgd_step', 'softmax', 'softmax_gradient',
           'sort', 'sum', 'top_k', 'upsample', 'upsample_gradient', 'weight_gemm']


def doctor(record=None):
    """What the GPUs of this machine (or of a recorded one) really are: the list that fade-doctor --json prints.

    Asks the program fade-doctor, which FADE_DOCTOR names, or which is in PATH. Raises fade_truth.Error where it does not answer.
    """
    from fade_truth import describe
    return describe(record)
