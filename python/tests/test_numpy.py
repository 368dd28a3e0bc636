"""Runs plans on numpy's arrays and compares the results with a reference in numpy."""

import unittest

import atc
from support import Array

try:
    import numpy

    from reference import compute, tolerance
except ImportError as missing:
    raise unittest.SkipTest(f"numpy's arrays are not tested: {missing}") from None

BASE = {"batch": 3, "in_channels": 8, "input": (13, 11), "out_channels": 12, "kernel": 3, "padding": 1}
GRID = {
    "plain": {},
    "1-D": {"input": (29,), "kernel": 5},
    "3-D": {"input": (6, 5, 7), "kernel": (3, 2, 3)},
    "stride": {"stride": (2, 3)},
    "dilation": {"dilation": (2, 1)},
    "padding of two sizes": {"padding": ((0, 2), (3, 1))},
    "pointwise": {"kernel": 1, "padding": 0},
    "groups": {"groups": 4},
    "depthwise": {"in_channels": 12, "groups": 12},
    "channels last": {"layout": "channels-last"},
    "transposed": {"transposed": True, "stride": 2, "output_padding": (1, 0)},
    "transposed groups": {"transposed": True, "groups": 2, "dilation": 2, "padding": ((1, 0), (2, 2))},
}


def lent(array, dtype, strides):
    """Returns the array as a tensor for atc with the given type and strides, and the values of its elements after
    rounding to this type."""
    if dtype == "bf16":  # numpy has no type bf16
        bits = array.astype(numpy.float32).view(numpy.uint32)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).view(numpy.float32)
        return Array(array.shape, rounded.ravel().tolist(), "bf16", strides), rounded.astype(float)
    kind = {"f32": numpy.float32, "f16": numpy.float16}[dtype]
    tensor = numpy.lib.stride_tricks.as_strided(numpy.empty(array.size, kind), array.shape,
                                                [stride * kind().itemsize for stride in strides])
    tensor[...] = array
    return tensor, tensor.astype(float)


def values(tensor):
    return numpy.array(tensor.list()).reshape(tensor.shape) if isinstance(tensor, Array) else tensor.astype(float)


class AgainstNumpy(unittest.TestCase):
    def check(self, problem):
        generator = numpy.random.default_rng(7)
        pairs = [lent(generator.standard_normal(problem.shape(name)), problem.dtype, problem.strides_of(name))
                 for name in "xwy"]
        (x, x_values), (w, w_values), (y, y_values) = pairs
        with atc.Plan(problem) as plan:
            out = plan.execute(x=x, w=w, y=y)
        result, magnitude, length = compute(problem, x_values, w_values, y_values)
        excess = abs(values(out) - result) - tolerance(problem, result, magnitude, length)
        self.assertLessEqual(excess.max(), 0, f"at {numpy.unravel_index(excess.argmax(), excess.shape)}")

    def test_every_direction_of_every_geometry_and_type(self):
        for name, changes in GRID.items():
            for direction in ("forward", "backward-data", "backward-weight"):
                for dtype in ("f32", "f16", "bf16"):
                    with self.subTest(name, direction=direction, dtype=dtype):
                        self.check(atc.Problem(**{**BASE, **changes}, direction=direction, dtype=dtype))


class Arrays(unittest.TestCase):
    PROBLEM = atc.Problem(batch=1, in_channels=1, input=(6,), out_channels=1, kernel=3)

    def test_a_result_known_beforehand(self):
        x = numpy.arange(1, 7, dtype=numpy.float32).reshape(1, 1, 6)
        w = numpy.array([[[1, 10, 100]]], numpy.float32)
        y = atc.Plan(self.PROBLEM).execute(x=x, w=w, y=numpy.empty((1, 1, 4), numpy.float32))
        self.assertEqual(y.ravel().tolist(), [321, 432, 543, 654])

    def test_slices_are_borrowed_where_they_lie(self):
        whole = numpy.arange(24, dtype=numpy.float32).reshape(2, 12)
        x = whole[1:, None, ::2]
        problem = atc.Problem(batch=1, in_channels=1, input=(6,), out_channels=1, kernel=1,
                              strides=(tuple(stride // 4 for stride in x.strides), (1, 1, 1), (6, 6, 1)))
        w, y = numpy.ones((1, 1, 1), numpy.float32), numpy.empty((1, 1, 6), numpy.float32)
        atc.Plan(problem).execute(x=x, w=w, y=y)
        self.assertEqual(y.ravel().tolist(), [12, 14, 16, 18, 20, 22])

    def test_arrays_that_must_not_be_written(self):
        x, w = numpy.ones((1, 1, 6), numpy.float32), numpy.ones((1, 1, 3), numpy.float32)
        y = numpy.empty((1, 1, 4), numpy.float32)
        y.flags.writeable = False
        with self.assertRaises(atc.InvalidArgument):
            atc.Plan(self.PROBLEM).execute(x=x, w=w, y=y)

    def test_types_of_numpy(self):
        given = {"in_channels": 1, "input": (6,), "out_channels": 1}
        self.assertEqual(atc.Problem(batch=1, dtype=numpy.float16, **given).dtype, "f16")
        problem = atc.Problem(batch=numpy.int64(2), dtype=numpy.dtype("float32"), **given)
        self.assertEqual((problem.batch, problem.dtype), (2, "f32"))
        with self.assertRaisesRegex(atc.InvalidArgument, r"\bx\b"):
            atc.Plan(self.PROBLEM).execute(x=numpy.ones((1, 1, 6)), w=numpy.ones((1, 1, 3)), y=numpy.ones((1, 1, 4)))


if __name__ == "__main__":
    unittest.main()
