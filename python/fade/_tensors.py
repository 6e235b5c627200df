"""What differs between frameworks: how a result is made beside an input, and on which device and stream a call runs."""
from __future__ import annotations

import sys

from . import _c
from ._devices import known, named
from ._error import Error

DTYPES = ('float64', 'float32', 'float16', 'bfloat16', 'int8', 'int32', 'float8_e4m3fn', 'float8_e5m2', 'float8_e4m3fnuz',
          'float8_e5m2fnuz')
_taught = False


def name_of(dtype) -> str:
    """'float16' of numpy.float16, torch.float16, numpy.dtype('float16') or 'float16'."""
    name = dtype if isinstance(dtype, str) else getattr(dtype, 'name', None) or getattr(dtype, '__name__', None) or str(dtype)
    return name.rpartition('.')[2]


class Numpy:
    """Arrays of NumPy, with the types of ml_dtypes where that is installed."""

    def __init__(self):
        import numpy
        self.numpy = numpy
        learn_types()

    def dtype(self, name):
        try:
            return self.numpy.dtype(name)
        except TypeError:
            import ml_dtypes
            return self.numpy.dtype(getattr(ml_dtypes, name))

    def empty(self, like, shape, name):
        return self.numpy.empty(shape, like.dtype if name is None else self.dtype(name))

    makers = None                                # what the extension makes attention's result by, where that is faster

    def beside(self, q, v):
        """Memory for attention: of q's shape and type (bfloat16 of 8-bit floats), with rows as long as v's."""
        return self.empty(q, (*q.shape[:-1], v.shape[-1]), 'bfloat16' if '8_' in self.dtype_name(q) else None)

    def as_bytes(self, flags):
        """Flags of 8 bits as integers of as many, without a copy."""
        if getattr(getattr(flags, 'dtype', None), 'itemsize', 0) != 1:
            raise Error('flags', str(getattr(flags, 'dtype', type(flags).__name__)), 'flags are bool or integers of 8 bits')
        return flags.view('int8')

    def pointers(self, like, pointers, waits):
        """A table of pointers where `like` lies, as words of 32 bits; `waits`: it is there when this returns."""
        return self.numpy.frombuffer(pointers, 'int32')

    def dtype_name(self, x):
        return x.dtype.name

    def place(self, x):
        return 'host', 0

    def finished(self, x):
        return x

    def wait(self, x):
        """Ends when the current stream has done what is queued on it, where x lies on a GPU."""

    def check(self, *tensors):
        pass


class Jax(Numpy):
    """Arrays of JAX on a CPU: results are written as NumPy's and handed over without a copy where JAX takes them so."""

    def empty(self, like, shape, name):
        return self.numpy.empty(shape, self.dtype(name or like.dtype.name))

    def as_bytes(self, flags):
        return super().as_bytes(self.numpy.asarray(flags))

    def finished(self, x):
        import jax
        if x is None:
            return None
        try:
            return jax.dlpack.from_dlpack(x)
        except (TypeError, RuntimeError, BufferError):
            return jax.numpy.asarray(x)          # types that NumPy gives no DLPack for


