"""Databases of tuned policies as calls meet them."""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

from ._devices import named
from ._error import Error


class Policies:
    """What a call's `tuned` may be."""

    def of(self, on) -> Any:
        """What the extension takes for a call on one of its devices."""
        raise NotImplementedError

    def hear(self, said) -> None:
        """What the extension answered."""


class Row(NamedTuple):
    """What a database keeps of a problem: docs/tuning.md."""

    kind: str                  #: of the problem, in words
    sizes: tuple[int, ...]
    arch: str                  #: the machine
    traits: str
    fingerprint: str | None    #: the build, which is that of the library where all three are None
    compiler: str | None
    version: str | None
    policy: str                #: as JSON
    evidence: str
    nanoseconds: float         #: median of a call
    noise: float
    date: int                  #: seconds since 1970


class Database(Policies):
    """Policies that were timed, in a file of SQLite: fade.gemm(a, b, tuned=database) uses them.

    user: the file that is read and written, made where it is not there. system: files that are read alone, and never while anybody
    writes them; the user's rows come first. Several threads may use one database, and several processes one file. A file that
    is no database raises fade.Error and stays as it is, and so does a machine without SQLite.
    """

    _budget = 0.0                                # of a thread that times

    def __init__(self, user: str | os.PathLike, system: Sequence[str | os.PathLike] = ()):
        self._files = os.fspath(user), [os.fspath(path) for path in system]
        self._opened: dict[int, Any] = {}        # each library has an object of its own
        self._first = self.of(named('host')._c)

    def of(self, on):
        library = on.library()
        if library not in self._opened:
            self._opened[library] = on.open_tuning(*self._files, self._budget)
        return self._opened[library]

    @property
    def refused_writes(self) -> str:
        """Why nothing can be kept; empty where rows are kept."""
        return self._first.refused_writes()

    def rows(self) -> list[Row]:
        """The rows of all files, the user's first."""
        return [Row(*one) for one in self._first.rows()]

    def put(self, row: Row) -> None:
        """Keeps a row in the user's file: it is on the disk when this returns. fingerprint, compiler and version of None are this build's."""
        self._first.put(tuple(row))

    def remove(self, row: Row) -> bool:
        """Removes a row of the user's file whose problem, machine, build, policy, time and date are this one's; False where there is none."""
        return self._first.remove(tuple(row))

    def __repr__(self) -> str:
        return f'fade.tune.{type(self).__name__}({self._files[0]!r})'


def asked(tuned: Policies | None, on) -> tuple:
    """The last argument of a call that asks a database; nothing where it asks none."""
    if tuned is None:
        return ()
    if not isinstance(tuned, Policies):
        raise Error('tuned', f'a {type(tuned).__name__}', 'it is a fade.tune.Database')
    return (tuned.of(on),)
