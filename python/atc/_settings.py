"""The switches of the process, each with a getter, and a function that prepares a repeatable run."""

from __future__ import annotations

import contextlib
import ctypes
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence

from . import _abi
from ._handle import described, query
from ._library import call
from ._names import (DETERMINISTIC_ALGORITHMS, TECHNIQUES, DeterministicAlgorithms, Technique, name_of, number)
from ._numbers import integer
from ._text import PathLike, c_path, fixed_path, text


def _setter(name: str, value: int) -> None:
    call(f"set_{name}", value)


class _Flag:
    """A switch that is on or off."""

    def __init__(self, doc: str) -> None:
        self.__doc__ = doc

    def __set_name__(self, _owner: object, name: str) -> None:
        self._name = name

    def __get__(self, _settings: object, _owner: object = None) -> bool:
        return bool(query(f"get_{self._name}", ctypes.c_int32))

    def __set__(self, _settings: object, value: bool) -> None:
        _setter(self._name, integer(self._name, value, 32))


class Settings:
    """The switches of the process, as properties of `atc.settings`.

    A switch may be set on every machine. Without CUDA the switch has no effect, and its getter returns the value that
    was set. If a switch changes, the next plan and the next convolution of every thread use the new value. Existing
    plans do not change. A value that the program sets takes precedence over the environment (ATC_BENCHMARK,
    ATC_DETERMINISTIC, ...), and the environment over the default. After `atc.torch.init` the switches are those of
    `torch.backends`. `InvalidArgument`: the switch cannot have this value."""

    __slots__ = ()

    benchmark_cudnn = _Flag("Measure candidates of CUDA convolutions and use the best one. Default False.")
    user_enabled_cudnn = _Flag("False bars the engine cudnn. Default True.")
    deterministic_cudnn = _Flag("Only deterministic convolution kernels. Default False.")
    allow_tf32_cudnn = _Flag("TF32 in f32 convolutions. Default True, as in LibTorch.")

    @property
    def benchmark_limit_cudnn(self) -> int:
        """The largest number of cuDNN's candidates that are timed for one convolution. 0: all. Default 10."""
        return int(query("get_benchmark_limit_cudnn", ctypes.c_int32))

    @benchmark_limit_cudnn.setter
    def benchmark_limit_cudnn(self, limit: int) -> None:
        _setter("benchmark_limit_cudnn", integer("benchmark_limit_cudnn", limit, 32))

    @property
    def deterministic_algorithms(self) -> str:
        """The behaviour of an operation that has no deterministic implementation: "off" (default), "warn" or "error".
        For convolutions both "warn" and "error" mean that only deterministic kernels are used."""
        return name_of(query("get_deterministic_algorithms", ctypes.c_int32), DETERMINISTIC_ALGORITHMS)

    @deterministic_algorithms.setter
    def deterministic_algorithms(self, mode: DeterministicAlgorithms) -> None:
        _setter("deterministic_algorithms", number("deterministic_algorithms", mode, DETERMINISTIC_ALGORITHMS))

    @property
    def benchmark_technique(self) -> str:
        """How candidates are timed: "interleaved" (default), "once", "median-of-three", "till-stable", "sustained"."""
        return name_of(query("get_benchmark_technique", ctypes.c_int32), TECHNIQUES)

    @benchmark_technique.setter
    def benchmark_technique(self, technique: Technique) -> None:
        _setter("benchmark_technique", number("benchmark_technique", technique, TECHNIQUES))

    @property
    def workspace_limit(self) -> int:
        """The largest number of bytes of workspace that a candidate may use. The limit is rounded down to 0, 32 MiB,
        256 MiB, 1 GiB or 4 GiB. `atc.UNLIMITED` means 4 GiB. Default 1 GiB."""
        return int(query("get_workspace_limit", ctypes.c_uint64))

    @workspace_limit.setter
    def workspace_limit(self, limit: int) -> None:
        _setter("workspace_limit", integer("workspace_limit", limit, signed=False))

    @property
    def race_memory_limit(self) -> Optional[int]:
        """The largest number of bytes that a race (the timing of candidates) may allocate beyond the memory that the
        program holds. The memory is that of the race's device (for the CPU: main memory). None (default): a quarter of
        the memory that is free when the race begins. `atc.UNLIMITED`: no limit. 0 is `InvalidArgument`."""
        limit = int(query("get_race_memory_limit", ctypes.c_uint64))
        return None if limit == _abi.ATC_AUTOMATIC else limit

    @race_memory_limit.setter
    def race_memory_limit(self, limit: Optional[int]) -> None:
        _setter("race_memory_limit",
                _abi.ATC_AUTOMATIC if limit is None else integer("race_memory_limit", limit, signed=False))

    @property
    def plan_memory_limit(self) -> int:
        """The largest number of bytes of host memory for the plans that the process keeps. The size of a plan is
        estimated. Default 2 GiB; `atc.UNLIMITED`: no limit. 0 is `InvalidArgument`."""
        return int(query("get_plan_memory_limit", ctypes.c_uint64))

    @plan_memory_limit.setter
    def plan_memory_limit(self, limit: int) -> None:
        _setter("plan_memory_limit", integer("plan_memory_limit", limit, signed=False))

    @property
    def library_path(self) -> List[str]:
        """The folders in which libcuda, cuDNN, cuBLASLt and NVML are searched for first. If atc has already searched
        for one of these libraries, setting the folders raises `Busy`."""
        joined = fixed_path(query("get_library_path", ctypes.c_char_p) or b"")
        return [folder for folder in joined.split(":") if folder]

    @library_path.setter
    def library_path(self, folders: Sequence[PathLike]) -> None:
        call("set_library_path", c_path("library_path", ":".join(os.fspath(folder) for folder in folders)))

    @property
    def pins(self) -> Optional[str]:
        """The pin file in force, or None (`atc.set_pins`)."""
        return fixed_path(query("get_pins", ctypes.c_char_p) or b"") or None

    @property
    def pins_hash(self) -> Optional[int]:
        """A hash of the pins in force. The hash does not depend on the names and comments of the pins. None: there are
        no pins."""
        return int(query("get_pins_hash", ctypes.c_uint64)) or None

    def from_env(self) -> None:
        """Reads the environment (ATC_BENCHMARK, ATC_STORE, ...) again. Its values replace the values that the program
        has set. `InvalidArgument`: a value of the environment is malformed, and nothing was changed. `FileError`: a
        store or a pin file cannot be opened."""
        call("settings_from_env")

    def __repr__(self) -> str:
        raw = described("settings_get", _abi.atc_settings)
        return f"Settings({', '.join(f'{name}={getattr(self, name)!r}' for name in _fields(raw))})"


