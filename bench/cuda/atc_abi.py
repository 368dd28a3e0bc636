"""The part of atc's C interface that the benchmarks call, with the structs of the Python package."""

import ctypes
import pathlib
import sys

import torch

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))

from atc import _abi  # noqa: E402
from atc._names import TECHNIQUES  # noqa: E402, F401

DIRECTIONS = {"forward": 1, "forward-bias": 1, "backward-data": 2, "backward-weight": 3}
DTYPES = {"f32": (1, (2, 32)), "bf16": (2, (4, 16)), "f16": (3, (2, 16))}
LAYOUTS = {"first": 1, "last": 2}


def sized(struct, **fields):
    return struct(struct_size=ctypes.sizeof(struct), **fields)


def choice_of(candidate):
    return (f"{candidate.rewrites.decode()}{candidate.engine.decode()}@{candidate.version.decode()}:"
            f"{candidate.configuration.decode()}")


class Tuned:
    """The decision that a race has made. This object keeps its own copy: if the new decision is provisional
    (uncertain), the memory of the process may keep an earlier, firm decision instead."""

    def __init__(self, atc, report):
        one = sized(_abi.atc_tuned_problem)
        atc.check(atc.lib.atc1_tune_report_problem(ctypes.byref(one), report, ctypes.c_size_t(0)))
        if one.status != 0:
            raise RuntimeError(one.why.decode())
        self.choice, self.why = one.choice.decode(), one.why.decode()
        self.provisional = bool(one.flags & (_abi.ATC_TUNED_UNSTABLE | _abi.ATC_TUNED_INCOMPLETE))
        self.captured = self.choice  # the choice of plans that are made in a stream capture
        self.candidates, self.winner = [], None
        for i in range(one.candidates):
            candidate = sized(_abi.atc_candidate)
            atc.check(atc.lib.atc1_tune_report_candidate(ctypes.byref(candidate), report, ctypes.c_size_t(0),
                                                         ctypes.c_size_t(i)))
            if candidate.flags & _abi.ATC_CANDIDATE_CAPTURED:
                self.captured = choice_of(candidate)
            self.candidates.append({
                "choice": choice_of(candidate), "outcome": candidate.outcome, "samples": candidate.samples,
                "ms": 1e3 * candidate.median, "mhz": round(candidate.clock_hz / 1e6), "reason": candidate.reason.decode()})
        if one.winner >= 0:
            self.winner = self.candidates[one.winner]


CUDA = _abi.atc_device(_abi.ATC_DEVICE_CUDA, 0)


