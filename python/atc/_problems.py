"""Lists of problems that are to be tuned: problems that calls have noted, and problems from recordings."""

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
    """A list of problems for `tune`. The list contains each problem once, with the device and the options on which the
    decision depends.

        plan = atc.Plan(problem, tune="later")  # measures nothing
        atc.tune(atc.Problems.noted())          # between steps

    Only one thread at a time may add to a list."""

    def __init__(self) -> None:
        """Makes an empty list."""
        self._handle = created("problems_create", "problems_destroy")

    @classmethod
    def noted(cls) -> Problems:
        """Returns a list of the problems that calls of this process have noted (calls with `tune="later"`). A note
        remains until `tune` has measured the problem. The process notes at most 4,096 problems."""
        problems = cls()
        problems.add_noted()
        return problems

    @classmethod
    def read(cls, file: PathLike) -> Problems:
        """Returns the problems of a file. The file is JSON that recordings (ATC_RECORD), `json` or `atc tune --json`
        have written. If the text is invalid, `InvalidArgument` names the problem and the member. If the file cannot be
        read, the exception is that of `open`."""
        problems = cls()
        problems.add_json(Path(os.fsdecode(file)).read_bytes())
        return problems

    def add_noted(self) -> None:
        """Adds the problems that this process has noted. Problems that the list contains already are not added
        again."""
        call("problems_add_noted", self._handle.pointer)

    def add_json(self, text: Union[str, bytes]) -> None:
        """Adds the problems of a JSON text. If the call fails, no problem is added."""
        given = text.encode() if isinstance(text, str) else bytes(text)
        call("problems_add_json", self._handle.pointer, given, len(given))

    def add(self, problem: Problem, count: int = 1) -> None:
        """Adds a problem. `count` is the number of calls that run the problem (0: unknown)."""
        if not isinstance(problem, Problem):
            raise InvalidArgument(f"problem is {problem!r}: it is an atc.Problem")
        call("problems_add", self._handle.pointer, None, ctypes.byref(problem._raw()), None,
             integer("count", count, 64, signed=False))

    def json(self) -> str:
        """Returns the list as JSON, with one problem on each line. `atc tune` can read this text."""
        return read_bytes("problems_json", self._handle.pointer).decode()

    def __len__(self) -> int:
        return int(query("problems_count", ctypes.c_size_t, self._handle.pointer))

    def __iter__(self) -> Iterator[Problem]:
        """Iterates over the problems, which have explicit strides."""
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
    """Forgets all problems that this process has noted."""
    call("problems_forget_noted")
