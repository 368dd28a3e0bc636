"""atc (autotuned convolution): tunes convolutions, records the decisions, runs the fastest implementation.

    import atc

    problem = atc.Problem(batch=8, in_channels=64, input=(56, 56), out_channels=64, kernel=3, padding=1)
    atc.Store("tuned").use()
    print(atc.tune([problem]))
    atc.Plan(problem).execute(x=x, w=w, y=y)

Tensors come from numpy, torch, cupy, jax or any library with DLPack. Errors are `atc.Error`. `atc.torch` puts atc under
the convolutions of PyTorch.
"""

from . import torch
from ._abi import ATC_VERSION_MAJOR, ATC_VERSION_MINOR, ATC_VERSION_PATCH
from ._candidate import Candidate, Timing
from ._device import (DeviceInfo, LibraryInfo, cuda_device_count, cuda_is_available, cudnn_is_available, cudnn_version,
                      describe_device, faults, libraries, manual_seed, synchronize)
from ._errors import (BadRecord, Busy, Cancelled, Capturing, DeviceError, Error, FileError, InternalError,
                      InvalidArgument, LibraryError, NotAgreed, NotTuned, OutOfMemory, Unsupported)
from ._explain import Entrant, Explanation, decisions_digest, explain
from ._group import Agreement, FolderGroup, Group, RankClass
from ._library import libatc as _libatc
from ._option_fields import PlanOptions, TuneOptions
from ._options import UNLIMITED
from ._plan import Plan, convolution, pins_for
from ._problem import Problem
from ._problems import Problems, forget_noted
from ._progress import OnProgress, Progress
from ._settings import Settings, scoped, set_pins, set_reproducible, settings
from ._store import Imported, Store
from ._text import text as _text
from ._tune import TunedProblem, TuneReport, tune

__version__ = f"{ATC_VERSION_MAJOR}.{ATC_VERSION_MINOR}.{ATC_VERSION_PATCH}"


def version() -> str:
    """The version of the running libatc. `__version__` is the version of the package."""
    return _text(_libatc().version_string())


__all__ = [
    "Agreement", "BadRecord", "Busy", "Cancelled", "Candidate", "Capturing", "DeviceError", "DeviceInfo", "Entrant", "Error",
    "Explanation", "FileError", "FolderGroup", "Group", "Imported", "InternalError", "InvalidArgument", "LibraryError", "LibraryInfo",
    "NotAgreed", "NotTuned", "OnProgress", "OutOfMemory", "Plan", "PlanOptions", "Problem", "Problems", "Progress", "RankClass", "Settings", "Store",
    "Timing", "TuneOptions", "TuneReport", "TunedProblem", "UNLIMITED", "Unsupported", "convolution",
    "cuda_device_count", "cuda_is_available", "cudnn_is_available", "cudnn_version", "decisions_digest", "describe_device", "explain",
    "faults", "forget_noted", "libraries", "manual_seed", "pins_for", "scoped", "set_pins", "set_reproducible", "settings", "synchronize",
    "torch", "tune", "version",
]
