"""Libraries and devices: which there are, and which one a tensor's call runs on."""
from __future__ import annotations

import os
import threading
from pathlib import Path

from . import _c
from ._error import Error

_c.set_error(Error)
HERE = Path(__file__).resolve().parent
MEMORY = {'cuda': 1, 'hip': 2}                   # of _c's views; all else is memory of the CPU
_lock = threading.RLock()
_libraries: dict[str, object] = {}               # path: library, or the Error of the attempt
local = threading.local()                       # each thread has devices of its own


def paths() -> list[str]:
    """The libraries that are asked for devices: those that FADE_LIBRARY names (absolute paths, with ':' between), else
    those of the package's own folder. Nothing is looked for in the working directory."""
    named = os.environ.get('FADE_LIBRARY')
    if named:
        return named.split(os.pathsep)
    return [str(path) for path in sorted(HERE.glob('libfade*.so'))]


def libraries() -> dict[str, object]:
    """{path: library}; one that cannot be loaded (a GPU's, where its runtime is missing) is an Error."""
    with _lock:
        for path in paths():
            if path not in _libraries:
                try:
                    _libraries[path] = _c.load(path)
                except Error as why:
                    _libraries[path] = why
        return {p: _libraries[p] for p in paths()}


def kinds() -> dict[str, tuple[object, int]]:
    """{kind: (library, how many devices)} of the first library that has the kind."""
    found: dict[str, tuple[object, int]] = {}
    for library in libraries().values():
        if isinstance(library, Error):
            continue
        for kind, count in library.kinds():
            found.setdefault(kind, (library, count))
    return found


class Device:
    """A device by name: 'host' (this CPU), 'hip:N', 'cuda:N', 'emulated:gfx942' where the library has it.

    One object serves one thread at a time, and refuses a second one. threads: of 'host' and emulated devices, 0 for
    one a core; compute_units: what the selector counts on, 0 for the device's own number.
    """

    __slots__ = ('name', '_c', '__weakref__')

    def __init__(self, name: str = 'host', *, threads: int = 0, compute_units: int = 0):
        kind, _, number = name.partition(':')
        is_gpu = kind in MEMORY
        library = kinds().get(kind if is_gpu else name, (None, 0))[0]
        if library is None:
            raise Error('device', name, f'the libraries of this package have {", ".join(kinds()) or "none"}')
        ordinal = int(number) if is_gpu and number.isdigit() else 0
        self.name = name
        self._c = library.open(name, MEMORY.get(kind, 0), ordinal, threads, compute_units)

    def __repr__(self) -> str:
        return f'fade.Device({self.name!r})'


def known(name: str) -> Device | None:
    """This thread's own device of that name, where there is one already."""
    return local.__dict__.get(name)


def named(device: Device | str) -> Device:
    """A device, or this thread's own of that name."""
    if isinstance(device, Device):
        return device
    mine = local.__dict__
    if device not in mine:
        mine[device] = Device(device)
    return mine[device]


def info() -> dict[str, object]:
    """What this package has: its version, its libraries, and the devices that they reach now.

    >>> fade.info()['devices']
    ['host']
    """
    found = libraries()
    devices = [f'{kind}:{i}' if kind in MEMORY else kind
               for kind, (_, count) in kinds().items() for i in range(count)]
    loaded = {p: (str(b) if isinstance(b, Error) else b.version()) for p, b in found.items()}
    return {'version': next((v for p, v in loaded.items() if not isinstance(found[p], Error)), None),
            'libraries': loaded, 'devices': devices}
