"""Runs convolutions: plans, and single calls."""

from __future__ import annotations

import ctypes
import json
import threading
from typing import TYPE_CHECKING, Any, Dict, List, Optional, Tuple

from . import _abi
from ._candidate import Candidate, candidates_of
from ._device import device_name, raw_device
from ._dlpack import Borrowed, Tensor
from ._errors import InvalidArgument
from ._handle import Handle, query, read_bytes
from ._library import call, check, libatc
from ._names import SOURCES, name_of
from ._numbers import integer
from ._option_fields import PlanOptions
from ._options import plan_options
from ._problem import Problem
from ._progress import OnProgress, Relay
from ._text import c_text, text

if TYPE_CHECKING:
    from typing_extensions import Unpack

_OUTPUTS = {"forward": "y", "backward-data": "x", "backward-weight": "w"}


class Plan:
    """A plan: a convolution that is prepared to run on one device, by the implementation that was chosen for it.

        plan = atc.Plan(atc.Problem(batch=8, in_channels=64, input=(56, 56), out_channels=64, kernel=3), tune=True)
        plan.execute(x=x, w=w, y=y)

    Any thread may use a plan. Calls on the same plan run one after the other."""

    def __init__(self, problem: Problem, device: Any = "cpu", *, choice: Optional[str] = None,
                 progress: Optional[OnProgress] = None, **options: Unpack[PlanOptions]) -> None:
        """Decides which implementation runs, and prepares the plan. The decision comes from the first of these
        sources that has a decision: `choice` (a text from `Plan.choice`), pins, the store, the memory of this
        process. If none has a decision and `tune` is on, a race times the candidates against each other; otherwise
        the default engine runs. `progress` is called during a race, on this thread. If it returns False, no plan is
        made (`Cancelled`). If it raises an exception, this call raises it.

        `InvalidArgument` names the field. `Unsupported`: no engine can run the problem, or a choice or pin
        cannot be obeyed. `NotTuned`: the store is replay-only and has no record. `Capturing`: `tune` is on
        inside of a stream capture."""
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
        """Destroys the plan. If another call on the plan is running, waits until it has returned. A second call of
        `close` does nothing."""
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
                y: Optional[Tensor] = None, scale: Optional[Tensor] = None, residual: Optional[Tensor] = None,
                workspace: Optional[Tensor] = None, stream: int = 0) -> Any:
        """Runs the plan and returns the output: y, or x or w in the backward directions. x, w and y must be given.
        After `set_weights`, w may be left out. `bias` must be given if the problem has an epilogue, and `scale` and
        `residual` if the problem has them. The residual must not be y itself.

        Tensors must have the methods `__dlpack__` and `__dlpack_device__`. They must have the shapes, strides and
        types of the problem, and must be on the device of the plan. On the CPU the output has been written when the
        call returns. On CUDA the call queues its work on `stream` (a cudaStream_t as an integer; 0: the default
        stream). `stream` first waits for the work that the library of the tensors has queued. The tensors must stay
        alive and unchanged until the stream has done the work. Code that reads the output on another stream must make
        that stream wait for `stream`.

        `workspace` is a dense tensor of at least `workspace_size` bytes, aligned to 64 bytes on the CPU and to 256 on
        CUDA. If `workspace` is not given, atc provides a workspace. `InvalidArgument` names the operand and the
        fault."""
        stream = integer("stream", stream, signed=False)
        operands = _Operands(self.problem, stream, x=x, w=w, bias=bias, y=y, scale=scale, residual=residual)
        memory, size, kept = None, 0, None
        if workspace is not None:
            kept = Borrowed("workspace", workspace, stream, output=True)
            memory, size = kept.memory("workspace")
        with self._lock:
            handle = self._live()
            call("conv_plan_execute_v2", handle.pointer, operands.pointer, memory, size, stream)
        del kept
        return {"x": x, "w": w, "y": y}[_OUTPUTS[self.problem.direction]]

    def set_weights(self, w: Tensor) -> None:
        """Packs constant weights for this plan; `execute` can then be called without w. The tensor is read before the
        call returns. On CUDA the tensor is read in the order of the default stream. `InvalidArgument`: the problem is
        backward-weight, whose w is the output."""
        view = Borrowed("w", w, 0, output=False)
        with self._lock:
            handle = self._live()
            call("conv_plan_set_weights", handle.pointer, view.pointer)

    def sample(self, count: int, seed: int = 0) -> List[float]:
        """Runs the plan once on operands that atc fills with normally distributed numbers. Returns `count` elements
        at evenly spaced positions of the output. Equal seeds give equal operands on every machine."""
        count = integer("count", count, 32, signed=False)
        values = (ctypes.c_double * count)()
        with self._lock:
            handle = self._live()
            call("conv_plan_sample", values, count, handle.pointer, integer("seed", seed, signed=False))
        return list(values)

    @property
    def device(self) -> str:
        """The device of the plan: "cpu" or "cuda:INDEX"."""
        return device_name(self._target)

    @property
    def choice(self) -> str:
        """The implementation that the plan runs, as "engine@version:configuration". For each rewrite of the problem,
        "rewrite@version>" is put in front of this text."""
        return text(self._query("conv_plan_choice", ctypes.c_char_p))

    @property
    def source(self) -> str:
        """The source of the decision: "given", "record", "inherited", "memory", "tuned", "default", "reference",
        "pinned", "agreed", "beside", "predicted", "adopted"."""
        return name_of(self._query("conv_plan_source", ctypes.c_int32), SOURCES)

    @property
    def provisional(self) -> Optional[float]:
        """If the decision is provisional (uncertain, because the race could not show that the choice is the fastest),
        this is the fraction by which the choice may be slower than another candidate (0.1: 10 %). None: the decision is
        firm, or nothing was measured."""
        risk = ctypes.c_double()
        with self._lock:
            handle = self._live()
            found = query("conv_plan_provisional", ctypes.c_int32, ctypes.byref(risk), handle.pointer)
        return risk.value if found else None

    @property
    def workspace_size(self) -> int:
        """The number of bytes of workspace that `execute` needs."""
        return int(self._query("conv_plan_workspace_size", ctypes.c_uint64))

    @property
    def candidates(self) -> Tuple[Candidate, ...]:
        """The candidates among which the decision was made. Candidates have times if a race of this process has
        measured them, or if the store's record contains their times."""
        with self._lock:
            handle = self._live()
            count = query("conv_plan_candidate_count", ctypes.c_size_t, handle.pointer)
            return candidates_of("conv_plan_candidate", count, handle.pointer)

    def _query(self, function: str, kind: Any) -> Any:
        with self._lock:
            handle = self._live()
            return query(function, kind, handle.pointer)


