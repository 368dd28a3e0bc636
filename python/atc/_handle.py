"""Handles of libatc's objects, and functions that read from these objects."""

from __future__ import annotations

import ctypes
from typing import Any, List, Tuple

from ._errors import InternalError
from ._library import call, libatc


class Handle:
    """An object of libatc, which is destroyed when the last reference to this handle is deleted. A call keeps a
    reference as long as it runs."""

    __slots__ = ("pointer", "_destroy")

    def __init__(self, pointer: int, destroy: Any) -> None:
        self.pointer, self._destroy = pointer, destroy

    def __del__(self) -> None:
        self._destroy(self.pointer)

    def __reduce__(self) -> Any:
        raise TypeError("a plan or store cannot be copied or sent to another process: make it there, from its problem "
                        "or folder")


def created(name: str, destroy: str, *arguments: Any) -> Handle:
    """Calls the C function `name`, whose first parameter is the output, and returns the object that the function
    makes."""
    out = ctypes.c_void_p()
    call(name, ctypes.byref(out), *arguments)
    if not out.value:
        raise InternalError(f"atc_{name} succeeded and gave nothing")
    return Handle(out.value, getattr(libatc(), destroy))


def read_bytes(name: str, *arguments: Any) -> bytes:
    """Returns a copy of the bytes that the C function `name` makes."""
    handle = created(name, "bytes_destroy", *arguments)
    library = libatc()
    size = library.bytes_size(handle.pointer)
    return ctypes.string_at(library.bytes_data(handle.pointer), size) if size else b""


def query(name: str, kind: Any, *arguments: Any) -> Any:
    """Returns the number or text that the C function `name` writes to its first parameter. `kind` is the
    ctypes type."""
    out = kind()
    call(name, ctypes.byref(out), *arguments)
    return out.value


def described(name: str, kind: Any, *arguments: Any) -> Any:
    """Returns the struct that the C function `name` fills."""
    out = kind(struct_size=ctypes.sizeof(kind))
    call(name, ctypes.byref(out), *arguments)
    return out


def array_of_pointers(texts: List[bytes]) -> Tuple[Any, Any]:
    """Returns the addresses and sizes of byte strings, which the caller must keep alive."""
    addresses = (ctypes.c_void_p * len(texts))(
        *[ctypes.cast(ctypes.c_char_p(one), ctypes.c_void_p).value for one in texts])
    return addresses, (ctypes.c_size_t * len(texts))(*map(len, texts))
