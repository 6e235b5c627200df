"""What a GPU really is, for PyTorch: import fade_truth; fade_truth.apply()

apply() asks fade-doctor, corrects what torch.cuda.get_device_properties and its kin answer, and says what it changed;
undo() takes it back. on_gpu() is a region in which an operator that falls back to the CPU raises, with its name.
The wave size (warp_size) is never changed: it is a property of compiled kernels.
"""
from .doctor import DoctorError, Error, describe
from .guard import CpuFallback, CpuFallbackWarning, on_gpu
from .patch import apply, corrected, undo

__all__ = ['apply', 'undo', 'corrected', 'describe', 'on_gpu', 'CpuFallback', 'CpuFallbackWarning', 'Error', 'DoctorError']
