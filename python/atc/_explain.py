"""Explains decisions: which implementation runs a problem, and why."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Iterable, Optional, Tuple

from . import _abi
from ._candidate import Candidate, candidates_of
from ._device import raw_device
from ._handle import created, described, query
from ._library import call
from ._names import RULES, SOURCES, name_of
from ._option_fields import PlanOptions
from ._options import plan_options
from ._problem import Problem
from ._table import as_html, as_text, time_text
from ._text import text

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Entrant:
    """An engine or a rewrite for the device, with its offers (configurations that can run the problem). A rewrite turns
    the problem into another problem, which an engine computes."""

    name: str
    version: str
    is_rewrite: bool
    # The number of offers (configurations that can run the problem) that the options allow. For a rewrite: the number
    # of offers that engines have for the rewritten problem.
    offers: int
    why_not: str  # why the engine or rewrite has no offers, or no more offers; or ""
    # The options and settings that exclude offers, each with the number of offers that it excludes: "workspace_limit:2"
    barriers: Tuple[str, ...]


@dataclass(frozen=True)
class Explanation:
    """The explanation of a problem: the decision in force, the rule by which it was chosen, the offers of each engine,
    and the least time that the device allows for the problem."""

    description: str  # the problem in one line
    # The source of the decision; None: no engine can run the problem, and `why` has the reason of each engine
    source: Optional[str]
    rule: Optional[str]  # the rule of the decision: "first-offer", "faster", "tie-default", ...
    choice: str
    why: str  # the rule in words, with the figures that it used
    doubts: str  # why the decision is provisional (uncertain), or ""
    miss: str  # why the store has no decision; "" if the store has a decision
    provisional: bool
    stored: bool
    risk: float
    winner: Optional[int]
    default_candidate: Optional[int]
    bytes: int  # the sizes of x, w, y, bias, scale and residual together, in bytes
    flops: float  # the number of floating-point operations if the convolution is computed directly
    bytes_per_second: Optional[float]  # bytes that the device moves per second; None: not measured
    flops_per_second: Optional[float]  # floating-point operations that the device does per second; None: not measured
    candidates: Tuple[Candidate, ...]
    entrants: Tuple[Entrant, ...]

    @property
    def floor(self) -> Optional[float]:
        """The least number of seconds that the device needs to move the bytes and to compute the flops. None: the rates
        of the device were not measured."""
        if not self.bytes_per_second or not self.flops_per_second:
            return None
        return max(self.bytes / self.bytes_per_second, self.flops / self.flops_per_second)

    _HEAD = ("candidate", "outcome", "time", "reason")

    def _rows(self) -> Any:
        return [[one.choice, one.outcome, time_text(one.timing.median if one.timing else None), one.reason]
                for one in self.candidates]

    def _notes(self) -> Any:
        return [note for note in (self.why, self.doubts, self.miss) if note]

    def __str__(self) -> str:
        title = f"{self.description}\n{self.choice or 'nothing can run it'} ({self.source or 'no source'})"
        return "\n".join([title, *self._notes(), "", as_text(self._HEAD, self._rows())])

    def _repr_html_(self) -> str:
        return as_html(f"{self.description}: {self.choice or 'nothing can run it'} ({self.source or 'no source'})",
                       self._HEAD, self._rows(), self._notes())


def decisions_digest(problems: Iterable[Problem], device: Any = "cpu", **options: Unpack[PlanOptions]) -> int:
    """Returns a hash of the decisions of these problems. Processes with equal digests run the same choices. The hash
    covers the keys of the problems, and the choices that eager calls and captured calls with these options run if they
    measure nothing. A choice comes from the first of these sources: the pins in force, the store, the decisions of this
    process (unless `tune` is off), a prediction (if `tune` is "predict"), the default engine. A choice that has failed
    the check of results against a reference is left out. The digest does not depend on the order of the problems, and a
    problem may occur twice. The call executes, builds and writes nothing. `InvalidArgument` names the field."""
    raw = [problem._raw() for problem in problems]
    array = (_abi.atc_conv_problem * len(raw))(*raw)
    raw_options = plan_options(dict(options))
    return int(query("conv_decisions_digest", ctypes.c_uint64, raw_device(device), array, len(raw),
                     ctypes.byref(raw_options)))


def explain(problem: Problem, device: Any = "cpu", *, measure: bool = False,
            **options: Unpack[PlanOptions]) -> Explanation:
    """Explains which decision a plan with these options would use if the plan measured nothing. The option `tune` is
    ignored, except "predict". The call executes, builds and writes nothing. If `measure` is True, the call first
    measures how many bytes and floating-point operations per second the device can process, once for each process or
    store (in at most 3 s, with up to 1.5 GiB on CUDA). If no engine can run the problem, the explanation has no winner.
    `InvalidArgument` names the field."""
    raw_problem, raw_options, target = problem._raw(), plan_options(dict(options)), raw_device(device)
    arguments = [target, ctypes.byref(raw_problem), ctypes.byref(raw_options)]
    if measure:
        call("conv_measure_ceilings", *arguments)
    handle = created("conv_explain", "explanation_destroy", *arguments)
    raw = described("explanation_describe", _abi.atc_explained, handle.pointer)
    entrants = []
    for index in range(raw.entrants):
        one = described("explanation_entrant", _abi.atc_entrant, handle.pointer, index)
        entrants.append(Entrant(name=text(one.name), version=text(one.version), is_rewrite=bool(one.is_rewrite),
                                offers=one.offers, why_not=text(one.why_not),
                                barriers=tuple(filter(None, text(one.barriers).split(",")))))
    return Explanation(
        description=text(raw.description), source=name_of(raw.source, SOURCES) if raw.source else None,
        rule=name_of(raw.rule, RULES) if raw.rule else None, choice=text(raw.choice), why=text(raw.why),
        doubts=text(raw.doubts), miss=text(raw.miss), provisional=bool(raw.flags & _abi.ATC_TUNED_UNSTABLE),
        stored=bool(raw.flags & _abi.ATC_TUNED_STORED), risk=raw.risk, winner=raw.winner if raw.winner >= 0 else None,
        default_candidate=raw.default_candidate if raw.default_candidate >= 0 else None, bytes=raw.bytes,
        flops=raw.flops, bytes_per_second=raw.bytes_per_second or None, flops_per_second=raw.flops_per_second or None,
        candidates=candidates_of("explanation_candidate", raw.candidates, handle.pointer), entrants=tuple(entrants))
