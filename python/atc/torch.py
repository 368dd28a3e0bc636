"""Makes every convolution of a PyTorch program go through atc, in unchanged models.

    import atc, torch
    atc.torch.install(tune=True)

The package does not contain torch. It uses the torch that is installed for the interpreter. The results of a model
change only if a store is in use or tuning is on. The results then change because a convolution runs by another
implementation, which was measured or predicted to be faster."""

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
from ._option_fields import TorchOptions
from ._options import torch_options
from ._problems import Problems
from ._progress import OnProgress
from ._torch_group import TorchGroup
from ._tune import TuneReport, tune
from ._text import PathLike, c_path, fixed_path, text

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._option_fields import TuneOptions

NAME = "libatc_torch.so.1"

_lock = threading.Lock()
_opened: Optional[Library] = None


def file() -> str:
    """Returns the path of the bridge (libatc_torch) beside libatc. If there is no such file, returns the name of the
    library, for the dynamic linker. `atc tune --plugin` takes this path."""
    folder = os.path.dirname(loaded_file() or libatc().file)
    beside = os.path.join(folder, NAME)
    return beside if folder and os.path.exists(beside) else NAME


def _bridge() -> Library:
    """Returns libatc_torch, which the first call opens. libatc_torch works with the LibTorch of the interpreter's
    torch."""
    global _opened
    with _lock:
        if _opened is None:
            missing = ""
            try:
                importlib.import_module("torch")
            # An OSError means that one of torch's libraries is missing
            except (ImportError, OSError) as error:
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
    """Connects atc with LibTorch: `atc.settings` and `torch.backends` become one set of switches, atc uses LibTorch's
    seeds and memory, and LibTorch's own convolution becomes the engine `aten`. `LibraryError`: the bridge has no build
    for this version of torch. No other thread may convolve during the first call of `init`, `install` or `record` in
    the process, nor during the first such call after libtorch_cuda was loaded. Later calls may be made by any thread at
    any time."""
    _call("init")


def install(**options: Unpack[TorchOptions]) -> None:
    """Installs atc in LibTorch: from now on every convolution of the process, forward and backward, goes through atc.
    The call includes `init`, so the rule of `init` about other threads holds here, too. A further call of `install`
    replaces the options.

        tune              how a convolution without a decision is decided. True: its first call measures the candidates
                          (implementations). "later": nothing is measured, and the convolution is noted, so that
                          `atc.tune(atc.Problems.noted())` can measure it between steps. "beside": calls of the program
                          run and time candidates, and no call waits. "predict": nothing is measured, and the candidate
                          runs that was the fastest in similar layers. Default: ATC_TUNE, else
                          `torch.backends.cudnn.benchmark` on CUDA, False on the CPU. In a job of several ranks
                          (WORLD_SIZE above 1) True means "later", and one warning is logged
        budget            most seconds for measuring one convolution, default 2
        constant_weights  on the CPU, pack weights that need no gradient (`model.requires_grad_(False)`) and do not
                          change. Call `forget_weights` if the weights were trained before, or are written through
                          `.data`
        require_firm      provisional (uncertain) decisions are not used
        strict_precision  LibTorch's own convolution is refused if it is less precise than the switches allow

    Without a store (`atc.Store.use`, ATC_STORE) and without tuning, nothing is measured, and the convolutions run as
    before. torch raises a RuntimeError in two cases: a convolution has no record in a "replay-only" store, or a pin for
    a convolution cannot be obeyed."""
    _call("install", ctypes.byref(torch_options(dict(options))))


def uninstall() -> None:
    """Ends the effect of `install`: LibTorch's own convolutions run again. `atc.settings` and `torch.backends` remain
    one set of switches."""
    _call("uninstall")


def tune_together(device: Any = None, *, group: Optional[Group] = None, progress: Optional[OnProgress] = None,
                  **options: Unpack[TuneOptions]) -> TuneReport:
    """Measures the convolutions that the ranks of a job have noted (`install(tune="later")`). All ranks must call this
    function between the same two steps. Afterwards ranks with equal devices and versions run the same choices.

        torch.distributed.init_process_group("nccl")
        atc.torch.install(tune="later")
        train_one_step()
        atc.torch.tune_together()

    device: where this rank tunes. Default: its current CUDA device if there is one, else the CPU. group: default
    `TorchGroup()`, the ranks of torch.distributed. `NotAgreed`: the ranks did not agree, and no new decision is used.
    The text names the rank that is the reason. The program may continue, or call the function again."""
    if device is None:
        cuda = importlib.import_module("torch").cuda
        device = f"cuda:{cuda.current_device()}" if cuda.is_available() else "cpu"
    return tune(Problems.noted(), device, group=TorchGroup() if group is None else group, progress=progress, **options)


