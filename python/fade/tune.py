"""Policies that are timed on this CPU and kept in a file, for calls that ask it.

    >>> database = fade.tune.Database('tuning.db')                     # doctest: +SKIP
    >>> fade.tune.gemm(a, b, database=database, budget=2)              # doctest: +SKIP
    Found(source='tuned', why="a policy won over the model's choice", ...)
    >>> d = fade.gemm(a, b, tuned=database)                            # doctest: +SKIP

gemm, attention and the three passes of a convolution have tuned policies, of float32, float16 and bfloat16; rms_norm, layer_norm,
softmax and log_softmax ask a database, too (tuned=), and the host has one kernel of each. What is timed is the very
call that is written here, with all its arguments; `out=`, where given, is written. On GPUs and emulated devices calls ask a
database, but nothing is timed. How a call uses a row, and the modes: docs/tuning.md.
"""
from __future__ import annotations

from typing import Any, NamedTuple

import fade

from ._error import Error
from ._tuned import Database, Policies

__all__ = ['Database', 'Found', 'attention', 'conv_backward_data', 'conv_backward_weights', 'conv_forward', 'gemm']
MODES = {None: 0, 'normal': 1, 'fast': 2, 'hybrid': 3, 'dynamic_hybrid': 5, 'trust_verify': 6, 'trust_verify_full': 7}
ENFORCED = {None: 0, 'none': 1, 'db_update': 2, 'search': 3, 'search_db_update': 4, 'db_clean': 5}


class Found(NamedTuple):
    """What a find did."""

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


class _Find(Policies):
    def __init__(self, database, budget, mode, enforce, tolerance):
        if not isinstance(database, Database):
            raise Error('database', f'a {type(database).__name__}', 'it is a fade.tune.Database')
        for name, word, words in ('mode', mode, MODES), ('enforce', enforce, ENFORCED):
            if word not in words:
                raise Error(name, repr(word), f'it is one of {", ".join(map(repr, words))}; None is what the environment says')
        self.how = MODES[mode], ENFORCED[enforce], float(budget), float(tolerance)
        self.database, self.found = database, None

    def of(self, on):
        return (self.database.of(on), *self.how)

    def hear(self, said):
        source, *rest = said
        self.found = Found(('hit', 'tuned', 'model')[source], *rest)


def _finds(call):
    def find(*tensors: Any, database: Database, budget: float = 1.0, mode: str | None = None, enforce: str | None = None,
             tolerance: float = 0.25, **arguments: Any) -> Found:
        one = _Find(database, budget, mode, enforce, tolerance)
        for name in ('tuned', 'return_report', 'strict'):
            if name in arguments:
                raise Error(name, 'given', 'a find has no result: it is an argument of the call')
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


gemm = _finds(fade.gemm)
attention = _finds(fade.attention)
conv_forward = _finds(fade.conv_forward)
conv_backward_data = _finds(fade.conv_backward_data)
conv_backward_weights = _finds(fade.conv_backward_weights)