class TorchMemory:
    """An allocator through which atc gets memory from LibTorch's caching allocator, as in a program that uses
    LibTorch."""

    def __init__(self, atc):
        self.tensors = {}
        functions = dict(_abi.atc_allocator._fields_)
        self.callbacks = sized(_abi.atc_allocator, alloc=functions["alloc"](self.allocate), free=functions["free"](self.free))
        atc.check(atc.lib.atc1_allocator_set(ctypes.byref(self.callbacks)))

    def allocate(self, user, size, device, stream):
        try:
            with torch.cuda.stream(torch.cuda.ExternalStream(stream or 0)):
                tensor = torch.empty(max(size, 1), dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError:
            return None
        self.tensors[tensor.data_ptr()] = tensor
        return tensor.data_ptr()

    def free(self, user, pointer, device, stream):
        self.tensors.pop(pointer)


class Bridge:
    """A context manager: within its block LibTorch's convolutions go through atc."""

    def __init__(self, atc, path):
        self.atc, self.lib = atc, ctypes.CDLL(path)
        atc.check(self.lib.atc1_torch_init())

    def __enter__(self):
        self.atc.check(self.lib.atc1_torch_install(None))

    def __exit__(self, *_):
        self.atc.check(self.lib.atc1_torch_uninstall())


class Plan:
    """A plan of atc for one choice. Its operands must be aligned like the memory of an allocator. `how` has further
    fields of the plan's options."""

    def __init__(self, atc, problem, choice=None, front_end=b"", **how):
        self.atc, self.handle = atc, ctypes.c_void_p()
        options = sized(_abi.atc_conv_options, alignment=16, front_end=front_end, **how)
        arguments = [ctypes.byref(self.handle), CUDA, ctypes.byref(problem), ctypes.byref(options)]
        if choice is None:
            atc.check(atc.lib.atc1_conv_plan_create(*arguments))
        else:
            atc.check(atc.lib.atc1_conv_plan_create_with_choice(*arguments, choice.encode()))

    def __del__(self):
        self.atc.lib.atc1_conv_plan_destroy(self.handle)

    def choice(self):
        text = ctypes.c_char_p()
        self.atc.check(self.atc.lib.atc1_conv_plan_choice(ctypes.byref(text), self.handle))
        return text.value.decode()

    def source(self):
        """Returns the number of the source of the decision (ATC_SOURCE_*)."""
        answer = ctypes.c_int32()
        self.atc.check(self.atc.lib.atc1_conv_plan_source(ctypes.byref(answer), self.handle))
        return answer.value

    def provisional(self):
        """Returns whether the decision is provisional: the race could not distinguish its choice from other candidates
        with certainty."""
        answer = ctypes.c_int32()
        self.atc.check(self.atc.lib.atc1_conv_plan_provisional(ctypes.byref(answer), None, self.handle))
        return bool(answer.value)

    def candidates(self):
        """The candidates of the plan's race, in the order of the offers."""
        count = ctypes.c_size_t()
        self.atc.check(self.atc.lib.atc1_conv_plan_candidate_count(ctypes.byref(count), self.handle))
        for i in range(count.value):
            one = sized(_abi.atc_candidate)
            self.atc.check(self.atc.lib.atc1_conv_plan_candidate(ctypes.byref(one), self.handle, ctypes.c_size_t(i)))
            yield one

    def refused(self):
        """The reasons why the correctness gate has refused candidates, by the candidates' names."""
        return {f"{one.engine.decode()}:{one.configuration.decode()}": one.reason.decode()
                for one in self.candidates() if one.outcome == _abi.ATC_OUTCOME_WRONG_RESULT}

    def workspace_size(self):
        size = ctypes.c_uint64()
        self.atc.check(self.atc.lib.atc1_conv_plan_workspace_size(ctypes.byref(size), self.handle))
        return size.value

    def on_current_stream(self, operands, workspace=None):
        self.execute(*operands.views(), torch.cuda.current_stream().cuda_stream, workspace)

    def execute(self, x, w, bias, y, stream, workspace=None):
        """Runs the plan. If no workspace is given, atc provides the workspace."""
        self.atc.check(self.atc.lib.atc1_conv_plan_execute(
            self.handle, ctypes.byref(x), ctypes.byref(w), bias and ctypes.byref(bias), ctypes.byref(y),
            None if workspace is None else ctypes.c_void_p(workspace.data_ptr()),
            ctypes.c_uint64(0 if workspace is None else workspace.numel()), ctypes.c_void_p(stream)))


class Atc:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.atc1_last_error.restype = ctypes.c_char_p

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.lib.atc1_last_error().decode())

    def set(self, name, value):
        self.check(getattr(self.lib, "atc1_set_" + name)(value))

    def cudnn_version(self):
        version = ctypes.c_int64()
        self.check(self.lib.atc1_cudnn_version(ctypes.byref(version)))
        return version.value

    def convolution(self, problem, x, w, bias, y, stream):
        self.check(self.lib.atc1_convolution(ctypes.byref(problem), ctypes.byref(x), ctypes.byref(w),
                                             bias and ctypes.byref(bias), ctypes.byref(y), ctypes.c_void_p(stream)))

    def tune_exhaustively(self, problem):
        """Times all candidates of the problem again, without a limit on their number. The process keeps the
        decision."""
        return self.tune(problem, max_candidates=_abi.ATC_UNLIMITED, problem_budget_seconds=1e6)

    def tune(self, problem, **how):
        """Times the candidates of the problem again, with the fields `how` of TuneOptions. Returns the decision."""
        options = sized(_abi.atc_tune_options, retune=_abi.ATC_ON, alignment=16, **how)
        report = ctypes.c_void_p()
        self.check(self.lib.atc1_tune(ctypes.byref(report), CUDA, ctypes.byref(problem), ctypes.c_size_t(1),
                                      ctypes.byref(options), None, None))
        try:
            return Tuned(self, report)
        finally:
            self.lib.atc1_tune_report_destroy(report)
