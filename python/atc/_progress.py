"""Reports the progress of tuning to a function of the program."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Optional

from . import _abi
from ._text import text


@dataclass(frozen=True)
class Progress:
    """The progress of a tuning run, or of the race (the timing of candidates) for a plan."""

    problem: int  # the index of the problem that is being tuned, from 0
    problems: int
    problem_fraction: float  # progress of this problem: 0 at the start, 1 when the problem is decided or has failed
    seconds: float  # seconds since the call that tunes began
    description: str  # the problem in one line
    candidate: str = ""  # the candidate that is prepared, checked or timed next


# A progress function. If it returns False, or a false value other than None, the call is cancelled. If it returns
# None or a true value, the call continues.
OnProgress = Callable[[Progress], Optional[bool]]


class Relay:
    """The C callback of one call. libatc calls this callback between measurements, on the thread of the call. The
    callback is needed even without a progress function: in it Python handles signals, so that Ctrl-C ends the call.
    If the progress function raises an exception, the race ends. The exception is kept while C returns, and `end`
    raises it."""

    def __init__(self, function: Optional[OnProgress]) -> None:
        self._function = function
        self._raised: Optional[BaseException] = None
        # The callback refers to this object, and this object refers to the callback. `end` breaks this cycle, so that
        # both are freed without the garbage collector.
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
        """Must be called when the C function has returned. (C keeps no pointer to the callback then.) Releases the
        callback, and raises the exception that the progress function has raised."""
        self.callback = None
        if self._raised is not None:
            try:
                raise self._raised
            finally:
                self._raised = None
