"""Options of plans and of tuning. What is left out, or None, is inherited from the process's settings."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any, Dict, Literal, Optional, Sequence, TypedDict, Union

from . import _abi
from ._errors import InvalidArgument
from ._names import TECHNIQUES, Technique, number
from ._numbers import integer, seconds
from ._text import c_text

if TYPE_CHECKING:
    from ._store import Store

# A limit that holds nothing back.
UNLIMITED = _abi.ATC_UNLIMITED


class CommonOptions(TypedDict, total=False):
    """What plans and tuning have in common."""

    deterministic: bool  # only deterministic kernels
    allow_tf32: bool  # TF32 in f32 convolutions
    constant_weights: bool  # rank as if `Plan.set_weights` had been called; default False
    technique: Technique  # how candidates are timed
    alignment: int  # bytes, a power of 2, that x, w and y are aligned to; default 16 on CUDA, the element's size else
    workspace_limit: int  # bytes, or UNLIMITED
    require_firm: bool  # provisional records are not used, provisional decisions not stored; default False
    strict_precision: bool  # refuse the program's own convolution where it is less precise than allowed; default False
    allow_reduced_precision_reduction: bool  # partial sums may be rounded to the operands' type; default False
    store: Union[Store, Literal[False], None]  # in place of the store in use; False: no store is read or written


class PlanOptions(CommonOptions, total=False):
    """How a plan is decided."""

    tune: bool  # measure where no decision is known; default: benchmark_cudnn for CUDA, False on the CPU
    allow_reference: bool  # False: `Unsupported`, with each engine's reason, in place of the slow reference
    budget: float  # seconds of a race; default 2


class TuneOptions(CommonOptions, total=False):
    """How problems are tuned."""

    retune: Union[bool, str]  # True: measure known problems again; "provisional": those that are provisional
    widen: bool  # whether cuDNN's proposals beyond benchmark_limit_cudnn race too, while that is cheap
    max_candidates: int  # for each problem, or UNLIMITED; default: all on the CPU, benchmark_limit_cudnn on CUDA
    seed: int  # of the data
    problem_budget: float  # seconds for a problem: preparing, checking and timing together; default 2
    total_budget: float  # seconds of the whole call; problems that it leaves no time for are reported `NotTuned`
    tie_margin: float  # how much faster than the default a candidate must be, relative; default 0.01
    engines_allowed: Sequence[str]  # only these take part
    engines_barred: Sequence[str]  # these do not take part


_SWITCHES = {"deterministic", "allow_tf32", "constant_weights", "require_firm", "strict_precision",
             "allow_reduced_precision_reduction", "tune", "allow_reference", "widen"}
_LIMITS = {"workspace_limit", "max_candidates"}
_TIMES = {"budget", "problem_budget", "total_budget"}
_NAME_LISTS = {"engines_allowed", "engines_barred"}


def switch(given: Optional[bool]) -> int:
    """As options structs take it, where 0 inherits."""
    return 0 if given is None else _abi.ATC_ON if given else _abi.ATC_OFF


def plan_options(given: Dict[str, Any]) -> _abi.atc_conv_options:
    """The options for C; borrows what `given` holds."""
    raw = _abi.atc_conv_options(struct_size=ctypes.sizeof(_abi.atc_conv_options))
    _fill(raw, given, PlanOptions.__annotations__)
    return raw


def tune_options(given: Dict[str, Any]) -> _abi.atc_tune_options:
    """The same for tuning."""
    raw = _abi.atc_tune_options(struct_size=ctypes.sizeof(_abi.atc_tune_options))
    _fill(raw, given, TuneOptions.__annotations__)
    return raw


def _fill(raw: Any, given: Dict[str, Any], known: Dict[str, Any]) -> None:
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"{name} is no option: the options are {', '.join(sorted(known))}")
        if value is None:
            continue  # inherited
        if name == "store":
            _fill_store(raw, value)
        elif name in _SWITCHES:
            setattr(raw, name, switch(value))
        elif name in _LIMITS:
            setattr(raw, name, integer(name, value, signed=False) or _abi.ATC_NONE)
        elif name in _TIMES:
            setattr(raw, f"{name}_seconds", seconds(name, value))
        elif name in _NAME_LISTS:
            setattr(raw, name, c_text(name, ",".join([value] if isinstance(value, str) else value)))
        elif name == "technique":
            raw.technique = number(name, value, TECHNIQUES)
        elif name == "retune":
            if value not in (True, False, "provisional"):
                raise InvalidArgument(f"retune is {value!r}: it is True, False or 'provisional'")
            raw.retune = _abi.ATC_RETUNE_PROVISIONAL if value == "provisional" else switch(value)
        elif name == "tie_margin":
            raw.tie_margin = float(value) or sys.float_info.min  # 0 would mean the default
        else:
            setattr(raw, name, integer(name, value, 32 if name == "alignment" else 64, signed=False))


def _fill_store(raw: Any, store: Union[Store, Literal[False]]) -> None:
    if store is False:
        raw.use_store = _abi.ATC_OFF
        return
    handle = getattr(store, "_live", None)
    if handle is None:
        raise InvalidArgument(f"store is {store!r}: it is an atc.Store, or False for no store")
    raw.keeps = handle()  # open for as long as these options live
    raw.store = raw.keeps.pointer