class Torch:
    """Tensors of PyTorch, on the current stream of their device."""

    def __init__(self):
        self.torch, self.names = sys.modules['torch'], {}
        self.eight_bits = frozenset(getattr(self.torch, n) for n in DTYPES if n.startswith('float8') and hasattr(self.torch, n))
        self.empty_like, self.wants_gradients = self.torch.empty_like, self.torch.is_grad_enabled   # found once: calls are short
        self.makers = self.empty_like, self.beside
        # Whether a mode of PyTorch, or torch.jit.trace, records calls; and forward-mode differentiation.
        self.modes, self.trace = (getattr(self.torch._C, n, None) or (lambda: None) for n in ('_len_torch_dispatch_stack', '_get_tracing_state'))
        self.forward = self.torch.autograd.forward_ad
        self.gpu = 'hip' if self.torch.version.hip else 'cuda'
        self.places = [f'{self.gpu}:{i}' for i in range(self.torch.cuda.device_count())]
        # The stream as a number, without an object around it: a tenth of the time of current_stream().
        self.stream = getattr(self.torch._C, '_cuda_getCurrentRawStream', None) or \
            (lambda device: self.torch.cuda.current_stream(device).cuda_stream)
        self.capturing = getattr(self.torch._C, '_cuda_isCurrentStreamCapturing', None) or self.torch.cuda.is_current_stream_capturing
        # Memory without the dispatcher, as programs of torch.compile take it: half of the time of empty_like.
        guards = getattr(getattr(self.torch._C, '_dynamo', None), 'guards', None)
        strided = getattr(guards, '_empty_strided_cpu', None), getattr(guards, '_empty_strided_cuda', None)
        try:   # a private function: another PyTorch may ask for other arguments
            tried = strided[0]((2, 3), (3, 1), self.torch.float32)
            if (tuple(tried.shape), tried.stride(), tried.dtype) != ((2, 3), (3, 1), self.torch.float32):
                strided = None, None
        except Exception:
            strided = None, None
        _c.know_torch(self.torch.Tensor, self.makers, self.wants_gradients, self.places, self.stream, self.capturing,
                      strided if all(strided) else None, tuple(getattr(self.torch, n, None) for n in DTYPES),
                      (self.modes, self.trace), vars(self.forward))

    def dtype(self, name):
        return getattr(self.torch, name)

    def empty(self, like, shape, name):
        return like.new_empty(shape) if name is None else like.new_empty(shape, dtype=self.dtype(name))

    def beside(self, q, v):
        if q.dtype in self.eight_bits:
            return q.new_empty((*q.shape[:-1], v.shape[-1]), dtype=self.torch.bfloat16)
        return self.empty_like(q) if q.size(-1) == v.size(-1) else q.new_empty((*q.shape[:-1], v.shape[-1]))

    def as_bytes(self, flags):
        if getattr(flags, 'dtype', None) not in (self.torch.bool, self.torch.uint8, self.torch.int8):
            raise Error('flags', str(getattr(flags, 'dtype', type(flags).__name__)), 'flags are bool or integers of 8 bits')
        return flags.view(self.torch.int8)

    def pointers(self, like, pointers, waits):
        there = self.torch.frombuffer(bytearray(pointers), dtype=self.torch.int32) if pointers else self.torch.empty(0, dtype=self.torch.int32)
        if not like.is_cuda or not pointers:
            return there
        if self.capturing():
            raise Error('pointers', 'of a list', 'a captured graph would read this table once it is gone: make a fade.PointerTable before')
        return there.to(like.device) if waits else there.pin_memory().to(like.device, non_blocking=True)

    def dtype_name(self, x):
        found = self.names.get(x.dtype)
        if found is None:
            found = self.names[x.dtype] = name_of(x.dtype)
        return found

    def place(self, x):
        if not x.is_cuda:
            return 'host', 0
        device = x.get_device()
        stream = self.stream(device)
        return self.places[device], (stream, self.bytes_on(x.device)) if self.capturing() else stream

    def bytes_on(self, device):
        """Gives memory for a call while a CUDA graph is captured: the graph keeps it."""
        return lambda count: self.torch.empty(count, dtype=self.torch.int8, device=device)

    def finished(self, x):
        return x

    def wait(self, x):
        if x.is_cuda:
            self.torch.cuda.current_stream(x.device).synchronize()

    def check(self, *tensors):
        """FADE's functions have no gradients: a tensor that wants one would silently get none. PyTorch does not see what they read, so a
        trace would keep results as constants."""
        if self.modes() or self.trace() is not None:
            mode = getattr(self.torch._C, '_get_dispatch_mode', None)
            if self.trace() is not None or mode and mode(self.torch._C._TorchDispatchModeKey.PROXY) is not None:
                raise Error('torch', 'tracing', 'a trace would keep this result as a constant; the operators of fade.torch can be traced')
        if self.forward._current_level >= 0:
            self.check_tangents(*tensors)
        if not self.wants_gradients():
            return
        for t in tensors:
            if getattr(t, 'requires_grad', False):
                raise Error('requires_grad', 'True', 'fade has no backward pass of this function; call it under torch.no_grad(), detach '
                            'the tensor, or use fade.torch with backward="math"')

    def check_tangents(self, *tensors):
        """Of forward mode, where that is on: FADE has none, and would silently lose them. Below torch.func.jvp tensors do not show theirs."""
        nested = getattr(sys.modules.get('torch._functorch.eager_transforms'), 'JVP_NESTING', 0)
        if nested or any(isinstance(t, self.torch.Tensor) and self.forward.unpack_dual(t).tangent is not None for t in tensors):
            raise Error('tangent', 'wanted', 'fade has no forward-mode derivatives; take a gradient, or call it outside of torch.func.jvp')


class Cupy(Numpy):
    """Arrays of CuPy, on CuPy's current stream."""

    def __init__(self):
        super().__init__()
        self.numpy = sys.modules['cupy']
        self.gpu = 'hip' if self.numpy.cuda.runtime.is_hip else 'cuda'

    def pointers(self, like, pointers, waits):
        import numpy
        with like.device:
            out = self.numpy.asarray(numpy.frombuffer(pointers, 'int32'))
        if waits:
            self.numpy.cuda.get_current_stream().synchronize()
        return out

    def wait(self, x):
        self.numpy.cuda.get_current_stream().synchronize()

    def place(self, x):
        return f'{self.gpu}:{x.device.id}', self.numpy.cuda.get_current_stream().ptr


MAKERS = {'numpy': Numpy, 'torch': Torch, 'jaxlib': Jax, 'jax': Jax, 'cupy': Cupy}
_frameworks: dict[type, object] = {}


def framework(x):
    """The framework of a tensor, by its type."""
    found = _frameworks.get(type(x))
    if found is None:
        root = next((c.__module__.partition('.')[0] for c in type(x).__mro__ if c.__module__.partition('.')[0] in MAKERS), None)
        if root is None:
            raise Error('x', f'a {type(x).__name__}', 'fade takes arrays of NumPy, PyTorch, JAX and CuPy; give others as `out=` and inputs '
                        'with __dlpack__ through one of these')
        found = _frameworks[type(x)] = MAKERS[root]()
    return found


def learn_types():
    """Teaches the extension what ml_dtypes calls its types: NumPy's array interface has no words for them."""
    global _taught
    if _taught:
        return
    _taught = True
    try:
        import ml_dtypes
        import numpy
    except ImportError:
        return
    for number, name in enumerate(DTYPES):
        if hasattr(ml_dtypes, name):
            _c.know_type(numpy.dtype(getattr(ml_dtypes, name)), number)


def where(of, x, device):
    """(the extension's device, stream) of a call on x."""
    place, stream = of.place(x)
    return (known(place) or named(place) if device is None else named(device))._c, stream
