"""The ranks of a job, and the stores of keys that they share."""

from __future__ import annotations

import ctypes
import os
from dataclasses import dataclass
from typing import Any, Dict, Optional, Tuple

from . import _abi
from ._errors import InvalidArgument
from ._handle import described
from ._library import call, libatc
from ._numbers import integer, seconds
from ._text import PathLike, c_path, c_text, text


class Group:
    """A rank of a job, for `atc.tune(..., group=)`. All ranks of the job call `tune`, and make the same decisions.

    The ranks exchange data through a store of keys that they share. A subclass provides access to this store by the
    methods `create` and `get`. atc calls the two methods on the thread that called `tune`. Keys have up to 512 ASCII
    characters, and values have up to 1 MiB. atc never changes or removes a key. If a method raises an exception,
    `tune` raises the exception."""

    def __init__(self, rank: int, size: int, prefix: str, bound: float = 60) -> None:
        """rank: from 0 to size - 1. prefix: the beginning of all keys, which must differ for each job and each
        attempt to run the job. bound: a rank waits without progress for at most this number of seconds."""
        self.rank, self.size, self.prefix, self.bound = rank, size, prefix, bound

    def create(self, key: str, value: bytes) -> bytes:
        """Writes the value if the key does not exist, and returns the value that the key has afterwards."""
        raise NotImplementedError

    def get(self, key: str, timeout: float) -> Optional[bytes]:
        """Returns the value of the key. Waits for the key for `timeout` seconds (at most 1), and returns None if the
        key does not exist then."""
        raise NotImplementedError


class FolderGroup(Group):
    """A group whose ranks share a folder, for jobs without torch. Remove the folder after the job."""

    def __init__(self, path: PathLike, rank: int, size: int, prefix: str, bound: float = 60) -> None:
        super().__init__(rank, size, prefix, bound)
        self.path = os.fspath(path)


class RawGroup:
    """The C struct of a group, which is valid during one call."""

    def __init__(self, group: Group) -> None:
        if not isinstance(group, Group):
            raise InvalidArgument(f"group is {group!r}: it is an atc.Group")
        self._group = group
        self._raised: Optional[BaseException] = None
        self.raw: Any = _abi.atc_group(struct_size=ctypes.sizeof(_abi.atc_group))
        rank = integer("rank", group.rank, 32, signed=False)
        size = integer("size", group.size, 32, signed=False)
        # `_prefix` keeps the bytes of the prefix alive, because the C struct has only a pointer to them.
        self._prefix = c_text("prefix", group.prefix)
        if isinstance(group, FolderGroup):
            call("group_open_folder", ctypes.byref(self.raw), c_path("path", group.path), rank, size, self._prefix)
        else:
            fields: Dict[str, Any] = {field[0]: field[1] for field in _abi.atc_group._fields_}
            self.raw.rank, self.raw.size, self.raw.prefix = rank, size, self._prefix
            self.raw.create, self.raw.get = fields["create"](self._create), fields["get"](self._get)
        self.raw.bound_seconds = seconds("bound", group.bound)

    def _create(self, _user: Any, key: bytes, value: int, size: int, answer: Any, payload: Any) -> int:
        return self._answer(lambda: self._group.create(key.decode(), ctypes.string_at(value, size)), answer, payload)

    def _get(self, _user: Any, key: bytes, timeout: float, answer: Any, payload: Any) -> int:
        return self._answer(lambda: self._group.get(key.decode(), timeout), answer, payload)

    def _answer(self, function: Any, answer: Any, payload: Any) -> int:
        try:
            value = function()
            if value is None:
                return int(_abi.ATC_OK)
            value = bytes(value)
            return int(answer(ctypes.cast(ctypes.c_char_p(value), ctypes.c_void_p), len(value), payload))
        except BaseException as raised:  # also a KeyboardInterrupt
            self._raised = raised
            libatc().error_set(f"{type(raised).__name__}: {raised}".encode())
            return int(_abi.ATC_ERROR_IO)

    def end(self) -> None:
        """Must be called when the C function has returned. Closes the folder, and raises the exception that a method
        of the group has raised."""
        if isinstance(self._group, FolderGroup):
            libatc().group_close(ctypes.byref(self.raw))
        self.raw = None
        if self._raised is not None:
            try:
                raise self._raised
            finally:
                self._raised = None


@dataclass(frozen=True)
class RankClass:
    """A class of ranks: ranks with equal environments, which have made the same decisions."""

    ranks: Tuple[int, ...]
    environment: str  # the device, the versions, the engines and the options of the class, as JSON
    differences: str  # the differences of `environment` from the first class; "" for the first class


@dataclass(frozen=True)
class Agreement:
    """The agreement that the ranks have reached in a call of `tune`."""

    digest: str  # a hash of the decisions of this rank's class; all ranks of the class have the same digest
    classes: Tuple[RankClass, ...]
    own_class: int  # the index of the class of this rank


def agreement_of(report: Any) -> Agreement:
    """Returns the agreement in the report of a call with a group."""
    raw = described("tune_report_agreement", _abi.atc_agreement, report.pointer)
    classes = []
    for index in range(raw.classes):
        one = described("tune_report_class", _abi.atc_agreement_class, report.pointer, index)
        classes.append(RankClass(tuple(one.ranks[: one.count]), text(one.environment), text(one.differences)))
    return Agreement(text(raw.digest), tuple(classes), raw.own_class)
