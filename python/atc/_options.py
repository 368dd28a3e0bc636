"""Options of plans and of tuning. An option that is left out, or None, is inherited from the process's
settings."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any, Dict, Literal, Optional, Union

from . import _abi
from ._errors import InvalidArgument
from ._names import TECHNIQUES, number
from ._numbers import integer, seconds
from ._option_fields import KINDS, PlanOptions, TorchOptions, TuneOptions
from ._text import c_text

if TYPE_CHECKING:
    from ._store import Store

# The value of a limit that means "no limit".
UNLIMITED = _abi.ATC_UNLIMITED


def switch(given: Optional[bool]) -> int:
    """Returns the value of a switch for an options struct. None becomes 0, which means that the switch
    is inherited."""
    return 0 if given is None else _abi.ATC_ON if given else _abi.ATC_OFF


def tuning(name: str, given: Union[bool, str]) -> int:
    """Returns the value of the option `tune` in an options struct."""
    if given == "later":
        return _abi.ATC_TUNE_LATER
    if given == "beside":
        return _abi.ATC_TUNE_BESIDE
    if given == "predict":
        return _abi.ATC_TUNE_PREDICT
    if not isinstance(given, (bool, int)):
        raise InvalidArgument(f"{name} is {given!r}: it is True, False, 'later', 'beside' or 'predict'")
    return switch(bool(given))


def plan_options(given: Dict[str, Any]) -> _abi.atc_conv_options:
    """Returns the C struct of plan options. The struct borrows the objects in `given`."""
    raw = _abi.atc_conv_options(struct_size=ctypes.sizeof(_abi.atc_conv_options))
    _fill(raw, given, PlanOptions.__annotations__)
    return raw


def tune_options(given: Dict[str, Any]) -> _abi.atc_tune_options:
    """Returns the C struct of tuning options. The struct borrows the objects in `given`."""
    raw = _abi.atc_tune_options(struct_size=ctypes.sizeof(_abi.atc_tune_options))
    _fill(raw, given, TuneOptions.__annotations__)
    return raw


def torch_options(given: Dict[str, Any]) -> _abi.atc_torch_options:
    """Returns the options struct for the convolutions of a PyTorch program."""
    raw = _abi.atc_torch_options(struct_size=ctypes.sizeof(_abi.atc_torch_options))
    _fill(raw, given, TorchOptions.__annotations__)
    return raw


def _fill(raw: Any, given: Dict[str, Any], known: Dict[str, Any]) -> None:
    for name, value in given.items():
        if name not in known:
            raise TypeError(f"{name} is no option: the options are {', '.join(sorted(known))}")
        if value is None:
            continue  # the field remains 0, so the option is inherited from the process's settings
        kind = KINDS.get(name)
        if kind == "switch":
            setattr(raw, name, switch(value))
        elif kind == "tuning":
            setattr(raw, name, tuning(name, value))
        elif kind == "limit":
            setattr(raw, name, integer(name, value, signed=False) or _abi.ATC_NONE)
        elif kind == "seconds":
            setattr(raw, f"{name}_seconds", seconds(name, value))
        elif kind == "technique":
            setattr(raw, name, number(name, value, TECHNIQUES))
        elif kind == "alignment":
            setattr(raw, name, integer(name, value, 32, signed=False))
        elif kind == "names":
            setattr(raw, name, c_text(name, ",".join([value] if isinstance(value, str) else value)))
        else:
            _OWN[name](raw, value)


def _fill_seed(raw: Any, value: Any) -> None:
    raw.seed = integer("seed", value, 64, signed=False)


def _fill_retune(raw: Any, value: Any) -> None:
    if value not in (True, False, "provisional"):
        raise InvalidArgument(f"retune is {value!r}: it is True, False or 'provisional'")
    raw.retune = _abi.ATC_RETUNE_PROVISIONAL if value == "provisional" else switch(value)


def _fill_tie_margin(raw: Any, value: Any) -> None:
    # In the C struct 0 means the default, so 0 is replaced by a tiny number.
    raw.tie_margin = float(value) or sys.float_info.min


def _fill_expected_calls(raw: Any, value: Any) -> None:
    if not float(value) > 0:
        raise InvalidArgument(f"expected_calls is {value!r}: use a number above 0, or float('inf')")
    raw.expected_calls = float(value)


def _fill_store(raw: Any, store: Union[Store, Literal[False]]) -> None:
    if store is False:
        raw.use_store = _abi.ATC_OFF
        return
    handle = getattr(store, "_live", None)
    if handle is None:
        raise InvalidArgument(f"store is {store!r}: it is an atc.Store, or False for no store")
    raw.keeps = handle()  # this reference keeps the store open as long as the options struct exists
    raw.store = raw.keeps.pointer


# The options that are converted by a function of their own.
_OWN = {"store": _fill_store, "seed": _fill_seed, "retune": _fill_retune, "tie_margin": _fill_tie_margin,
        "expected_calls": _fill_expected_calls}
