"""Every convolution of a PyTorch program through atc, in unchanged models.

    import atc, torch
    atc.torch.install(tune=True)

The package needs no torch of its own: it serves the one that the interpreter has. A model's result changes only where a
store is in use or tuning is on, and only to another implementation that was measured to be faster.
"""

from __future__ import annotations

import ctypes
import importlib
import os
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Dict, Optional

from . import _abi
from ._errors import InvalidArgument, LibraryError
from ._group import Group
from ._library import Library, check, libatc, loaded_file
from ._names import TORCH_CUDA, TORCH_PASSED, name_of
from ._options import TorchOptions, torch_options
from ._problems import Problems
from ._progress import OnProgress
from ._torch_group import TorchGroup
from ._tune import TuneReport, tune
from ._text import PathLike, c_path, fixed_path, text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import TuneOptions

NAME = "libatc_torch.so.1"

_lock = threading.Lock()
_opened: Optional[Library] = None


def file() -> str:
    """The file of the bridge: beside libatc, else its name alone, for the dynamic linker. For `atc tune --plugin`."""
    folder = os.path.dirname(loaded_file() or libatc().file)
    beside = os.path.join(folder, NAME)
    return beside if folder and os.path.exists(beside) else NAME


def _bridge() -> Library:
    """libatc_torch, opened at the first call, on the LibTorch of the interpreter's torch."""
    global _opened
    with _lock:
        if _opened is None:
            missing = ""
            try:
                importlib.import_module("torch")
            except (ImportError, OSError) as error:  # OSError: of its libraries one is missing
                missing = f" (import torch: {error})"
            try:
                _opened = Library(ctypes.CDLL(file()), _abi.TORCH_FUNCTIONS, file())
            except OSError as error:
                raise LibraryError(f"{NAME} cannot be opened: {error}{missing}. It needs the torch that it was built "
                                   "for; docs/libtorch.md says which") from None
        return _opened


def _call(name: str, *arguments: Any) -> None:
    check(getattr(_bridge(), f"torch_{name}")(*arguments))


def init() -> None:
    """Makes one set of switches of `atc.settings` and `torch.backends`, seeds and memory too, and registers LibTorch's
    own convolution as the engine `aten`. `LibraryError`: torch is not a version that the bridge has a build for.

    No other thread may convolve during the first call of `init`, `install` or `record` in the process, nor during the
    first one after libtorch_cuda was loaded; any thread, at any time, may make later ones."""
    _call("init")


def install(**options: Unpack[TorchOptions]) -> None:
    """From now on every convolution of the process, forward and backward, goes through atc; includes `init`, whose rule
    about other threads holds here too. Another call replaces the options.

    tune: measure convolutions for which no decision is known. "later": measure nothing, and note them, so that
    `atc.tune(atc.Problems.noted())` measures them between steps. Default: ATC_TUNE, else `torch.backends.cudnn.benchmark` on CUDA, False
    on the CPU. In a job of several ranks (WORLD_SIZE above 1) True means "later", with one warning. budget: seconds of a race, default 2. constant_weights: on the CPU, pack weights that need no gradient
    (`model.requires_grad_(False)`) and stay the same; code that trained them before, or writes to some of their
    elements through `.data`, calls `forget_weights`. require_firm: provisional
    records are not used. strict_precision: LibTorch's own convolution is refused where it is less precise than the
    switches allow. Without a store (`atc.Store.use`, ATC_STORE) and without tuning nothing is measured and nothing
    changes. A convolution without a record in a "replay-only" store, or with a pin that cannot be obeyed, is torch's
    RuntimeError."""
    _call("install", ctypes.byref(torch_options(dict(options))))


def uninstall() -> None:
    """LibTorch's own convolutions run again; the switches stay shared."""
    _call("uninstall")


