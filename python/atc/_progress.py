"""Progress of tuning, told to a function of the program's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

from . import _abi
from ._text import text


@dataclass(frozen=True)
class Progress:
    """How far a tuning run, or the race for a plan, has come."""

    problem: int  # the one being worked on, from 0
    problems: int
    problem_fraction: float  # 0 at the problem's start, 1 once it is decided or has failed
    seconds: float  # since the call began
    description: str  # of the problem
    candidate: str = ""  # the choice that is prepared, checked or timed next


# False cancels; None and everything true goes on.
OnProgress = Callable[[Progress], Optional[bool]]


class Relay:
    """The callback for C of one call. libatc calls it between measurements, on the thread of the call; with no function
    to tell it still lets Python handle signals, so that Ctrl-C ends the call.

    What the function raises ends the race and does not enter C: `end` raises it when C has returned."""

    def __init__(self, function: Optional[OnProgress]) -> None:
        self._function = function
        self._raised: Optional[BaseException] = None
        # It refers to this object and so makes a cycle, until `end`.
        self.callback: Optional[Any] = _abi.atc_tune_callback(self._progress)

    def _progress(self, raw: Any, _payload: Any) -> int:
        try:
            if self._function is None:
                return 0
            seen = raw.contents
            result = self._function(Progress(seen.problem, seen.problems, seen.problem_fraction, seen.seconds,
                                             text(seen.description), text(seen.candidate)))
            return int(result is not None and not result)
        except BaseException as raised:  # a KeyboardInterrupt, too
            self._raised = raised
            return 1

    def end(self) -> None:
        """Once C has returned, which keeps no pointer to the callback: lets go of it, and raises what the function
        raised."""
        self.callback = None
        if self._raised is not None:
            try:
                raise self._raised
            finally:
                self._raised = None
