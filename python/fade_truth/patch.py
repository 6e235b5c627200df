"""Correct what PyTorch answers about devices, say what was changed, and be able to undo it."""
import sys

from . import doctor
from .match import device_of

# Properties of PyTorch and the traits behind them. The count is in CUs with unit='cu', else as the runtime has it:
# the limits per multiprocessor belong to the runtime's unit.
TRAITS = {'multi_processor_count': 'usable_cu_count', 'L2_cache_size': 'l2_bytes_total'}
UNITS = {'wgp': ('L2_cache_size',), 'cu': ('multi_processor_count', 'L2_cache_size')}
_undo = []


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
    """Correct torch.cuda.get_device_properties. Returns {index: {name: (before, after)}} of what was changed so far.

    unit='wgp' keeps counts in the runtime's unit and corrects what is wrong in any unit; unit='cu' counts compute units.
    """
    if unit not in UNITS:
        raise ValueError(f"unit is {unit!r}, but must be 'wgp' or 'cu'")
    if _undo:
        raise RuntimeError('fade_truth is applied already; undo() first')
    if torch is None:
        import torch
    known = doctor.describe(record) if devices is None else devices
    original, changed, seen = torch.cuda.get_device_properties, {}, set()

    def get_device_properties(*args, **more):
        properties = original(*args, **more)
        changes = changes_for(properties, device_of(properties, known), unit)
        key = (getattr(properties, 'name', ''), getattr(properties, 'pci_bus_id', None), tuple(changes.items()))
        if changes and key not in seen:
            seen.add(key)
            changed[len(changed)] = {k: (getattr(properties, k), v) for k, v in changes.items()}
            if log:
                words = ', '.join(f'{k} {getattr(properties, k)} -> {v}' for k, v in changes.items())
                print(f'fade_truth: {getattr(properties, "name", "device")}: {words}', file=sys.stderr)
        return corrected(properties, changes) if changes else properties

    for module, name in places(torch, original):
        setattr(module, name, get_device_properties)
        _undo.append((module, name, original))
    return changed


def places(torch, function):
    """Every module of PyTorch that holds the function by name: copies made by `from ... import` count too."""
    found = [(torch.cuda, 'get_device_properties')]
    for key, module in list(sys.modules.items()):
        if key.startswith('torch.') and module is not torch.cuda and getattr(module, 'get_device_properties', None) is function:
            found.append((module, 'get_device_properties'))
    return found


def undo():
    """Put back what apply() replaced."""
    while _undo:
        module, name, original = _undo.pop()
        setattr(module, name, original)
