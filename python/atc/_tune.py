"""Tunes problems in advance: measures a list of problems, and keeps the decisions for later plans."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, List, Optional, Tuple, Union

from . import _abi
from ._candidate import Candidate, candidates_of
from ._device import device_name, raw_device
from ._errors import Cancelled, Error, InternalError, error_of
from ._group import Agreement, Group, RawGroup, agreement_of
from ._handle import Handle, described, query
from ._library import check, libatc
from ._names import SOURCES, name_of
from ._option_fields import TuneOptions
from ._options import tune_options
from ._problem import Problem
from ._problems import Problems
from ._progress import OnProgress, Relay
from ._table import as_html, as_text, factor_text, time_text
from ._text import text

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class TunedProblem:
    """The result of tuning one problem."""

    problem: Problem
    description: str  # the problem in one line
    # The error because of which there is no decision. If there is an error, the fields below have no meaning.
    error: Optional[Error]
    source: str  # the source of the decision: "tuned", "record", "memory", "default", "pinned", ...
    choice: str  # the choice, "engine@version:configuration"; "" if there is none
    winner: Optional[int]  # the index of the candidate that was chosen
    default_candidate: Optional[int]  # the index of the candidate that would run without tuning
    candidates: Tuple[Candidate, ...]
    # The number of executions of candidates by this call; 0 if the decision was known before
    executions: int
    seconds: float  # the seconds that this call needed for the problem
    memory_bytes: int  # the most bytes of device memory (CPU: main memory) that the race held; 0: not measured
    # The decision is uncertain: clocks kept changing, or the time did not suffice to show which candidate is the
    # fastest
    provisional: bool
    # For a provisional decision: the fraction by which the choice may be slower than another candidate (0.1: 10 %).
    risk: float
    # The decision is not stored, because memory did not suffice for a candidate, the time did not suffice to compare
    # any candidate, or the call was cancelled
    incomplete: bool
    stored: bool  # the decision was written to the store
    cancelled: bool
    unwritten: bool  # the store could not be written, so only this process remembers the decision
    why: str  # why the decision is `provisional`, `incomplete` or `unwritten`, or ""

    @property
    def undecided(self) -> bool:
        """Whether there is no decision that another process could use: the problem failed, or is
        `incomplete`."""
        return self.error is not None or self.incomplete

    @property
    def speedup(self) -> Optional[float]:
        """How many times faster the choice is than the candidate that would run without tuning, by
        the medians."""
        pair = [self._timing(self.default_candidate), self._timing(self.winner)]
        return pair[0].median / pair[1].median if pair[0] and pair[1] and pair[1].median else None

    def _timing(self, index: Optional[int]) -> Any:
        return None if index is None else self.candidates[index].timing

    def _row(self) -> List[str]:
        timing = self._timing(self.winner)
        note = str(self.error) if self.error else self.why
        source = "failed" if self.error else "undecided" if self.undecided else self.source
        return [self.description, source, self.choice,
                time_text(timing.median if timing else None), factor_text(self.speedup), note]


@dataclass(frozen=True)
class TuneReport:
    """The results of `tune`, in the order of the problems. A notebook shows the report as a table."""

    device: str
    problems: Tuple[TunedProblem, ...]
    provisional: int  # the number of problems whose decision is provisional (uncertain)
    # The progress function has cancelled the call; decisions that were made before are kept
    cancelled: bool
    agreement: Optional[Agreement] = None  # the agreement of the ranks, if the call had a group

    @property
    def undecided(self) -> int:
        """The number of undecided problems. The decisions of all other problems are firm or provisional."""
        return sum(problem.undecided for problem in self.problems)

    _HEAD = ("problem", "source", "choice", "time", "speed-up", "note")

    def __str__(self) -> str:
        return as_text(self._HEAD, [problem._row() for problem in self.problems])

    def _repr_html_(self) -> str:
        failed = sum(problem.error is not None for problem in self.problems)
        title = f"{len(self.problems)} problems on {self.device}"
        counts = ((failed, "failed"), (self.undecided - failed, "undecided"), (self.provisional, "provisional"))
        for count, what in counts:
            title += f", {count} {what}" if count else ""
        return as_html(title + (", cancelled" if self.cancelled else ""), self._HEAD,
                       [problem._row() for problem in self.problems])


def tune(problems: Union[Iterable[Problem], Problems], device: Any = "cpu", *, progress: Optional[OnProgress] = None,
         group: Optional[Group] = None, **options: Unpack[TuneOptions]) -> TuneReport:
    """Decides problems by measuring their candidates. The decisions are kept in this process, and in the store
    `store` or the store of the process. A problem that has a decision is not measured again. If a problem fails, the
    report has the error of this problem, and the other problems are still decided. If a list (`Problems`) has a problem
    that a call has noted, the problem is decided for the device, the options and the store of the noting call.

    With `group` all ranks of the group must call this function, and make the same decisions. `NotAgreed`: the ranks
    did not agree, and no new decision is used. The text names the rank that is the reason. `FileError`: this rank
    cannot reach the group's store of keys.

    `progress` is called between measurements, on this thread. If it returns False, the call ends, and the report is
    `cancelled`. If it raises an exception, this function raises it. In both cases the decisions that were made before
    are kept. Any thread may call the function. If several threads measure, their measurements run one after the
    other. `InvalidArgument`: a problem or an option is not valid, and nothing was measured."""
    given = list(problems)
    raw_options = tune_options(dict(options))
    array = given
    if isinstance(problems, Problems):
        # This reference keeps the list of problems alive as long as the options struct exists.
        raw_options.keeps_problems = problems._handle
        raw_options.problems = problems._handle.pointer
        array = []
    raw_problems = (_abi.atc_conv_problem * len(array))(*[problem._raw() for problem in array])
    target = raw_device(device)
    ranks = None if group is None else RawGroup(group)
    if ranks is not None:
        raw_options.group = ctypes.cast(ctypes.pointer(ranks.raw), ctypes.c_void_p)
    relay, out, library = Relay(progress), ctypes.c_void_p(), libatc()
    status = library.tune(ctypes.byref(out), target, raw_problems, len(array), ctypes.byref(raw_options),
                          relay.callback, None)
    report = Handle(out.value, library.tune_report_destroy) if out.value else None
    relay.end()
    if ranks is not None:
        ranks.end()
    if status != Cancelled.status or report is None:
        check(status)
    if report is None:
        raise InternalError("atc_tune succeeded and gave no report")
    agreement = None if group is None else agreement_of(report)
    return _report_of(report, given, device_name(target), status == Cancelled.status, agreement)


def _report_of(report: Handle, problems: List[Problem], device: str, cancelled: bool,
               agreement: Optional[Agreement]) -> TuneReport:
    count = query("tune_report_count", ctypes.c_size_t, report.pointer)
    return TuneReport(
        device=device, cancelled=cancelled, agreement=agreement,
        provisional=query("tune_report_provisional", ctypes.c_size_t, report.pointer),
        problems=tuple(_problem_of(report, index, problem) for index, problem in enumerate(problems[:count])))


def _problem_of(report: Handle, index: int, problem: Problem) -> TunedProblem:
    raw = described("tune_report_problem", _abi.atc_tuned_problem, report.pointer, index)
    why = text(raw.why)
    return TunedProblem(
        problem=problem, description=text(raw.description), error=error_of(raw.status, why) if raw.status else None,
        source=name_of(raw.source, SOURCES), choice=text(raw.choice), winner=raw.winner if raw.winner >= 0 else None,
        default_candidate=raw.default_candidate if raw.default_candidate >= 0 else None,
        candidates=candidates_of("tune_report_candidate", raw.candidates, report.pointer, index),
        executions=raw.executions, seconds=raw.seconds, memory_bytes=raw.memory_bytes, provisional=bool(raw.flags & _abi.ATC_TUNED_UNSTABLE),
        risk=raw.risk, incomplete=bool(raw.flags & _abi.ATC_TUNED_INCOMPLETE),
        stored=bool(raw.flags & _abi.ATC_TUNED_STORED), cancelled=bool(raw.flags & _abi.ATC_TUNED_CANCELLED),
        unwritten=bool(raw.flags & _abi.ATC_TUNED_UNWRITTEN), why=why)
