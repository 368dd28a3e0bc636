"""Convolutions that run: plans, and single calls."""

from __future__ import annotations

import ctypes
import json
import threading
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from ._candidate import Candidate, candidates_of
from ._device import device_name, raw_device
from ._dlpack import Borrowed, Tensor
from ._errors import InvalidArgument
from ._handle import Handle, query, read_bytes
from ._library import call, check, libatc
from ._names import SOURCES, name_of
from ._numbers import integer
from ._options import PlanOptions, plan_options
from ._problem import Problem
from ._progress import OnProgress, Relay
from ._text import c_text, text

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OUTPUTS = {"forward": "y", "backward-data": "x", "backward-weight": "w"}


class Plan:
    """A decided convolution, prepared to run on one device.

        plan = atc.Plan(atc.Problem(batch=8, in_channels=64, input=(56, 56), out_channels=64, kernel=3), tune=True)
        plan.execute(x=x, w=w, y=y)

    Any thread may use a plan; calls on one plan wait for each other.
    """

    def __init__(self, problem: Problem, device: Any = "cpu", *, choice: Optional[str] = None,
                 progress: Optional[OnProgress] = None, **options: Unpack[PlanOptions]) -> None:
        """Decides, by `choice` (a text from `Plan.choice`), pins, the store, what the process has measured or, with
        `tune`, a race; and prepares. `progress` is called during a race, on this thread; where it returns False the
        plan is not made (`Cancelled`), and what it raises comes out of this call.

        `InvalidArgument` names the field; `Unsupported`: no engine can, or a choice or pin cannot be obeyed;
        `NotTuned`: the store is replay-only and has no record; `Capturing`: `tune` inside of a stream capture."""
        self.problem = problem
        self._target = raw_device(device)
        raw_problem, raw_options, relay = problem._raw(), plan_options(dict(options)), Relay(progress)
        raw_options.progress = relay.callback
        if choice is not None:
            raw_options.choice = c_text("choice", choice)
        out, library = ctypes.c_void_p(), libatc()
        status = library.conv_plan_create(ctypes.byref(out), self._target, ctypes.byref(raw_problem),
                                          ctypes.byref(raw_options))
        self._handle = Handle(out.value, library.conv_plan_destroy) if out.value else None
        self._lock = threading.Lock()
        relay.end()
        check(status)

    def close(self) -> None:
        """Frees what the plan holds once a call that runs has returned; a second time does nothing."""
        self._handle = None

    def __enter__(self) -> Plan:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Plan({self.choice!r} on {self.device})" if self._handle else "<closed Plan>"

    def _live(self) -> Handle:
        handle = self._handle
        if handle is None:
            raise InvalidArgument("the plan is closed: make a new one")
        return handle

    def execute(self, *, x: Optional[Tensor] = None, w: Optional[Tensor] = None, bias: Optional[Tensor] = None,
                y: Optional[Tensor] = None, workspace: Optional[Tensor] = None, stream: int = 0) -> Any:
        """Runs the plan and returns the output: y, or x or w of the backward directions. All of x, w and y are given;
        w may be left out after `set_weights`, `bias` belongs to an epilogue.

        Tensors have `__dlpack__` and `__dlpack_device__`, the problem's shapes, strides and types, and lie on the
        plan's device. On the CPU the output is written when the call returns. On CUDA the call queues its work on
        `stream` (a cudaStream_t as an integer; 0: the default stream), which first waits for what the tensors' library
        has queued; tensors stay alive and unchanged until the stream has passed the work, and what reads the output on
        another stream waits for `stream` itself. `workspace` is a dense tensor of at least `workspace_size` bytes,
        aligned to 64 bytes on the CPU and 256 on CUDA; without one atc provides it. `InvalidArgument` names the operand
        and what is wrong with it."""
        stream = integer("stream", stream, signed=False)
        operands = _borrow(self.problem, x, w, bias, y, stream)
        memory, size, kept = None, 0, None
        if workspace is not None:
            kept = Borrowed("workspace", workspace, stream, output=True)
            memory, size = kept.memory("workspace")
        with self._lock:
            handle = self._live()
            call("conv_plan_execute", handle.pointer, *[one and one.pointer for one in operands], memory, size, stream)
        del kept
        return {"x": x, "w": w, "y": y}[_OUTPUTS[self.problem.direction]]

    def set_weights(self, w: Tensor) -> None:
        """Packs weights that stay the same; `execute` then takes no w. The tensor is read before the call returns. On
        CUDA it is read in the order of the default stream. `InvalidArgument` for backward-weight, whose w is the
        output."""
        view = Borrowed("w", w, 0, output=False)
        with self._lock:
            handle = self._live()
            call("conv_plan_set_weights", handle.pointer, view.pointer)

    def sample(self, count: int, seed: int = 0) -> List[float]:
        """Runs the plan once on operands of its own, normally distributed numbers from `seed`, and returns `count`
        elements of the output, evenly spread. Equal seeds give equal operands on every machine."""
        count = integer("count", count, 32, signed=False)
        values = (ctypes.c_double * count)()
        with self._lock:
            handle = self._live()
            call("conv_plan_sample", values, count, handle.pointer, integer("seed", seed, signed=False))
        return list(values)

    @property
    def device(self) -> str:
        """"cpu" or "cuda:INDEX"."""
        return device_name(self._target)

    @property
    def choice(self) -> str:
        """What was decided: "engine@version:configuration", with "rewrite@version>" in front for each rewrite."""
        return text(self._query("conv_plan_choice", ctypes.c_char_p))

    @property
    def source(self) -> str:
        """How it was decided: "given", "record", "inherited", "memory", "tuned", "default", "reference", "pinned",
        "agreed"."""
        return name_of(self._query("conv_plan_source", ctypes.c_int32), SOURCES)

    @property
    def provisional(self) -> Optional[float]:
        """Of a provisional decision, whose race could not tell the choice from other candidates with certainty: by how
        much the choice may be slower than one of them, relative. None: the decision is firm, or nothing was
        measured."""
        risk = ctypes.c_double()
        with self._lock:
            handle = self._live()
            found = query("conv_plan_provisional", ctypes.c_int32, ctypes.byref(risk), handle.pointer)
        return risk.value if found else None

    @property
    def workspace_size(self) -> int:
        """Bytes that `execute` needs as workspace."""
        return int(self._query("conv_plan_workspace_size", ctypes.c_uint64))

    @property
    def candidates(self) -> Tuple[Candidate, ...]:
        """The candidates among which the decision was made, with times if a race of this process or a record measured
        them."""
        with self._lock:
            handle = self._live()
            count = query("conv_plan_candidate_count", ctypes.c_size_t, handle.pointer)
            return candidates_of("conv_plan_candidate", count, handle.pointer)

    def _query(self, function: str, kind: Any) -> Any:
        with self._lock:
            handle = self._live()
            return query(function, kind, handle.pointer)


