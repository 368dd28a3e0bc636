"""Checks numbers before they are passed to C, because ctypes would cut a number that is too large for its C type,
without an error."""

from __future__ import annotations

import operator
from typing import Any

from ._errors import InvalidArgument


def integer(field: str, given: Any, bits: int = 64, signed: bool = True) -> int:
    """Returns `given` as an int. Whole numbers of numpy and torch are accepted. `InvalidArgument`: `given` is no whole
    number, or does not fit into `bits` bits."""
    try:
        value = operator.index(given)
    except TypeError:
        raise InvalidArgument(f"{field} is {given!r}: it is a whole number") from None
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        raise InvalidArgument(f"{field} is {value}: it is from {low} to {high}")
    return value


def real(field: str, given: Any) -> float:
    """Returns `given` as a float. Numbers of numpy and torch are accepted."""
    try:
        return float(given)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{field} is {given!r}: it is a number") from None


def seconds(field: str, given: Any) -> float:
    """Returns a time in seconds. 0 is replaced by a very short time, because in the struct of C 0
    means the default."""
    try:
        value = float(given)
    except (TypeError, ValueError):
        raise InvalidArgument(f"{field} is {given!r}: it is a number of seconds") from None
    return value if value != 0.0 else 1e-9
