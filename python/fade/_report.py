"""What a call says of itself."""
from __future__ import annotations

from typing import NamedTuple


class Report(NamedTuple):
    """The answer to "what ran, and why", of a call with return_report=True."""

    requested: str  #: the problem in words
    chosen: str     #: the kernel and its policy
    why: str        #: what decided, and what stood in the way of anything better
    device: str
    arch: str       #: the architecture that the kernel was compiled for
    evidence: str   #: what the choice of the policy rests on
    fallback: bool  #: something slower than what the hardware offers was chosen; strict=True refuses it


def answered(result, said, wanted: bool):
    """A result, with its report where that was asked for."""
    return (result, Report(*said)) if wanted else result
