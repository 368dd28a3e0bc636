"""The errors of libatc. Each status of libatc has a class. libatc writes the texts of the errors."""

from __future__ import annotations

from typing import Dict, Optional, Type

from . import _abi


class Error(Exception):
    """An error of a call of libatc. `str(error)` is a sentence that names the wrong value and a remedy. Programs
    should distinguish errors by the class or by `status` (the number `ATC_ERROR_*` of libatc), not by the text."""

    status: int = 0

    def __init__(self, text: str, status: Optional[int] = None) -> None:
        super().__init__(text)
        if status is not None:
            self.status = status


class InvalidArgument(Error, ValueError):
    """A value is invalid on every machine. The text names the value."""

    status = _abi.ATC_ERROR_INVALID_ARGUMENT


class Unsupported(Error):
    """The request is valid, but no engine of this machine can run it."""

    status = _abi.ATC_ERROR_UNSUPPORTED


class NotTuned(Error):
    """The store is opened as "replay-only" and has no usable record, or tuning had no time left for the problem."""

    status = _abi.ATC_ERROR_NOT_TUNED


class OutOfMemory(Error, MemoryError):
    """Host or device memory was not enough."""

    status = _abi.ATC_ERROR_OUT_OF_MEMORY


class DeviceError(Error):
    """CUDA or its driver failed."""

    status = _abi.ATC_ERROR_DEVICE


class LibraryError(Error):
    """A library (libatc, cuDNN, LibTorch, ...) is missing or too old, or two versions of a library are mixed."""

    status = _abi.ATC_ERROR_LIBRARY


class FileError(Error):
    """A file or directory could not be read or written."""

    status = _abi.ATC_ERROR_IO


class BadRecord(Error, ValueError):
    """Stored or imported bytes are no valid entry or bundle."""

    status = _abi.ATC_ERROR_BAD_RECORD


class Capturing(Error):
    """Tuning was asked for inside a stream capture."""

    status = _abi.ATC_ERROR_CAPTURING


class Busy(Error):
    """The object is in use. Or a callback made a call that would have to wait for this callback."""

    status = _abi.ATC_ERROR_BUSY


class Cancelled(Error):
    """A progress callback returned False."""

    status = _abi.ATC_ERROR_CANCELLED


class InternalError(Error):
    """A fault of atc itself."""

    status = _abi.ATC_ERROR_INTERNAL


class NotAgreed(Error):
    """The ranks of a job have not agreed on decisions, so no new decision is used. The text names a rank and the
    reason."""

    status = _abi.ATC_ERROR_NOT_AGREED


_CLASSES: Dict[int, Type[Error]] = {
    one.status: one for one in (InvalidArgument, Unsupported, NotTuned, OutOfMemory, DeviceError, LibraryError,
                                FileError, BadRecord, Capturing, Busy, Cancelled, InternalError, NotAgreed)}


def error_of(status: int, text: str) -> Error:
    """Returns the error for a status. A status that this version does not know becomes an `Error` with
    its number."""
    known = _CLASSES.get(status)
    return known(text) if known else Error(text or f"status {status}", status)
