"""Databases of tuned policies as calls meet them."""
from __future__ import annotations

import os
from typing import Any, Sequence

from ._devices import named
from ._error import Error


class Policies:
    """What a call's `tuned` may be."""

    def of(self, on) -> Any:
        """What the extension takes for a call on one of its devices."""
        raise NotImplementedError

    def hear(self, said) -> None:
        """What the extension answered."""


class Database(Policies):
    """Policies that were timed, in a file of SQLite: fade.gemm(a, b, tuned=database) uses them.

    user: the file that is read and written, made where it is not there. system: files that are read alone, and never while anybody
    writes them; the user's rows come first. Several threads may use one database, and several processes one file. A file that
    is no database raises fade.Error and stays as it is, and so does a machine without SQLite.
    """

    def __init__(self, user: str | os.PathLike, system: Sequence[str | os.PathLike] = ()):
        self._files = os.fspath(user), [os.fspath(path) for path in system]
        self._opened: dict[int, Any] = {}        # each library has an object of its own
        self._first = self.of(named('host')._c)

    def of(self, on):
        library = on.library()
        if library not in self._opened:
            self._opened[library] = on.open_tuning(*self._files)
        return self._opened[library]

    @property
    def refused_writes(self) -> str:
        """Why nothing can be kept; empty where rows are kept."""
        return self._first.refused_writes()

    def __repr__(self) -> str:
        return f'fade.tune.Database({self._files[0]!r})'


def asked(tuned: Policies | None, on) -> tuple:
    """The last argument of a call that asks a database; nothing where it asks none."""
    if tuned is None:
        return ()
    if not isinstance(tuned, Policies):
        raise Error('tuned', f'a {type(tuned).__name__}', 'it is a fade.tune.Database')
    return (tuned.of(on),)
