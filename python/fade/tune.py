"""Policies that are timed on this CPU or a GPU and kept in a file, for calls that ask it.

    >>> database = fade.tune.Database('tuning.db')                     # doctest: +SKIP
    >>> fade.tune.gemm(a, b, database=database, budget=2)              # doctest: +SKIP
    Found(source='tuned', why="a policy won over the model's choice", ...)
    >>> d = fade.gemm(a, b, tuned=database)                            # doctest: +SKIP

gemm, attention and the three passes of a convolution have tuned policies, of float32, float16 and bfloat16, and on GPUs rms_norm,
layer_norm, softmax and log_softmax, too: the host has one kernel of each. What is timed is the very
call that is written here, with all its arguments; `out=`, where given, is written. On a GPU what the current stream has to do is
waited for, and then the timed calls. Emulated devices ask a database, but nothing is timed. How a call uses a row, and the modes: docs/tuning.md.
"""
from __future__ import annotations

import os
from typing import Any, NamedTuple, Sequence

import fade

from ._error import Error
from ._tensors import framework
from ._tuned import Database, Policies, Row

__all__ = ['Background', 'Database', 'Found', 'Progress', 'Row', 'attention', 'conv_backward_data', 'conv_backward_weights', 'conv_forward',
           'gemm', 'layer_norm', 'log_softmax', 'rms_norm', 'softmax', 'verify_attention', 'verify_conv_backward_data',
           'verify_conv_backward_weights', 'verify_conv_forward', 'verify_gemm', 'verify_layer_norm', 'verify_log_softmax', 'verify_rms_norm',
           'verify_softmax']
MODES = {None: 0, 'normal': 1, 'fast': 2, 'hybrid': 3, 'dynamic_hybrid': 5, 'trust_verify': 6, 'trust_verify_full': 7}
ENFORCED = {None: 0, 'none': 1, 'db_update': 2, 'search': 3, 'search_db_update': 4, 'db_clean': 5}


class Found(NamedTuple):
    """What a find or a verification did."""

    source: str               #: where calls get their policy from now: 'hit' (a row that was there), 'tuned' (a new one) or 'model'
    why: str
    kind: str                 #: of the problem, as a row has it
    policy: str               #: the fastest, as JSON; empty where there is neither a row nor a time
    evidence: str
    traits: str               #: of the machine, as a row has them
    kept: bool                #: a search kept a row
    whole: bool               #: the budget lasted for all candidates
    candidates: int           #: how many were timed
    nanoseconds: float        #: of a call with the fastest policy
    model_nanoseconds: float  #: of a call with the model's choice; 0 where nothing was timed
    noise: float
    of_model: bool            #: of a verification: the row's policy is the model's choice
    drift: float              #: of a verification: |now / then - 1| of the row's time


class _Timed(Policies):
    """What stands in a call's place: the extension answers with numbers."""

    def __init__(self, database, *how):
        if not isinstance(database, Database) or isinstance(database, Background):
            raise Error('database', f'a {type(database).__name__}', 'it is a fade.tune.Database')
        self.how, self.database, self.found = how, database, None

    def of(self, on):
        return (self.database.of(on), *self.how)

    def hear(self, said):
        source, *rest = said
        self.found = Found(('hit', 'tuned', 'model')[source], *rest)


class _Find(_Timed):
    def __init__(self, database, budget, mode, enforce, tolerance):
        for name, word, words in ('mode', mode, MODES), ('enforce', enforce, ENFORCED):
            if word not in words:
                raise Error(name, repr(word), f'it is one of {", ".join(map(repr, words))}; None is what the environment says')
        super().__init__(database, MODES[mode], ENFORCED[enforce], float(budget), float(tolerance))


def _without_results(arguments):
    for name in ('tuned', 'return_report', 'strict'):
        if name in arguments:
            raise Error(name, 'given', 'a find has no result: it is an argument of the call')


def _wait_for(tensors):
    """Calls are timed on a GPU's stream null, with which PyTorch's others do not wait."""
    if tensors:
        framework(tensors[0]).wait(tensors[0])


