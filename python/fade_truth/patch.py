"""Correct what PyTorch answers about devices, say what was changed, and be able to undo it."""
import sys
import threading

from . import doctor
from .match import device_of

# Properties of PyTorch and the traits behind them. The count is in CUs with unit='cu', else as the runtime has it:
# the limits per multiprocessor belong to the runtime's unit.
TRAITS = {'multi_processor_count': 'usable_cu_count', 'L2_cache_size': 'l2_bytes_total'}
UNITS = {'wgp': ('L2_cache_size',), 'cu': ('multi_processor_count', 'L2_cache_size')}
_lock = threading.RLock()
_active = []                                     # the one correction that is applied, or none


class correction:
    """A function that stands in the place of PyTorch's, where it stands, and what it changed so far."""

    def __init__(self, torch, devices, unit, log):
        self.torch, self.devices, self.unit, self.log = torch, devices, unit, log
        self.original, self.places, self.changed, self.on = torch.cuda.get_device_properties, [], {}, True

        def get_device_properties(*args, **more):
            return self.answer(*args, **more)
        self.function = get_device_properties

    def answer(self, *args, **more):
        properties = self.original(*args, **more)
        changes = changes_for(properties, device_of(properties, self.devices), self.unit) if self.on else {}
        if not changes:
            return properties
        self.note(index_of(self.torch, *args, **more), properties, changes)
        return corrected(properties, changes)

    def note(self, index, properties, changes):
        """Keeps, and says, what was changed of a device: once."""
        with _lock:
            if index in self.changed:
                return
            self.changed[index] = {k: (getattr(properties, k), v) for k, v in changes.items()}
        if self.log:
            words = ', '.join(f'{k} {before} -> {after}' for k, (before, after) in self.changed[index].items())
            print(f'fade_truth: device {index} ({getattr(properties, "name", "device")}): {words}', file=sys.stderr)


def index_of(torch, device=None, **_):
    """The index of a device as PyTorch's functions take it: a number, 'cuda:1', a torch.device, or None for the current one."""
    index = device if isinstance(device, int) else getattr(device, 'index', None)
    if isinstance(device, str) and ':' in device:
        index = int(device.rsplit(':', 1)[1])
    if isinstance(index, int):
        return index
    current = getattr(torch.cuda, 'current_device', None)
    return current() if current else 0


class corrected:
    """The properties of a device with some of them corrected; everything else is the original's."""

    def __init__(self, original, changes):
        object.__setattr__(self, '_original', original)
        object.__setattr__(self, '_changes', changes)

    def __getattr__(self, name):
        changes = object.__getattribute__(self, '_changes')
        return changes[name] if name in changes else getattr(object.__getattribute__(self, '_original'), name)

    def __setattr__(self, name, value):
        raise AttributeError('the properties of a device cannot be set')

    def __repr__(self):
        changes = ', '.join(f'{k}={v}' for k, v in self._changes.items())
        return f'{self._original!r} [fade_truth: {changes}]'


def changes_for(properties, device, unit):
    """{name: value}: what is known, was reported, and differs."""
    if device is None:
        return {}
    out = {}
    for name in UNITS[unit]:
        value = device['traits'].get(TRAITS[name], {}).get('value')
        if value is not None and getattr(properties, name, value) != value:
            out[name] = value
    if 'multi_processor_count' in out:
        out.update(limits(properties, device, out['multi_processor_count']))
    return out


def limits(properties, device, count):
    """Limits per multiprocessor, in the unit of the corrected count: else capacity would be overstated twofold."""
    before = properties.multi_processor_count
    threads = getattr(properties, 'max_threads_per_multi_processor', None)
    if isinstance(threads, int) and before and count == 2 * before:
        return {'max_threads_per_multi_processor': threads // 2}
    return {}


def apply(torch=None, *, record=None, unit='wgp', devices=None, log=True):
    """Correct torch.cuda.get_device_properties. Returns {index: {name: (before, after)}} of what was changed so far,
    with the index of each device that was asked for.

    unit='wgp' keeps counts in the runtime's unit and corrects what is wrong in any unit; unit='cu' counts compute units.
    Threads may call it and undo() at any time. Raises fade_truth.Error where fade-doctor does not answer, or it is applied already.
    """
    if unit not in UNITS:
        raise ValueError(f"unit is {unit!r}, but must be 'wgp' or 'cu'")
    with _lock:
        if _active:
            raise doctor.Error('fade_truth is applied already; undo() first')
        if torch is None:
            import torch
        now = correction(torch, doctor.describe(record) if devices is None else devices, unit, log)
        for module, name in places(torch, now.original):
            setattr(module, name, now.function)
            now.places.append((module, name))
        _active.append(now)
    return now.changed


def places(torch, function):
    """Every module of PyTorch that holds the function by name: copies made by `from ... import` count too."""
    found = [(torch.cuda, 'get_device_properties')]
    for key, module in list(sys.modules.items()):
        if key.startswith('torch.') and module is not torch.cuda and getattr(module, 'get_device_properties', None) is function:
            found.append((module, 'get_device_properties'))
    return found


def undo():
    """Put back what apply() replaced. A patch that another put over it later stays, and gets PyTorch's own answers."""
    with _lock:
        while _active:
            was = _active.pop()
            was.on = False
            for module, name in was.places:
                if getattr(module, name, None) is was.function:
                    setattr(module, name, was.original)
