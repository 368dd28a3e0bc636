"""Lists of problems to be tuned: those that calls have noted, and those of recordings."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Iterator, Union

from . import _abi
from ._errors import InvalidArgument
from ._handle import created, query, read_bytes
from ._library import call
from ._numbers import integer
from ._problem import Problem
from ._text import PathLike


class Problems:
    """Problems, each once, with the device and the options that a decision depends on. `tune` decides them.

        plan = atc.Plan(problem, tune="later")  # measures nothing
        atc.tune(atc.Problems.noted())          # between steps

    One thread at a time adds to a list.
    """

    def __init__(self) -> None:
        """An empty list."""
        self._handle = created("problems_create", "problems_destroy")

    @classmethod
    def noted(cls) -> Problems:
        """The problems that calls of this process have noted (`tune="later"`). The notes stay until `tune` has measured
        their problems. At most 4,096 problems are noted."""
        problems = cls()
        problems.add_noted()
        return problems

    @classmethod
    def read(cls, file: PathLike) -> Problems:
        """The problems of a file in the JSON that recordings (ATC_RECORD), `json` and `atc tune --json` write.
        `InvalidArgument` names the problem and the member; what `open` raises comes out of this call."""
        problems = cls()
        problems.add_json(Path(os.fsdecode(file)).read_bytes())
        return problems

    def add_noted(self) -> None:
        """Adds the problems that were noted since."""
        call("problems_add_noted", self._handle.pointer)

    def add_json(self, text: Union[str, bytes]) -> None:
        """Adds the problems of a JSON text: all of them, or none where the call fails."""
        given = text.encode() if isinstance(text, str) else bytes(text)
        call("problems_add_json", self._handle.pointer, given, len(given))

    def add(self, problem: Problem, count: int = 1) -> None:
        """Adds a problem, which `count` calls need (0: unknown)."""
        if not isinstance(problem, Problem):
            raise InvalidArgument(f"problem is {problem!r}: it is an atc.Problem")
        call("problems_add", self._handle.pointer, None, ctypes.byref(problem._raw()), None,
             integer("count", count, 64, signed=False))

    def json(self) -> str:
        """The list as JSON, a problem per line, which `atc tune` reads, too."""
        return read_bytes("problems_json", self._handle.pointer).decode()

    def __len__(self) -> int:
        return int(query("problems_count", ctypes.c_size_t, self._handle.pointer))

    def __iter__(self) -> Iterator[Problem]:
        """The problems, with explicit strides."""
        return (self[index] for index in range(len(self)))

    def __getitem__(self, index: int) -> Problem:
        count = len(self)
        if not -count <= index < count:
            raise IndexError(f"the list has {count} problems, not one of index {index}")
        raw = _abi.atc_conv_problem(struct_size=ctypes.sizeof(_abi.atc_conv_problem))
        call("problems_get", None, ctypes.byref(raw), None, None, self._handle.pointer, index % count)
        return Problem._from_raw(raw)

    def __repr__(self) -> str:
        return f"<{len(self)} problems>"


def forget_noted() -> None:
    """Forgets all notes of this process."""
    call("problems_forget_noted")
