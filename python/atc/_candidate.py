"""The candidates of a decision, with their times."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Optional, Tuple

from . import _abi
from ._handle import described
from ._names import OUTCOMES, name_of
from ._text import text


@dataclass(frozen=True)
class Timing:
    """The times of a candidate. Times are in seconds per execution; a sample is one measurement."""

    samples: int
    mean: float
    median: float
    min: float
    max: float
    deviation: float  # the standard deviation of the samples, in seconds
    clock_hz: Optional[float]  # the median clock rate of the device during the samples; None: not known
    host: Optional[float]  # the seconds that the host needs to issue one execution (median); None: not known
    # True: the candidate was timed in CUDA graphs, because the host issued the work more slowly than the device ran it
    in_graph: bool


@dataclass(frozen=True)
class Candidate:
    """A candidate (one way to run a problem), and its result in the race, which times all candidates of the
    problem."""

    rewrites: str  # the rewrites of the problem that run before the engine, as in `choice` ("nhwc@1>"), or ""
    engine: str
    version: str
    configuration: str  # the name of the configuration, by which the engine builds it
    notes: str  # the engine's remarks on the configuration, for people
    # The candidate's result: won, lost, dropped, tied, not-prepared, wrong-result, failed, out-of-memory, skipped,
    # offered
    outcome: str
    reason: str  # why the candidate was not chosen, or in which way it is imprecise, or ""
    workspace: int  # bytes
    executions: int
    # True: a plan that is made while a CUDA stream is being captured runs this candidate, although another candidate
    # has won
    captured: bool
    imprecise: bool  # the result is right, but less precise than the options allow
    launches: Optional[int]  # the number of kernels, copies and fills of one execution
    timing: Optional[Timing]  # None: not timed

    @property
    def choice(self) -> str:
        """The text that names this candidate for `Plan(choice=...)`."""
        return f"{self.rewrites}{self.engine}@{self.version}:{self.configuration}"


def candidate_of(raw: _abi.atc_candidate) -> Candidate:
    """Returns a copy of a candidate of libatc."""
    timing = None
    if raw.samples:
        timing = Timing(samples=raw.samples, mean=raw.mean, median=raw.median, min=raw.min, max=raw.max,
                        deviation=raw.deviation, clock_hz=raw.clock_hz or None, host=raw.host or None,
                        in_graph=bool(raw.flags & _abi.ATC_CANDIDATE_IN_GRAPH))
    return Candidate(
        rewrites=text(raw.rewrites), engine=text(raw.engine), version=text(raw.version),
        configuration=text(raw.configuration), notes=text(raw.notes), outcome=name_of(raw.outcome, OUTCOMES),
        reason=text(raw.reason), workspace=raw.workspace, executions=raw.executions,
        captured=bool(raw.flags & _abi.ATC_CANDIDATE_CAPTURED),
        imprecise=bool(raw.flags & _abi.ATC_CANDIDATE_IMPRECISE), launches=raw.launches or None, timing=timing)


def candidates_of(function: str, count: int, *where: Any) -> Tuple[Candidate, ...]:
    """Returns the candidates that the C function `function` describes one by one."""
    return tuple(candidate_of(described(function, _abi.atc_candidate, *where, ctypes.c_size_t(index)))
                 for index in range(count))