def load_cuda() -> None:
    """Loads libtorch_cuda. Must be called before any code asks LibTorch whether CUDA is available, because LibTorch
    remembers the answer. `LibraryError`: libtorch_cuda is absent or cannot be loaded, or LibTorch was asked before."""
    _call("load_cuda")


def forget_weights() -> None:
    """Drops the packed weights that the option `constant_weights` has made, and forgets which weights needed a gradient
    in earlier convolutions."""
    _call("forget_weights")


@dataclass(frozen=True)
class Info:
    """The state of LibTorch and of the bridge between atc and LibTorch."""

    initialized: bool
    installed: bool
    version: str  # the version of the LibTorch that is loaded
    # The LibTorch version for which the loaded build of the bridge was compiled. If the bridge has no build for this
    # LibTorch: the versions for which it has builds.
    built_for: str
    file: str  # the path of libtorch_cpu
    # The state of LibTorch's CUDA library: "absent", "not-loaded" (torch works without CUDA) or "loaded"
    cuda: str
    cuda_available: bool
    cuda_file: str
    cudnn_version: Optional[int]


def describe() -> Info:
    """Returns the state of LibTorch and of the bridge. May be called before `init`."""
    raw = _abi.atc_torch_info(struct_size=ctypes.sizeof(_abi.atc_torch_info))
    _call("describe", ctypes.byref(raw))
    return Info(initialized=bool(raw.initialized), installed=bool(raw.installed), version=text(raw.version),
                built_for=text(raw.built_for), file=fixed_path(raw.file), cuda=name_of(raw.cuda, TORCH_CUDA),
                cuda_available=bool(raw.cuda_available), cuda_file=fixed_path(raw.cuda_file),
                cudnn_version=raw.cudnn_version or None)


@dataclass(frozen=True)
class Statistics:
    """Counts of convolutions since the start of the process or the last `reset_statistics`. Forward and each gradient
    count as one convolution each."""

    taken: int  # the number of convolutions that atc ran
    # The number of convolutions that LibTorch ran, by reason: "nothing-known", "chosen", "not-recorded", "dtype", ...
    passed: Dict[str, int]


def statistics() -> Statistics:
    """Returns how many convolutions atc and LibTorch have run, over all threads of the process."""
    raw = _abi.atc_torch_statistics(struct_size=ctypes.sizeof(_abi.atc_torch_statistics))
    _call("statistics_get", ctypes.byref(raw))
    return Statistics(raw.taken, {name: raw.passed[index] for name, index in TORCH_PASSED.items()})


def reset_statistics() -> None:
    """Sets every count of `statistics` to 0."""
    _call("statistics_reset")


class Recording:
    """A running recording of the convolutions of the process (`record`). A process has at most one recording. The
    recording ends with `stop`, or at the end of a `with` block."""

    def __init__(self, file: PathLike) -> None:
        _call("record_start", c_path("file", file))
        self.file = os.fspath(file)
        self.distinct: Optional[int] = None  # the number of convolutions in the file; None: the file is not written yet

    def stop(self) -> int:
        """Writes the file, and returns the number of distinct convolutions in it. `FileError`: the file could not be
        written. In this case the recording continues, and `stop` may be called again. If `stop` is never called, no
        file is written."""
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
    """Starts a recording. From now on each distinct convolution of the process is recorded, with direction, shapes,
    types, layouts, and the number of its runs. When the recording ends, `file` is written, which `atc tune` can read. A
    recording works with and without `install`. The call includes `init`, so the rule of `init` about other threads
    holds here, too. `Busy`: another recording is running, perhaps the recording of ATC_RECORD. `FileError`: `file`
    cannot be written.

        with atc.torch.record("convolutions.json"):
            model(images)"""
    return Recording(file)
