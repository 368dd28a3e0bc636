"""Helpers of the tests: tensors without numpy, and an exact convolution in plain Python."""

import ctypes
import gc
import itertools
import math
import os
import struct
import subprocess
import sys
import weakref
from pathlib import Path

import atc
from atc import _abi

PACKAGE = str(Path(atc.__file__).resolve().parents[1])

_TYPES = {"f32": (_abi.ATC_CODE_FLOAT, 32, "f"), "f16": (_abi.ATC_CODE_FLOAT, 16, "e"),
          "bf16": (_abi.ATC_CODE_BFLOAT, 16, None)}
_new_capsule = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", ctypes.pythonapi))
_CAPSULE, _VERSIONED_CAPSULE = b"dltensor", b"dltensor_versioned"


class _Managed(ctypes.Structure):
    _fields_ = [("dl_tensor", _abi.atc_tensor_view), ("manager_ctx", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("manager_ctx", ctypes.c_void_p),
                ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("dl_tensor", _abi.atc_tensor_view)]


def in_process(code, **environment):
    """Runs Python code in a new process, and returns the output of the process."""
    done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PACKAGE, **environment},
                          capture_output=True, text=True, check=True)
    return done.stdout.strip()


def dense(shape):
    """Returns the strides in elements of a dense tensor whose last dimension is contiguous."""
    return tuple(math.prod(shape[dim + 1:]) for dim in range(len(shape)))


class Array:
    """A tensor in a bytearray, which other libraries can borrow by DLPack. If `versioned` is true, other
    libraries get the tensor in the form of DLPack 1, with `flags`. Otherwise they get the earlier form, which has no
    flags."""

    def __init__(self, shape, values=None, dtype="f32", strides=None, offset=0, versioned=True, flags=0, major=1):
        self.shape, self.dtype, self.offset = tuple(shape), dtype, offset
        self.strides = tuple(strides or dense(self.shape))
        self.versioned, self.flags, self.major = versioned, flags, major
        self.streams, self.lent = [], []
        span = 1 + sum((extent - 1) * stride for extent, stride in zip(self.shape, self.strides))
        # The memory has 64 additional bytes, so that `base` can be an address that is a multiple of 64.
        self.memory = bytearray(offset + span * self._size() + 64)
        self.base = ctypes.addressof(ctypes.c_char.from_buffer(self.memory))
        self.base += -self.base % 64
        for index, value in zip(self.indices(), values or []):
            self[index] = value

    def _size(self):
        return _TYPES[self.dtype][1] // 8

    def indices(self):
        return itertools.product(*map(range, self.shape))

    def _address(self, index):
        return self.base + self.offset + self._size() * sum(i * stride for i, stride in zip(index, self.strides))

    def __getitem__(self, index):
        raw, letter = ctypes.string_at(self._address(index), self._size()), _TYPES[self.dtype][2]
        return struct.unpack(letter, raw)[0] if letter else struct.unpack("f", b"\0\0" + raw)[0]

    def __setitem__(self, index, value):
        letter = _TYPES[self.dtype][2]
        # A bf16 is the upper half of an f32. The lower half is cut off without rounding, because the tests use only
        # values that a bf16 represents exactly.
        raw = struct.pack(letter, value) if letter else struct.pack("f", value)[2:]
        ctypes.memmove(self._address(index), raw, len(raw))

    def list(self):
        return [self[index] for index in self.indices()]

    def __dlpack_device__(self):
        return (_abi.ATC_DEVICE_CPU, 0)

    def __dlpack__(self, *, stream=None, **arguments):
        if arguments and not self.versioned:
            raise TypeError("__dlpack__() got an unexpected keyword argument")
        self.streams.append(stream)
        code, bits, _ = _TYPES[self.dtype]
        count = len(self.shape)
        view = _abi.atc_tensor_view(self.base, _abi.atc_device(*self.__dlpack_device__()), count,
                                    _abi.atc_data_type(code, bits, 1), (ctypes.c_int64 * count)(*self.shape),
                                    (ctypes.c_int64 * count)(*self.strides), self.offset)
        if self.versioned:
            managed, name = _Versioned(self.major, 0, None, None, self.flags, view), _VERSIONED_CAPSULE
        else:
            managed, name = _Managed(view, None, None), _CAPSULE
        # `lent` is a list, because several threads may borrow the tensor at the same time.
        self.lent.append(managed)
        return _new_capsule(ctypes.addressof(managed), name, None)


