"""Errors: one class for each status of libatc, with the library's own text."""

from __future__ import annotations

from typing import Dict, Optional, Type

from . import _abi


class Error(Exception):
    """A failed call. `str(error)` is a sentence that names the wrong value and a remedy; programs decide by the class
    or by `status`, libatc's number (`ATC_ERROR_*`)."""

    status: int = 0

    def __init__(self, text: str, status: Optional[int] = None) -> None:
        super().__init__(text)
        if status is not None:
            self.status = status


class InvalidArgument(Error, ValueError):
    """A value that no machine accepts; the text names it."""

    status = _abi.ATC_ERROR_INVALID_ARGUMENT


class Unsupported(Error):
    """A valid request that no engine of this machine can serve."""

    status = _abi.ATC_ERROR_UNSUPPORTED


class NotTuned(Error):
    """The store's mode is "replay-only", and it has no usable record; or tuning had no time left for the problem."""

    status = _abi.ATC_ERROR_NOT_TUNED


class OutOfMemory(Error, MemoryError):
    """Host or device memory was not enough."""

    status = _abi.ATC_ERROR_OUT_OF_MEMORY


class DeviceError(Error):
    """CUDA or its driver failed."""

    status = _abi.ATC_ERROR_DEVICE


class LibraryError(Error):
    """A library (libatc itself, cuDNN, LibTorch, ...) is missing, too old, or two versions are mixed."""

    status = _abi.ATC_ERROR_LIBRARY


class FileError(Error):
    """A file or directory could not be read or written."""

    status = _abi.ATC_ERROR_IO


class BadRecord(Error, ValueError):
    """Stored or imported bytes that are no valid entry or bundle."""

    status = _abi.ATC_ERROR_BAD_RECORD


class Capturing(Error):
    """Tuning was asked for inside a stream capture."""

    status = _abi.ATC_ERROR_CAPTURING


class Busy(Error):
    """The object is in use, or the call would wait for the callback that makes it."""

    status = _abi.ATC_ERROR_BUSY


class Cancelled(Error):
    """A progress callback returned False."""

    status = _abi.ATC_ERROR_CANCELLED


class InternalError(Error):
    """A fault of atc itself."""

    status = _abi.ATC_ERROR_INTERNAL


class NotAgreed(Error):
    """The ranks of a job have not agreed, and nothing new is used; the text names a rank and the reason."""

    status = _abi.ATC_ERROR_NOT_AGREED


_CLASSES: Dict[int, Type[Error]] = {
    one.status: one for one in (InvalidArgument, Unsupported, NotTuned, OutOfMemory, DeviceError, LibraryError,
                                FileError, BadRecord, Capturing, Busy, Cancelled, InternalError, NotAgreed)}


def error_of(status: int, text: str) -> Error:
    """The error for a status; one that this version does not know becomes an `Error` with its number."""
    known = _CLASSES.get(status)
    return known(text) if known else Error(text or f"status {status}", status)
