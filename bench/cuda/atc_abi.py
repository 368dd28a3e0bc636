"""The part of atc's C interface that the benchmarks call, by ctypes."""

import ctypes

import torch

DIRECTIONS = {"forward": 1, "forward-bias": 1, "backward-data": 2, "backward-weight": 3}
DTYPES = {"f32": (1, (2, 32)), "bf16": (2, (4, 16)), "f16": (3, (2, 16))}
LAYOUTS = {"first": 1, "last": 2}
BIAS = 2

class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Problem(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32)]
                + [(name, ctypes.c_int32) for name in ("direction", "spatial_dims", "transposed")]
                + [(name, ctypes.c_int64) for name in ("batch", "in_channels", "out_channels", "groups")]
                + [(name, ctypes.c_int64 * 3) for name in ("input", "kernel", "stride", "dilation", "padding_low",
                                                           "padding_high", "output_padding")]
                + [(name, ctypes.c_int32) for name in ("x_dtype", "w_dtype", "y_dtype", "layout", "epilogue",
                                                       "accumulate")]
                + [(name, ctypes.c_int64 * 5) for name in ("x_strides", "w_strides", "y_strides")])


class Options(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32)]
                + [(name, ctypes.c_int32) for name in ("tune", "deterministic", "allow_tf32", "allow_reference",
                                                       "constant_weights", "technique")]
                + [("alignment", ctypes.c_uint32), ("workspace_limit", ctypes.c_uint64),
                   ("budget_seconds", ctypes.c_double), ("front_end", ctypes.c_char * 64),
                   ("require_firm", ctypes.c_int32), ("strict_precision", ctypes.c_int32),
                   ("allow_reduced_precision_reduction", ctypes.c_int32), ("use_store", ctypes.c_int32),
                   ("store", ctypes.c_void_p), ("allocator", ctypes.c_void_p), ("progress", ctypes.c_void_p),
                   ("progress_payload", ctypes.c_void_p), ("choice", ctypes.c_char_p)])


class TuneOptions(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32)]
                + [(name, ctypes.c_int32) for name in ("technique", "deterministic", "allow_tf32", "constant_weights",
                                                       "retune")]
                + [("alignment", ctypes.c_uint32), ("widen", ctypes.c_int32)]
                + [(name, ctypes.c_uint64) for name in ("workspace_limit", "max_candidates", "seed")]
                + [(name, ctypes.c_double) for name in ("problem_budget_seconds", "total_budget_seconds", "tie_margin")]
                + [(name, ctypes.c_char_p) for name in ("engines_allowed", "engines_barred")]
                + [("require_firm", ctypes.c_int32), ("strict_precision", ctypes.c_int32),
                   ("allow_reduced_precision_reduction", ctypes.c_int32), ("use_store", ctypes.c_int32),
                   ("store", ctypes.c_void_p), ("allocator", ctypes.c_void_p)])


class Candidate(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32), ("outcome", ctypes.c_int32)]
                + [(name, ctypes.c_char_p) for name in ("engine", "version", "configuration", "notes", "reason")]
                + [(name, ctypes.c_uint64) for name in ("workspace", "samples", "executions")]
                + [(name, ctypes.c_double) for name in ("mean", "median", "min", "max", "deviation", "clock_hz")]
                + [("rewrites", ctypes.c_char_p), ("host", ctypes.c_double), ("launches", ctypes.c_uint64),
                   ("flags", ctypes.c_uint32), ("reserved", ctypes.c_uint32)])


def choice_of(candidate):
    return (f"{candidate.rewrites.decode()}{candidate.engine.decode()}@{candidate.version.decode()}:"
            f"{candidate.configuration.decode()}")


class TunedProblem(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32), ("status", ctypes.c_int32), ("source", ctypes.c_int32),
                 ("flags", ctypes.c_uint32)]
                + [(name, ctypes.c_int64) for name in ("winner", "default_candidate")]
                + [(name, ctypes.c_uint64) for name in ("candidates", "executions")]
                + [(name, ctypes.c_double) for name in ("seconds", "risk")]
                + [(name, ctypes.c_char_p) for name in ("description", "choice", "why")])


