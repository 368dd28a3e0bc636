"""The switches of the process, each with a getter, and what a repeatable run needs."""

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

    A switch may be set on every machine: without CUDA its getter remembers the value, and nothing else changes. A
    change takes effect at the next plan and the next convolution of every thread; plans that exist stay as they are.
    What the program sets takes precedence over the environment (ATC_BENCHMARK, ATC_DETERMINISTIC, ...), the environment
    over the default. Once `atc.torch.init` was called the switches are those of `torch.backends`. A value that is no
    value of the switch is `InvalidArgument`.
    """

    __slots__ = ()

    benchmark_cudnn = _Flag("Measure candidates of CUDA convolutions and use the best one. Default False.")
    user_enabled_cudnn = _Flag("False bars the engine cudnn. Default True.")
    deterministic_cudnn = _Flag("Only deterministic convolution kernels. Default False.")
    allow_tf32_cudnn = _Flag("TF32 in f32 convolutions. Default True, as in LibTorch.")

    @property
    def benchmark_limit_cudnn(self) -> int:
        """How many of cuDNN's candidates race at most; 0: all. Default 10."""
        return int(query("get_benchmark_limit_cudnn", ctypes.c_int32))

    @benchmark_limit_cudnn.setter
    def benchmark_limit_cudnn(self, limit: int) -> None:
        _setter("benchmark_limit_cudnn", integer("benchmark_limit_cudnn", limit, 32))

    @property
    def deterministic_algorithms(self) -> str:
        """What an operation without a deterministic form does: "off" (default), "warn" or "error". For convolutions the
        latter two ask for deterministic kernels."""
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
        """Most bytes of workspace that a candidate may use, rounded down to a class (0, 32 MiB, 256 MiB, 1 GiB, 4 GiB).
        `atc.UNLIMITED` is the largest class. Default 1 GiB."""
        return int(query("get_workspace_limit", ctypes.c_uint64))

    @workspace_limit.setter
    def workspace_limit(self, limit: int) -> None:
        _setter("workspace_limit", integer("workspace_limit", limit, signed=False))

    @property
    def race_memory_limit(self) -> Optional[int]:
        """How many bytes a race may allocate beyond the memory that the program holds, on its device (on the CPU: main
        memory). None (default): a quarter of the memory that is free when the race begins. `atc.UNLIMITED`: no limit. 0
        is `InvalidArgument`."""
        limit = int(query("get_race_memory_limit", ctypes.c_uint64))
        return None if limit == _abi.ATC_AUTOMATIC else limit

    @race_memory_limit.setter
    def race_memory_limit(self, limit: Optional[int]) -> None:
        _setter("race_memory_limit",
                _abi.ATC_AUTOMATIC if limit is None else integer("race_memory_limit", limit, signed=False))

    @property
    def plan_memory_limit(self) -> int:
        """How many bytes of host memory the kept plans of the process may take, by estimates. Default 2 GiB;
        `atc.UNLIMITED`: no limit. 0 is `InvalidArgument`."""
        return int(query("get_plan_memory_limit", ctypes.c_uint64))

    @plan_memory_limit.setter
    def plan_memory_limit(self, limit: int) -> None:
        _setter("plan_memory_limit", integer("plan_memory_limit", limit, signed=False))

    @property
    def library_path(self) -> List[str]:
        """The folders in which libcuda, cuDNN, cuBLASLt and NVML are looked for first. Setting it is `Busy` once one of
        them has been looked for."""
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
        """A hash of the pins in force, whatever their names and comments; None: no pins."""
        return int(query("get_pins_hash", ctypes.c_uint64)) or None

    def from_env(self) -> None:
        """Reads the environment (ATC_BENCHMARK, ATC_STORE, ...) again and applies it over what the program has set. A
        malformed value is `InvalidArgument` and changes nothing; a store or a pin file that cannot be opened is
        `FileError`."""
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
    """Sets switches for a `with` block, all or none, and puts these switches back at its end, also after an exception.
    Switches belong to the process: other threads see the change, and blocks of several threads that overlap must end in
    the reverse order of their beginning."""
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
    """Sets these switches, or none where one is refused; the others stay."""
    raw: Any = described("settings_get", _abi.atc_settings)
    for name, value in values.items():
        setattr(raw, name, value)
    call("settings_apply", ctypes.byref(raw))


def set_pins(file: Optional[PathLike]) -> None:
    """Reads a pin file (docs/pins.md) and obeys it from now on, in place of the one before; None: no pins. The file is
    not read again when it changes. `FileError`: it cannot be read; `InvalidArgument`: it is no pin file, and the text
    has the line, the field and its value. The pins before stay in force then."""
    call("set_pins", c_path("pins", "" if file is None else file))


def set_reproducible(seed: int) -> List[str]:
    """Sets deterministic_cudnn, deterministic_algorithms "error" and benchmark_cudnn False, and seeds all generators.
    Returns what a repeatable run needs beyond that and this call could not set, a sentence each."""
    raw = described("set_reproducible", _abi.atc_reproducible_report, integer("seed", seed, signed=False))
    return text(raw.text).splitlines()