def small_integers(count, seed):
    """Returns random whole numbers from -3 to 3. Their products and sums are exact in every number type of libatc."""
    state, values = seed, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % (1 << 31)
        values.append(float((state >> 16) % 7 - 3))
    return values


def terms(problem):
    """Yields three indices for each product of a convolution: the index in x, in w and in y. In a transposed
    convolution x and y have exchanged roles."""
    x, w, y = (problem.shape(name) for name in "xwy")
    # `wide` is the tensor over which the kernel slides: x, or y in a transposed convolution. `narrow` is the tensor
    # that has one element for each position of the kernel.
    wide, narrow = (y, x) if problem.transposed else (x, y)
    per_group = narrow[1] // problem.groups
    for n, k in itertools.product(range(narrow[0]), range(narrow[1])):
        group = k // per_group
        for c, out, tap in itertools.product(range(w[1]), itertools.product(*map(range, narrow[2:])),
                                             itertools.product(*map(range, w[2:]))):
            place = [o * s + t * d - low for o, s, t, d, (low, _) in
                     zip(out, problem.stride, tap, problem.dilation, problem.padding)]
            if all(0 <= p < extent for p, extent in zip(place, wide[2:])):
                at_wide, at_narrow = (n, group * w[1] + c, *place), (n, k, *out)
                pair = (at_narrow, at_wide) if problem.transposed else (at_wide, at_narrow)
                yield pair[0], (k, c, *tap), pair[1]


def expected(problem, x, w, y):
    """Computes the output by the definition of the convolution, as {index: value}. The numbers must be such that all
    sums are exact."""
    sums = {}
    for at_x, at_w, at_y in terms(problem):
        if problem.direction == "forward":
            sums[at_y] = sums.get(at_y, 0.0) + x[at_x] * w[at_w]
        elif problem.direction == "backward-data":
            sums[at_x] = sums.get(at_x, 0.0) + y[at_y] * w[at_w]
        else:
            sums[at_w] = sums.get(at_w, 0.0) + x[at_x] * y[at_y]
    return sums


def operands(problem, seed=1):
    """Returns x, w and y with whole numbers, dense in the layout of the problem. The plan overwrites the numbers in the
    output."""
    made = []
    for place, name in enumerate("xwy"):
        shape = problem.shape(name)
        dtype = problem.dtype if isinstance(problem.dtype, str) else problem.dtype[place]
        made.append(Array(shape, small_integers(math.prod(shape), seed + place), dtype, problem.strides_of(name)))
    return made


# Options for a race (the timing of candidates) with two candidates. The race ends long before its budget is used up, so
# both candidates are timed even on a busy machine.
QUICK = {"technique": "once", "max_candidates": 2, "problem_budget": 100.0}


def small(**changes):
    """Returns a problem that is so small that plain Python computes it in a moment. `changes` are fields of the
    problem."""
    return atc.Problem(**{**dict(batch=2, in_channels=4, input=(7, 6), out_channels=6, kernel=3, padding=1), **changes})


SMALL = small()


def convolves_exactly(problem=SMALL, **options):
    """Checks that a new plan computes exactly the result that the definition of the convolution gives."""
    x, w, y = operands(problem)
    with atc.Plan(problem, **options) as plan:
        out = plan.execute(x=x, w=w, y=y)
    sums = expected(problem, x, w, y)
    return out.list() == [sums.get(index, 0.0) for index in out.indices()]


class Watched:
    """A progress function that counts its calls."""

    def __init__(self):
        self.calls = 0

    def __call__(self, _progress):
        self.calls += 1


def is_let_go(run):
    """Calls `run` with a progress function. Returns whether no reference to the function remains afterwards, without a
    run of the garbage collector."""
    watched = Watched()
    held = weakref.ref(watched)
    gc.disable()
    try:
        run(watched)
        assert watched.calls > 0, "it was never called"
        del watched
        return held() is None
    finally:
        gc.enable()


def refused_in_child():
    """A test runs this function in a child process. atc refuses the stride 0 there, and the child passes the error to
    its parent."""
    atc.Plan(atc.Problem(batch=1, in_channels=1, input=(4,), out_channels=1, stride=0))