class Tuned:
    """What a race decided: the memory of the process may keep an earlier, firm decision instead of a provisional one."""
    UNSTABLE, INCOMPLETE = 1, 2
    CAPTURED = 4  # of a candidate's flags

    def __init__(self, atc, report):
        one = TunedProblem(struct_size=ctypes.sizeof(TunedProblem))
        atc.check(atc.lib.atc1_tune_report_problem(ctypes.byref(one), report, ctypes.c_size_t(0)))
        if one.status != 0:
            raise RuntimeError(one.why.decode())
        self.choice, self.why = one.choice.decode(), one.why.decode()
        self.provisional = bool(one.flags & (self.UNSTABLE | self.INCOMPLETE))
        self.captured = self.choice  # the choice of plans that are made in a stream capture
        self.candidates, self.winner = [], None
        for i in range(one.candidates):
            candidate = Candidate(struct_size=ctypes.sizeof(Candidate))
            atc.check(atc.lib.atc1_tune_report_candidate(ctypes.byref(candidate), report, ctypes.c_size_t(0),
                                                         ctypes.c_size_t(i)))
            if candidate.flags & self.CAPTURED:
                self.captured = choice_of(candidate)
            self.candidates.append({
                "choice": choice_of(candidate), "outcome": candidate.outcome, "samples": candidate.samples, "ms": 1e3 * candidate.median,
                "mhz": round(candidate.clock_hz / 1e6), "reason": candidate.reason.decode()})
        if one.winner >= 0:
            self.winner = self.candidates[one.winner]


WRONG_RESULT = 6
TECHNIQUES = {"once": 1, "median-of-three": 2, "till-stable": 3, "interleaved": 4, "sustained": 5}
UNLIMITED = ctypes.c_uint64(-1).value
CUDA = Device(2, 0)


class Allocator(ctypes.Structure):
    ALLOCATE = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, Device, ctypes.c_void_p)
    FREE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, Device, ctypes.c_void_p)
    _fields_ = [("struct_size", ctypes.c_uint32), ("device_type", ctypes.c_int32), ("user", ctypes.c_void_p),
                ("alloc", ALLOCATE), ("free", FREE), ("destroy", ctypes.c_void_p)]


class TorchMemory:
    """Memory for atc from LibTorch's caching allocator, as a program on LibTorch would have it."""

    def __init__(self, atc):
        self.tensors = {}
        self.callbacks = Allocator(ctypes.sizeof(Allocator), 0, None, Allocator.ALLOCATE(self.allocate),
                                   Allocator.FREE(self.free), None)
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
    """LibTorch's convolutions through atc, for as long as it is entered."""

    def __init__(self, atc, path):
        self.atc, self.lib = atc, ctypes.CDLL(path)
        atc.check(self.lib.atc1_torch_init())

    def __enter__(self):
        self.atc.check(self.lib.atc1_torch_install(None))

    def __exit__(self, *_):
        self.atc.check(self.lib.atc1_torch_uninstall())


class Plan:
    """A plan for one choice, on memory aligned as an allocator's is."""

    def __init__(self, atc, problem, choice=None, front_end=b""):
        self.atc, self.handle = atc, ctypes.c_void_p()
        options = Options(struct_size=ctypes.sizeof(Options), alignment=16, front_end=front_end)
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

    def provisional(self):
        """Whether the race could not tell its choice from others with certainty."""
        answer = ctypes.c_int32()
        self.atc.check(self.atc.lib.atc1_conv_plan_provisional(ctypes.byref(answer), None, self.handle))
        return bool(answer.value)

    def candidates(self):
        """The candidates of its race, in the order of the offers."""
        count = ctypes.c_size_t()
        self.atc.check(self.atc.lib.atc1_conv_plan_candidate_count(ctypes.byref(count), self.handle))
        for i in range(count.value):
            one = Candidate(struct_size=ctypes.sizeof(Candidate))
            self.atc.check(self.atc.lib.atc1_conv_plan_candidate(ctypes.byref(one), self.handle, ctypes.c_size_t(i)))
            yield one

    def refused(self):
        """The gate's reasons for refusing candidates, by their names."""
        return {f"{one.engine.decode()}:{one.configuration.decode()}": one.reason.decode()
                for one in self.candidates() if one.outcome == WRONG_RESULT}

    def workspace_size(self):
        size = ctypes.c_uint64()
        self.atc.check(self.atc.lib.atc1_conv_plan_workspace_size(ctypes.byref(size), self.handle))
        return size.value

    def on_current_stream(self, operands, workspace=None):
        self.execute(*operands.views(), torch.cuda.current_stream().cuda_stream, workspace)

    def execute(self, x, w, bias, y, stream, workspace=None):
        """Runs the plan; atc provides the workspace if none is given."""
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
        """Races all candidates anew, without a limit; the process remembers the result."""
        return self.tune(problem, max_candidates=UNLIMITED, problem_budget_seconds=1e6)

    def tune(self, problem, **how):
        """Races anew with these fields of TuneOptions, and returns what that race decided."""
        options = TuneOptions(struct_size=ctypes.sizeof(TuneOptions), retune=2, alignment=16, **how)
        report = ctypes.c_void_p()
        self.check(self.lib.atc1_tune(ctypes.byref(report), CUDA, ctypes.byref(problem), ctypes.c_size_t(1),
                                      ctypes.byref(options), None, None))
        try:
            return Tuned(self, report)
        finally:
            self.lib.atc1_tune_report_destroy(report)
