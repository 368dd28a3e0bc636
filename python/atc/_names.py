"""Names for libatc's enumerations."""

from __future__ import annotations

from typing import Dict, Literal

from . import _abi
from ._errors import InvalidArgument

Direction = Literal["forward", "backward-data", "backward-weight"]
DType = Literal["f32", "bf16", "f16"]
Layout = Literal["channels-first", "channels-last", "strided"]
Epilogue = Literal["none", "bias", "bias-relu"]
Activation = Literal["none", "relu", "relu6", "clamp", "silu", "gelu", "gelu-tanh", "hard-swish", "sigmoid",
                     "leaky-relu"]
Operand = Literal["x", "w", "bias", "y", "scale", "residual"]
Technique = Literal["once", "median-of-three", "till-stable", "interleaved", "sustained"]
DeterministicAlgorithms = Literal["off", "warn", "error"]
StoreMode = Literal["off", "read", "read-write", "replay-only"]


def _named(prefix: str, *names: str) -> Dict[str, int]:
    """Returns a dictionary from the given names to the constants of libatc: "f16" with the prefix "ATC_DTYPE_" is
    ATC_DTYPE_F16."""
    return {name: getattr(_abi, prefix + name.upper().replace("-", "_")) for name in names}


DIRECTIONS = _named("ATC_", "forward", "backward-data", "backward-weight")
DTYPES = _named("ATC_DTYPE_", "f32", "bf16", "f16")
LAYOUTS = _named("ATC_LAYOUT_", "channels-first", "channels-last", "strided")
EPILOGUES = _named("ATC_EPILOGUE_", "none", "bias", "bias-relu")
ACTIVATIONS = _named("ATC_ACTIVATION_", "none", "relu", "relu6", "clamp", "silu", "gelu", "gelu-tanh", "hard-swish",
                     "sigmoid", "leaky-relu")
OPERANDS = _named("ATC_OPERAND_", "x", "w", "bias", "y", "scale", "residual")
TECHNIQUES = _named("ATC_TECHNIQUE_", "once", "median-of-three", "till-stable", "interleaved", "sustained")
DETERMINISTIC_ALGORITHMS = _named("ATC_DETERMINISTIC_ALGORITHMS_", "off", "warn", "error")
STORE_MODES = _named("ATC_STORE_", "off", "read", "read-write", "replay-only")
SOURCES = _named("ATC_SOURCE_", "given", "record", "inherited", "memory", "tuned", "default", "reference", "pinned",
                 "agreed", "beside", "predicted", "adopted")
OUTCOMES = _named("ATC_OUTCOME_", "won", "lost", "dropped", "tied", "not-prepared", "wrong-result", "failed",
                  "out-of-memory", "skipped", "offered")
RULES = _named("ATC_RULE_", "first-offer", "alone", "fastest", "faster", "tie-default", "tie-kept", "tie-lighter",
               "host", "precise")
TORCH_CUDA = _named("ATC_TORCH_CUDA_", "absent", "not-loaded", "loaded")
TORCH_PASSED = _named("ATC_TORCH_PASSED_", "nothing-known", "chosen", "device", "dtype", "layout", "shape", "failed",
                      "not-recorded")
TORCH_PRECISIONS = _named("ATC_TORCH_PRECISION_", "highest", "high", "medium")


def number(field: str, name: str, names: Dict[str, int]) -> int:
    """Returns the number of a name. The error for an unknown name lists all names."""
    found = names.get(name) if isinstance(name, str) else None
    if found is None:
        raise InvalidArgument(f"{field} is {name!r}: it is one of {', '.join(names)}")
    return found


def name_of(value: int, names: Dict[str, int]) -> str:
    """Returns the name of a number, or "unknown (N)" for a number of a newer libatc."""
    for name, known in names.items():
        if known == value:
            return name
    return f"unknown ({value})"
