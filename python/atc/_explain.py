"""Why a problem runs as it runs."""

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
from ._options import PlanOptions, plan_options
from ._problem import Problem
from ._table import as_html, as_text, time_text
from ._text import text

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class Entrant:
    """An engine or rewrite that serves the device."""

    name: str
    version: str
    is_rewrite: bool
    offers: int  # within the options; of a rewrite: with the engines behind it
    why_not: str  # why it offers nothing, or no more, or ""
    barriers: Tuple[str, ...]  # switches that leave offers out, and how many: "workspace_limit:2"


@dataclass(frozen=True)
class Explanation:
    """The decision in force, the rule behind it, what each engine offers, and the least time that the device allows."""

    description: str  # of the problem
    source: Optional[str]  # None: nothing can run it, and `why` has each engine's reason
    rule: Optional[str]  # "first-offer", "faster", "tie-default", ...
    choice: str
    why: str  # the rule with its figures
    doubts: str  # why a decision is provisional, or ""
    miss: str  # if the store has no decision: why not
    provisional: bool
    stored: bool
    risk: float
    winner: Optional[int]
    default_candidate: Optional[int]
    bytes: int  # x, w, y and bias, each moved once
    flops: float  # of the direct method
    bytes_per_second: Optional[float]  # the most that the device moves; None: not measured
    flops_per_second: Optional[float]  # the most that it computes; None: not measured
    candidates: Tuple[Candidate, ...]
    entrants: Tuple[Entrant, ...]

    @property
    def floor(self) -> Optional[float]:
        """The least time that bytes and flops need, in seconds; None: the rates were not measured."""
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
    """A hash over the keys of the problems and the choices that calls with these options run, eager and captured ones.
    Processes with equal digests run the same choices. The choices are those of calls that measure nothing: pins in force
    decide first, then the store, then (where `tune` is True or "later") the decisions of this process, then the default
    engine. A choice that the correctness gate is known to refuse is left out. Neither the order of the problems nor a
    problem that occurs twice changes the digest. Executes, builds and writes nothing. `InvalidArgument` names the field."""
    raw = [problem._raw() for problem in problems]
    array = (_abi.atc_conv_problem * len(raw))(*raw)
    raw_options = plan_options(dict(options))
    return int(query("conv_decisions_digest", ctypes.c_uint64, raw_device(device), array, len(raw),
                     ctypes.byref(raw_options)))


def explain(problem: Problem, device: Any = "cpu", *, measure: bool = False,
            **options: Unpack[PlanOptions]) -> Explanation:
    """Explains what a plan runs that measures nothing (`tune` does not count). Executes, builds and writes nothing,
    but with `measure`, which first measures the device's rates, once in a process or store (3 s at most, up to 1.5 GiB
    on CUDA). Where nothing can run the problem, the explanation has no winner. `InvalidArgument` names the field."""
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