def tune_together(device: Any = None, *, group: Optional[Group] = None, progress: Optional[OnProgress] = None,
                  **options: Unpack[TuneOptions]) -> TuneReport:
    """Measures what the ranks of a job have noted (`install(tune="later")`), together: all ranks call this function
    between two steps. Afterwards ranks with equal devices and versions run the same choices.

        torch.distributed.init_process_group("nccl")
        atc.torch.install(tune="later")
        train_one_step()
        atc.torch.tune_together()

    device: where this rank tunes. Default: its current CUDA device if there is one, else the CPU. group: default
    `TorchGroup()`, the ranks of torch.distributed. `NotAgreed` names the rank because of which nothing new is used: the
    program may go on, or call again."""
    if device is None:
        cuda = importlib.import_module("torch").cuda
        device = f"cuda:{cuda.current_device()}" if cuda.is_available() else "cpu"
    return tune(Problems.noted(), device, group=TorchGroup() if group is None else group, progress=progress, **options)


def load_cuda() -> None:
    """Loads libtorch_cuda, before anything asks LibTorch for CUDA. `LibraryError`: it is absent, cannot be loaded, or
    LibTorch has been asked before."""
    _call("load_cuda")


def forget_weights() -> None:
    """Drops the packed weights of `constant_weights`, and forgets which weights needed a gradient in earlier
    convolutions."""
    _call("forget_weights")


@dataclass(frozen=True)
class Info:
    """LibTorch and the bridge."""

    initialized: bool
    installed: bool
    version: str  # of the running LibTorch
    built_for: str  # the version of the build that serves it; without one, the versions that there are builds for
    file: str  # libtorch_cpu
    cuda: str  # "absent", "not-loaded" (torch works without CUDA) or "loaded"
    cuda_available: bool
    cuda_file: str
    cudnn_version: Optional[int]


def describe() -> Info:
    """Needs no `init`."""
    raw = _abi.atc_torch_info(struct_size=ctypes.sizeof(_abi.atc_torch_info))
    _call("describe", ctypes.byref(raw))
    return Info(initialized=bool(raw.initialized), installed=bool(raw.installed), version=text(raw.version),
                built_for=text(raw.built_for), file=fixed_path(raw.file), cuda=name_of(raw.cuda, TORCH_CUDA),
                cuda_available=bool(raw.cuda_available), cuda_file=fixed_path(raw.cuda_file),
                cudnn_version=raw.cudnn_version or None)


@dataclass(frozen=True)
class Statistics:
    """Convolutions since the start or `reset_statistics`; each direction counts as one."""

    taken: int  # that atc ran
    passed: Dict[str, int]  # left to LibTorch, by reason: "nothing-known", "chosen", "not-recorded", "dtype", ...


def statistics() -> Statistics:
    """Counts of all threads."""
    raw = _abi.atc_torch_statistics(struct_size=ctypes.sizeof(_abi.atc_torch_statistics))
    _call("statistics_get", ctypes.byref(raw))
    return Statistics(raw.taken, {name: raw.passed[index] for name, index in TORCH_PASSED.items()})


def reset_statistics() -> None:
    """Sets every count to 0."""
    _call("statistics_reset")


class Recording:
    """A running recording; a process has at most one. Used with `with`, whose end is a `stop`, or ended by `stop`."""

    def __init__(self, file: PathLike) -> None:
        _call("record_start", c_path("file", file))
        self.file = os.fspath(file)
        self.distinct: Optional[int] = None  # convolutions in the file, once it is written

    def stop(self) -> int:
        """Writes the file and returns how many distinct convolutions it holds. `FileError`: it could not be written;
        the recording goes on, and `stop` may be called again. The end of the process writes nothing."""
        if self.distinct is not None:
            raise InvalidArgument(f"the recording {self.file} has ended")
        distinct = ctypes.c_uint64()
        _call("record_stop", ctypes.byref(distinct))
        self.distinct = distinct.value
        return self.distinct

    def __enter__(self) -> Recording:
        return self

    def __exit__(self, *_raised: object) -> None:
        if self.distinct is None:
            self.stop()


def record(file: PathLike) -> Recording:
    """Notes each distinct convolution of the process from now on: direction, shapes, types, layouts, how often it ran.
    The end of the recording writes `file`, which `atc tune` reads. Works with and without `install`; includes `init`,
    whose rule about other threads holds here too. `Busy`: a recording is going on, perhaps that of ATC_RECORD;
    `FileError`: `file` cannot be written.

        with atc.torch.record("convolutions.json"):
            model(images)
    """
    return Recording(file)