def convolution(problem: Problem, *, x: Tensor, w: Tensor, y: Tensor, bias: Optional[Tensor] = None,
                scale: Optional[Tensor] = None, residual: Optional[Tensor] = None, stream: int = 0) -> Any:
    """Runs a convolution without a plan of the caller. atc makes a plan with the settings in force, and keeps the
    plan for the next call of an equal problem. The convolution runs on the device of the tensors. For operands,
    result, streams and errors see `Plan.execute` and `Plan`. Any number of threads may call the function at the same
    time."""
    stream = integer("stream", stream, signed=False)
    operands = _Operands(problem, stream, x=x, w=w, bias=bias, y=y, scale=scale, residual=residual)
    call("convolution_v2", ctypes.byref(problem._raw()), operands.pointer, stream)
    return {"x": x, "w": w, "y": y}[_OUTPUTS[problem.direction]]


class _Operands:
    """The operands that the caller has given. The operands are borrowed as long as this object exists. If an operand is
    missing, the error of libatc names this operand."""

    def __init__(self, problem: Problem, stream: int, **tensors: Any) -> None:
        output = _OUTPUTS[problem.direction]
        self._borrowed = {name: Borrowed(name, tensor, stream, output=name == output)
                          for name, tensor in tensors.items() if tensor is not None}
        self._raw = _abi.atc_conv_operands(struct_size=ctypes.sizeof(_abi.atc_conv_operands))
        for name, one in self._borrowed.items():
            setattr(self._raw, name, ctypes.pointer(one.view))

    @property
    def pointer(self) -> Any:
        return ctypes.byref(self._raw)


def pins_for(problem: Problem, device: Any = "cpu", **options: Unpack[PlanOptions]) -> List[Dict[str, Any]]:
    """Returns the pins that a plan with these options would obey. A pin is a choice or a bar (a prohibition) that the
    user has set for some problems. The list has either the pin whose choice the plan would run, or all bars for the
    problem. Each pin is a dictionary with "number", "line", "name" and "choice" or "bar". If no pin matches the
    problem, the list is empty. The call builds no plan."""
    raw_problem, raw_options = problem._raw(), plan_options(dict(options))
    return list(json.loads(read_bytes("conv_pins", raw_device(device), ctypes.byref(raw_problem),
                                      ctypes.byref(raw_options))))
