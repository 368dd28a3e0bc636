"""Converts texts for C and from C."""

from __future__ import annotations

import os
from typing import Optional, Union

from ._errors import InvalidArgument

PathLike = Union[str, "os.PathLike[str]"]


def text(given: Optional[bytes]) -> str:
    """Returns the str of a text that C has returned. Bytes that are not valid UTF-8 are replaced by
    a replacement character."""
    return (given or b"").decode("utf-8", "replace")


def c_text(name: str, given: str) -> bytes:
    """Returns a text as bytes for C. If the text cannot be passed, the error names the argument
    `name`."""
    return _without_nul(name, given.encode("utf-8"))


def c_path(name: str, given: PathLike) -> bytes:
    """Returns a path as bytes for C, in the encoding of the file system."""
    return _without_nul(name, os.fsencode(given))


def _without_nul(name: str, given: bytes) -> bytes:
    if b"\0" in given:
        raise InvalidArgument(f"{name} has a NUL byte at {given.index(0)}: leave it out")
    return given


def fixed_path(given: bytes) -> str:
    """Returns the str of a path that C has returned."""
    return os.fsdecode(given)
