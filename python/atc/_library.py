"""Finds and opens libatc, and calls functions of libatc."""

from __future__ import annotations

import ctypes
import os
import threading
from pathlib import Path
from typing import Any, Dict, Iterator, Optional, Tuple

from . import _abi
from ._errors import LibraryError, Unsupported, error_of
from ._text import text

NAME = "libatc.so.1"
PACKAGED = Path(__file__).resolve().parent / "lib"


class Library:
    """An open shared library. A function is looked up, and gets its types, when it is first used."""

    def __init__(self, opened: ctypes.CDLL, functions: Dict[str, Tuple[Any, Any]], file: str) -> None:
        self.file = file
        self._opened, self._functions = opened, functions

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        result, parameters = self._functions[f"atc1_{name}"]
        try:
            function = getattr(self._opened, f"atc1_{name}")
        except AttributeError:
            raise Unsupported(f"{self.file} has no function atc_{name}: it is older than this package, install atc "
                              f"{_abi.ATC_VERSION_MAJOR}.{_abi.ATC_VERSION_MINOR}.{_abi.ATC_VERSION_PATCH} or newer"
                              ) from None
        function.restype, function.argtypes = result, parameters
        setattr(self, name, function)
        return function


_lock = threading.Lock()
_libatc: Optional[Library] = None


def libatc() -> Library:
    """Returns libatc, which the first call opens. `LibraryError`: libatc was not found, or has another version of
    the ABI."""
    global _libatc
    if _libatc is None:
        with _lock:
            if _libatc is None:
                _libatc = _open()
    return _libatc


def _open() -> Library:
    said = os.environ.get("ATC_LIBRARY")
    reasons = []
    for file, flags in [(said, 0)] if said else _places():
        try:
            opened = ctypes.CDLL(file, mode=ctypes.DEFAULT_MODE | flags)
        except OSError as error:
            reasons.append(str(error))
            continue
        return _checked(Library(opened, _abi.FUNCTIONS, file))
    where = "ATC_LIBRARY names a file that cannot be opened" if said else f"{NAME} cannot be opened"
    raise LibraryError(f"{where}: {reasons[-1]}. {_way_out(reasons[-1])}")


def _places() -> Iterator[Tuple[str, int]]:
    """Yields the files that may be libatc, each with the flags for dlopen, in the order of the search: first the libatc
    that the process has loaded, then the libatc in the package. If the package has no libatc, the last item is the name
    of the library, for the dynamic linker."""
    if loaded := loaded_file():
        yield loaded, os.RTLD_NOLOAD
    if (PACKAGED / NAME).exists():
        yield str(PACKAGED / NAME), 0
    else:
        yield NAME, 0


def loaded_file() -> Optional[str]:
    """Returns the file of the libatc that this process has loaded, also if other code than this package loaded it.
    None: libatc is not loaded."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as maps:
            for line in maps:
                file = line.rstrip("\n").partition("/")[2]
                if file.rpartition("/")[2].startswith("libatc.so"):
                    return f"/{file}"
    except OSError:
        pass
    return None


def _way_out(reason: str) -> str:
    if "libgomp" in reason:
        return "It needs GNU OpenMP: install libgomp1 (Debian, Ubuntu) or libgomp (Fedora, Alpine's glibc images)"
    return (f"Install a wheel that contains it, set ATC_LIBRARY to the file {NAME} of an installed atc, "
            "or put its folder into LD_LIBRARY_PATH")


def _checked(library: Library) -> Library:
    try:
        version = library.abi_version()
    except Unsupported:
        raise LibraryError(f"{library.file} is not libatc: set ATC_LIBRARY to the file {NAME}") from None
    if version != _abi.ATC_ABI_VERSION:
        raise LibraryError(f"{library.file} has version {version} of the ABI, this package needs "
                           f"{_abi.ATC_ABI_VERSION}: install an atc of the same version as the package")
    return library


def check(status: int) -> None:
    """Raises the error that belongs to a status, with libatc's text of the last failure on this thread. Does
    nothing if the status is ATC_OK."""
    if status != _abi.ATC_OK:
        raise error_of(status, text(libatc().last_error()))


def call(name: str, *arguments: Any) -> None:
    """Calls a function of libatc that returns a status, and raises the error that belongs to the status."""
    check(getattr(libatc(), name)(*arguments))
