"""Reports the progress of tuning to a function of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

from . import _abi
from ._text import text


@dataclass(frozen=True)
class Progress:
    """How far a tuning run, or the race for a plan, has come."""

    problem: int  # the index of the problem that is being tuned, from 0
    problems: int
    problem_fraction: float  # progress of this problem: 0 at its start, 1 once it is decided or has
                             # failed
    seconds: float  # since the call began
    description: str  # of the problem
    candidate: str = ""  # the choice that is prepared, checked or timed next


# A progress function. If it returns False, the call is cancelled; None and everything true lets it
# go on.
OnProgress = Callable[[Progress], Optional[bool]]


class Relay:
    """The C callback of one call. libatc calls it between measurements, on the thread of the call. Even without a
    progress function it lets Python handle signals, so that Ctrl-C ends the call. An exception of the function ends
    the race and does not enter C: `end` raises it when C has returned."""

    def __init__(self, function: Optional[OnProgress]) -> None:
        self._function = function
        self._raised: Optional[BaseException] = None
        # The callback refers to this object, which makes a cycle of references until `end`.
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
        """Must be called when the C function has returned, which keeps no pointer to the callback. Releases the
        callback, and raises the exception that the progress function has raised."""
        self.callback = None
        if self._raised is not None:
            try:
                raise self._raised
            finally:
                self._raised = None