def _finds(call):
    def find(*tensors: Any, database: Database, budget: float = 1.0, mode: str | None = None, enforce: str | None = None,
             tolerance: float = 0.25, **arguments: Any) -> Found:
        one = _Find(database, budget, mode, enforce, tolerance)
        _without_results(arguments)
        _wait_for(tensors)
        call(*tensors, tuned=one, **arguments)
        return one.found
    find.__name__ = find.__qualname__ = call.__name__
    find.__doc__ = f"""Takes the row of the call fade.{call.__name__}(*tensors, **arguments), or searches for one, and keeps it in the database.

    budget: seconds of a search. mode: 'normal' (searches, whatever is known), 'fast' (never searches), 'hybrid' and
    'dynamic_hybrid' (search where there is no row), 'trust_verify', 'trust_verify_full'; None: what FADE_FIND_MODE says, else
    'dynamic_hybrid'. enforce: 'none', 'db_update', 'search', 'search_db_update', 'db_clean'; None: what FADE_FIND_ENFORCE says.
    tolerance: of 'trust_verify', the part of a row's time that it may take longer now. Raises fade.Error as the call does.
    """
    return find


def _verifies(call):
    def verify(*tensors: Any, database: Database, **arguments: Any) -> Found:
        one = _Timed(database)
        _without_results(arguments)
        _wait_for(tensors)
        call(*tensors, tuned=one, **arguments)
        return one.found
    verify.__name__ = verify.__qualname__ = f'verify_{call.__name__}'
    verify.__doc__ = f"""Times the row that the database has for fade.{call.__name__}(*tensors, **arguments), and the model's choice, in turn.

    nanoseconds are those of now; drift says how far they are from the row's own. source is 'model' where nothing was timed, and why says
    the reason: no row, or one of another build or machine. The row stays. Raises fade.Error as the call does.
    """
    return verify


class Progress(NamedTuple):
    """What a background has done."""

    done: int        #: problems that were tuned, or failed
    left: int        #: problems that wait, or are being tuned
    kept: int        #: of those done, how many have a row now
    ended: bool      #: the budget is spent
    seconds: float   #: that the thread has worked
    failure: str     #: why the last one that failed did; empty where none did


class _Given(Policies):
    def __init__(self, background, threads):
        self.background, self.threads, self.taken = background, threads, False

    def of(self, on):
        return self.background.of(on), self.threads

    def hear(self, said):
        self.taken = said


def _gives(call):
    def give(self, *tensors: Any, threads: int | None = None, **arguments: Any) -> bool:
        one = _Given(self, cores() if threads is None else threads)
        _without_results(arguments)
        call(*tensors, tuned=one, **arguments)
        return one.taken
    give.__name__ = call.__name__
    give.__qualname__ = f'Background.{call.__name__}'
    give.__doc__ = f"""Gives the thread the problem of fade.{call.__name__}(*tensors, **arguments), which is not run.

    threads: of the host device whose calls will ask; None: one a core, as the default device has. Of the tensors shapes and types are
    read, for the thread draws its own. False where the budget is spent. Raises fade.Error for an epilogue, c, and what else a call may
    read.
    """
    return give


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1


class Background(Database):
    """A database with a thread that times what it is given on this CPU, for `budget` seconds in all.

    >>> background = fade.tune.Background('tuning.db', budget=10)      # doctest: +SKIP
    >>> background.gemm(a, b)                                          # doctest: +SKIP
    True
    >>> d = fade.gemm(a, b, tuned=background)                          # doctest: +SKIP

    Calls ask it as any database and never wait for it; rows are kept as they are found, and seen within a second. It has neither
    rows() nor finds: a Database of the same file has them. Its end waits for the call that is being timed.
    """

    def __init__(self, user: str | os.PathLike, budget: float, system: Sequence[str | os.PathLike] = ()):
        self._budget = float(budget)
        if not self._budget > 0:
            raise Error('budget', str(budget), 'it must be a time above 0 seconds')
        super().__init__(user, system)

    gemm = _gives(fade.gemm)
    attention = _gives(fade.attention)
    conv_forward = _gives(fade.conv_forward)

    @property
    def progress(self) -> Progress:
        """What was done, and what is left."""
        return Progress(*self._first.progress())


gemm = _finds(fade.gemm)
attention = _finds(fade.attention)
conv_forward = _finds(fade.conv_forward)
conv_backward_data = _finds(fade.conv_backward_data)
conv_backward_weights = _finds(fade.conv_backward_weights)
rms_norm = _finds(fade.rms_norm)
layer_norm = _finds(fade.layer_norm)
softmax = _finds(fade.softmax)
log_softmax = _finds(fade.log_softmax)
verify_gemm = _verifies(fade.gemm)
verify_attention = _verifies(fade.attention)
verify_conv_forward = _verifies(fade.conv_forward)
verify_conv_backward_data = _verifies(fade.conv_backward_data)
verify_conv_backward_weights = _verifies(fade.conv_backward_weights)
verify_rms_norm = _verifies(fade.rms_norm)
verify_layer_norm = _verifies(fade.layer_norm)
verify_softmax = _verifies(fade.softmax)
verify_log_softmax = _verifies(fade.log_softmax)