settings = Settings()


def _fields(raw: _abi.atc_settings) -> List[str]:
    return [field[0] for field in raw._fields_ if field[0] != "struct_size"]


@contextlib.contextmanager
def scoped(*, benchmark_cudnn: Optional[bool] = None, benchmark_limit_cudnn: Optional[int] = None,
           user_enabled_cudnn: Optional[bool] = None, deterministic_cudnn: Optional[bool] = None,
           deterministic_algorithms: Optional[DeterministicAlgorithms] = None, allow_tf32_cudnn: Optional[bool] = None,
           benchmark_technique: Optional[Technique] = None, workspace_limit: Optional[int] = None) -> Iterator[None]:
    """Sets switches for a `with` block, and restores them at the end of the block, also after an exception. If one
    switch cannot be set, none is set. Switches belong to the process, so other threads use the changed switches, too.
    If blocks of several threads overlap, they must end in the reverse order of their beginning."""
    changes: Dict[str, int] = {}
    for name, flag in (("benchmark_cudnn", benchmark_cudnn), ("user_enabled_cudnn", user_enabled_cudnn),
                       ("deterministic_cudnn", deterministic_cudnn), ("allow_tf32_cudnn", allow_tf32_cudnn),
                       ("benchmark_limit_cudnn", benchmark_limit_cudnn)):
        if flag is not None:
            changes[name] = integer(name, flag, 32)
    if deterministic_algorithms is not None:
        changes["deterministic_algorithms"] = number("deterministic_algorithms", deterministic_algorithms,
                                                     DETERMINISTIC_ALGORITHMS)
    if benchmark_technique is not None:
        changes["benchmark_technique"] = number("benchmark_technique", benchmark_technique, TECHNIQUES)
    if workspace_limit is not None:
        changes["workspace_limit"] = integer("workspace_limit", workspace_limit, signed=False)
    before = described("settings_get", _abi.atc_settings)
    _change(changes)
    try:
        yield
    finally:
        _change({name: getattr(before, name) for name in changes})


def _change(values: Dict[str, int]) -> None:
    """Sets these switches. If libatc refuses one of the values, no switch is set. Other switches do not change."""
    raw: Any = described("settings_get", _abi.atc_settings)
    for name, value in values.items():
        setattr(raw, name, value)
    call("settings_apply", ctypes.byref(raw))


def set_pins(file: Optional[PathLike]) -> None:
    """Reads a pin file (docs/pins.md), which sets choices and bars (prohibitions) for problems. From now on the
    process obeys this file in place of an earlier pin file. None: no pins. If the file changes later, it is not read
    again. `FileError`: the file cannot be read. `InvalidArgument`: the file is no pin file; the text has the line, the
    field and its value. After an error the earlier pins remain in force."""
    call("set_pins", c_path("pins", "" if file is None else file))


def set_reproducible(seed: int) -> List[str]:
    """Prepares a repeatable run: sets deterministic_cudnn, deterministic_algorithms "error" and benchmark_cudnn False,
    and seeds all generators. A repeatable run may need further conditions, which this call could not establish.
    Returns a sentence for each of these conditions."""
    raw = described("set_reproducible", _abi.atc_reproducible_report, integer("seed", seed, signed=False))
    return text(raw.text).splitlines()
