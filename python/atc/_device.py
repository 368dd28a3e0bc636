"""Describes the devices and libraries of this machine, seeds generators, and waits for a device. Without CUDA every
query about CUDA returns False, 0 or None, and the other functions succeed and do nothing on CUDA."""

from __future__ import annotations

import ctypes
import json
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from . import _abi
from ._errors import InvalidArgument
from ._handle import described, query, read_bytes
from ._library import call
from ._numbers import integer
from ._text import fixed_path, text


def raw_device(given: Any) -> _abi.atc_device:
    """Converts a device: "cpu", "cuda", "cuda:1", an object whose text is one of these (torch.device), or
    the result of `__dlpack_device__`."""
    if isinstance(given, tuple) and len(given) == 2:
        number, place = integer("device", given[0], 32), integer("device", given[1], 32)
        if number in (_abi.ATC_DEVICE_CPU, _abi.ATC_DEVICE_CUDA):
            return _abi.atc_device(number, place if number == _abi.ATC_DEVICE_CUDA else 0)
    kind, _, index = str(given).partition(":")
    if kind == "cpu" and index in ("", "0"):
        return _abi.atc_device(_abi.ATC_DEVICE_CPU, 0)
    if kind == "cuda" and (index.isdecimal() or str(given) == "cuda"):
        return _abi.atc_device(_abi.ATC_DEVICE_CUDA, integer("device", int(index or 0), 32))
    raise InvalidArgument(f"device is {given!r}: it is 'cpu', 'cuda' or 'cuda:INDEX'")


def device_name(raw: _abi.atc_device) -> str:
    """Returns the name of a device: "cpu" or "cuda:INDEX"."""
    return "cpu" if raw.type == _abi.ATC_DEVICE_CPU else f"cuda:{raw.index}"


def cuda_is_available() -> bool:
    """Whether there is a CUDA device that atc can use."""
    return bool(query("cuda_is_available", ctypes.c_int32))


def cuda_device_count() -> int:
    """The number of CUDA devices that atc can use; 0 without CUDA."""
    return int(query("cuda_device_count", ctypes.c_int32))


def cudnn_is_available() -> bool:
    """Whether a cuDNN was found."""
    return bool(query("cudnn_is_available", ctypes.c_int32))


def cudnn_version() -> Optional[int]:
    """The version of the cuDNN that is in use, as the number that cuDNN returns (90100 is 9.1.0). `None`: there is
    no cuDNN."""
    return int(query("cudnn_version", ctypes.c_int64)) or None


@dataclass(frozen=True)
class DeviceInfo:
    """The properties of a device. None: not known."""

    name: str
    isa: str  # for a CPU: the instruction sets that matter to atc
    compute_units: int  # the number of multiprocessors; for a CPU the number of threads that a convolution uses
    cache_bytes: Optional[int]  # the size of the last-level cache in bytes; None: not known
    memory_bytes: Optional[int]
    compute_capability: Optional[Tuple[int, int]]


def describe_device(device: Any = "cpu") -> DeviceInfo:
    """Describes a device. `InvalidArgument`: this machine has no such device."""
    raw = described("device_describe", _abi.atc_device_info, raw_device(device))
    capability = (raw.compute_major, raw.compute_minor)
    return DeviceInfo(name=text(raw.name), isa=text(raw.isa), compute_units=raw.compute_units,
                      cache_bytes=raw.cache_bytes or None, memory_bytes=raw.memory_bytes or None,
                      compute_capability=None if capability == (0, 0) else capability)


@dataclass(frozen=True)
class LibraryInfo:
    """A library that atc uses, or would use if it were installed."""

    name: str
    loaded: bool
    version: str  # version of the library that is loaded, or ""
    compiled_version: str  # version of the library with which atc was compiled, or ""
    file: str
    note: str  # the missing part and what does not work without it, or ""
    remarks: Tuple[str, ...]  # warnings about this library


def libraries() -> Tuple[LibraryInfo, ...]:
    """The libraries that atc uses: oneDNN, the CUDA driver, cuDNN and others. If there is a CUDA device, this call
    opens the libraries of CUDA."""
    found = []
    for index in range(query("library_count", ctypes.c_size_t)):
        raw = described("library_describe", _abi.atc_library_info, index)
        found.append(LibraryInfo(name=text(raw.name), loaded=bool(raw.loaded), version=text(raw.version),
                                 compiled_version=text(raw.compiled_version), file=fixed_path(raw.file),
                                 note=text(raw.note), remarks=tuple(text(raw.remarks).splitlines())))
    return tuple(found)


def faults() -> List[Dict[str, Any]]:
    """Returns the known faults of oneDNN, cuDNN and cuBLASLt that atc works around. The faults come from a table in
    atc, and from the file that `CUDNN_ERRATA_JSON_FILE` names. In the dictionary of a fault `"applies"` is True if
    the running library has the fault on a device of this machine."""
    found: List[Dict[str, Any]] = json.loads(read_bytes("faults_describe"))
    return found


def manual_seed(seed: int) -> None:
    """Seeds the random data that tuning uses. After `atc.torch.init`, also seeds LibTorch's generators."""
    call("manual_seed_all", integer("seed", seed, signed=False))


def synchronize(device: Any = None) -> None:
    """Waits until all queued work of a CUDA device has run. If `device` is None, waits for the current device. Does
    nothing on the CPU and without CUDA."""
    raw = None if device is None else raw_device(device)
    if raw is None or raw.type == _abi.ATC_DEVICE_CUDA:
        call("synchronize", -1 if raw is None else raw.index)