def convolution(problem: Problem, *, x: Tensor, w: Tensor, y: Tensor, bias: Optional[Tensor] = None,
                stream: int = 0) -> Any:
    """Runs a convolution by a plan that atc makes, by the settings in force, and keeps for the next such call.
    Operands, result, streams and errors as for `Plan.execute` and `Plan`; the device is the tensors'. Any number of
    threads at once."""
    stream = integer("stream", stream, signed=False)
    raw_problem, operands = problem._raw(), _borrow(problem, x, w, bias, y, stream)
    call("convolution", ctypes.byref(raw_problem), *[one and one.pointer for one in operands], stream)
    return {"x": x, "w": w, "y": y}[_OUTPUTS[problem.direction]]


def _borrow(problem: Problem, x: Any, w: Any, bias: Any, y: Any, stream: int) -> List[Optional[Borrowed]]:
    """Views of the operands that are given; libatc names one that is missing."""
    output = _OUTPUTS[problem.direction]
    return [None if tensor is None else Borrowed(name, tensor, stream, output=name == output)
            for name, tensor in (("x", x), ("w", w), ("bias", bias), ("y", y))]


def pins_for(problem: Problem, device: Any = "cpu", **options: Unpack[PlanOptions]) -> List[Dict[str, Any]]:
    """The pins in force that a plan obeys: dictionaries with "number", "line", "name" and "choice" or "bar". The pin
    whose choice the plan takes, or all bars that hold; empty where no pin is for the problem. Nothing is built."""
    raw_problem, raw_options = problem._raw(), plan_options(dict(options))
    return list(json.loads(read_bytes("conv_pins", raw_device(device), ctypes.byref(raw_problem),
                                      ctypes.byref(raw_options))))
