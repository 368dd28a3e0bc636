"""Runs a convolution by calling libatc through ctypes, without the Python package and without a compiler.

    python3 convolution.py [LIBATC]      (default: libatc.so.1, found by the dynamic linker)

The names in the library begin with atc1_ (1 is the version of the ABI).
"""

import ctypes
import sys

OK, CPU, FLOAT, ON = 0, 1, 2, 2


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class TensorView(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32),
                ("dtype", DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class Problem(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32), ("direction", ctypes.c_int32),
                 ("spatial_dims", ctypes.c_int32), ("transposed", ctypes.c_int32)]
                + [(name, ctypes.c_int64)
                   for name in ("batch", "in_channels", "out_channels", "groups")]
                + [(name, ctypes.c_int64 * 3)
                   for name in ("input", "kernel", "stride", "dilation", "padding_low",
                                "padding_high", "output_padding")]
                + [(name, ctypes.c_int32)
                   for name in ("x_dtype", "w_dtype", "y_dtype", "layout", "epilogue", "accumulate")]
                + [(name, ctypes.c_int64 * 5) for name in ("x_strides", "w_strides", "y_strides")])


class Options(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32)]
                + [(name, ctypes.c_int32)
                   for name in ("tune", "deterministic", "allow_tf32", "allow_reference",
                                "constant_weights", "technique")]
                + [("alignment", ctypes.c_uint32), ("workspace_limit", ctypes.c_uint64),
                   ("budget_seconds", ctypes.c_double), ("front_end", ctypes.c_char * 64),
                   ("require_firm", ctypes.c_int32), ("strict_precision", ctypes.c_int32),
                   ("allow_reduced_precision_reduction", ctypes.c_int32),
                   ("use_store", ctypes.c_int32), ("store", ctypes.c_void_p),
                   ("allocator", ctypes.c_void_p), ("progress", ctypes.c_void_p),
                   ("progress_payload", ctypes.c_void_p), ("choice", ctypes.c_char_p)])


def load(path):
    atc = ctypes.CDLL(path)
    atc.atc1_last_error.restype = ctypes.c_char_p
    return atc


def check(atc, status):
    if status != OK:
        raise RuntimeError(atc.atc1_last_error().decode())


def dense(values, shape):
    """Returns a tensor view of fp32 values. The view owns the array with the values."""
    data = (ctypes.c_float * len(values))(*values)
    extents = (ctypes.c_int64 * len(shape))(*shape)
    view = TensorView(ctypes.addressof(data), Device(CPU, 0), len(shape), DataType(FLOAT, 32, 1),
                      extents, None, 0)
    view.owner = data
    return view


def main():
    atc = load(sys.argv[1] if len(sys.argv) > 1 else "libatc.so.1")
    problem = Problem()
    check(atc, atc.atc1_conv_problem_init_sized(ctypes.byref(problem),
                                                ctypes.c_size_t(ctypes.sizeof(problem)), 1))
    problem.input[0], problem.kernel[0] = 6, 3
    options = Options(struct_size=ctypes.sizeof(Options), tune=ON)

    plan = ctypes.c_void_p()
    check(atc, atc.atc1_conv_plan_create(ctypes.byref(plan), Device(CPU, 0), ctypes.byref(problem),
                                         ctypes.byref(options)))
    choice = ctypes.c_char_p()
    check(atc, atc.atc1_conv_plan_choice(ctypes.byref(choice), plan))
    print("tuned:", choice.value.decode())

    x, w = dense([1, 2, 3, 4, 5, 6], (1, 1, 6)), dense([1, 10, 100], (1, 1, 3))
    y = dense([0] * 4, (1, 1, 4))
    check(atc, atc.atc1_conv_plan_execute(plan, ctypes.byref(x), ctypes.byref(w), None,
                                          ctypes.byref(y), None, ctypes.c_uint64(0), None))
    atc.atc1_conv_plan_destroy(plan)
    print("y:", list(y.owner))
    return list(y.owner) != [321, 432, 543, 654]


if __name__ == "__main__":
    sys.exit(main())
