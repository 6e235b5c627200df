"""A region that is meant to run on a GPU: an operator that works on CPU tensors in it raises or warns, with the operator's name."""
import contextlib
import warnings


class CpuFallback(RuntimeError):
    """An operator ran on the CPU inside a GPU region."""


class CpuFallbackWarning(UserWarning):
    """The same, where a region only warns."""


def tell(words, warn):
    """Raises, or warns at the line of the caller's program."""
    if not warn:
        raise CpuFallback(words)
    warnings.warn(words, CpuFallbackWarning, stacklevel=3)


def tensors(x):
    """All tensors anywhere in the arguments."""
    if isinstance(x, dict):
        x = list(x.values())
    if isinstance(x, (list, tuple)):
        return [t for y in x for t in tensors(y)]
    return [x] if hasattr(x, 'device') and hasattr(x, 'dim') else []


def on_cpu(t):
    """Scalars on the CPU are mixed with GPU tensors by design."""
    return t.device.type == 'cpu' and t.dim() > 0


# What moves data to the GPU, or makes it before it is moved, is no fallback.
ALLOWED = ('aten::_to_copy', 'aten::copy_', 'aten::detach', 'aten::empty', 'aten::lift_fresh', 'aten::_pin_memory')


@contextlib.contextmanager
def on_gpu(allow=(), warn=False):
    """with on_gpu(): ... raises CpuFallback at the first operator that reads or makes a CPU tensor; `allow` names operators.

    warn=True warns at each of them instead, and goes on.
    """
    from torch.utils._python_dispatch import TorchDispatchMode

    class mode(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            name = function._schema.name if hasattr(function, '_schema') else str(function)
            fine = any(name.startswith(a) for a in (*ALLOWED, *allow))
            if not fine and any(on_cpu(t) for t in tensors([args, kwargs or {}])):
                tell(f'{name} was called with a CPU tensor inside a GPU region', warn)
                fine = True                       # said once an operator
            out = function(*args, **(kwargs or {}))
            if not fine and any(on_cpu(t) for t in tensors(out)):
                tell(f'{name} gave a CPU tensor inside a GPU region', warn)
            return out

    with mode():
        yield
