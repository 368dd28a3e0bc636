"""Tests how tensors of other libraries are borrowed: which devices are accepted, and which tensors are refused."""

import gc
import unittest

import atc
from atc._dlpack import Borrowed
from support import Array, expected, operands, small, small_integers

LINE = atc.Problem(batch=1, in_channels=2, input=(6,), out_channels=2, kernel=3)


class OnCuda(Array):
    """A tensor that claims to be on a CUDA device, but is not."""

    def __dlpack_device__(self):
        return (2, 0)


class Borrowing(unittest.TestCase):
    def check(self, problem, x, w, y):
        atc.Plan(problem).execute(x=x, w=w, y=y)
        sums = expected(problem, x, w, y)
        self.assertEqual(y.list(), [sums.get(index, 0.0) for index in y.indices()])

    def test_strides_and_offsets_are_obeyed(self):
        strides = ((40, 20, 3), (6, 3, 1), (16, 8, 2))
        problem = atc.Problem(batch=1, in_channels=2, input=(6,), out_channels=2, kernel=3, strides=strides)
        arrays = [Array(problem.shape(name), small_integers(12, place), strides=strides[place], offset=64 * place)
                  for place, name in enumerate("xwy")]
        self.check(problem, *arrays)

    def test_both_forms_of_dlpack(self):
        for versioned in (False, True):
            with self.subTest(versioned=versioned):
                arrays = operands(LINE)
                for array in arrays:
                    array.versioned = versioned
                self.check(LINE, *arrays)

    def test_strides_that_are_not_the_problems(self):
        x, w, y = operands(LINE)
        with self.assertRaisesRegex(atc.InvalidArgument, r"\bx\b.*stride"):
            atc.Plan(LINE).execute(x=Array(x.shape, strides=(24, 12, 2)), w=w, y=y)

    def test_the_output_must_be_the_tensors_own_memory_and_writable(self):
        x, w, y = operands(LINE)
        x.flags = w.flags = 1
        self.check(LINE, x, w, y)
        for flags, text in ((1, "memory that must not be written"), (2, "a copy")):
            y.flags = flags
            with self.assertRaisesRegex(atc.InvalidArgument, f"y is the output, but the Array lends {text}"):
                atc.Plan(LINE).execute(x=x, w=w, y=y)

    def test_arrays_of_jax_are_inputs_alone(self):
        class Immutable(Array):
            pass

        Immutable.__module__ = "jaxlib._jax"
        x, w, y = operands(LINE)
        self.check(LINE, Immutable(x.shape, x.list()), w, y)
        with self.assertRaisesRegex(atc.InvalidArgument, "y is the output, but arrays of jax must not be written"):
            atc.Plan(LINE).execute(x=x, w=w, y=Immutable(y.shape))

    def test_a_dlpack_of_the_future(self):
        x, w, y = operands(LINE)
        w.major = 2
        with self.assertRaisesRegex(atc.InvalidArgument, "w is lent by DLPack 2"):
            atc.Plan(LINE).execute(x=x, w=w, y=y)

    def test_what_is_no_tensor(self):
        x, w, y = operands(LINE)
        with self.assertRaisesRegex(TypeError, "x is a list: it needs __dlpack__"):
            atc.Plan(LINE).execute(x=[1.0], w=w, y=y)

        class Refusing(Array):
            def __dlpack__(self, **_arguments):
                raise BufferError("not today")

        class Empty(Array):
            def __dlpack__(self, **_arguments):
                return object()

        with self.assertRaisesRegex(atc.InvalidArgument, "x cannot be borrowed by DLPack: not today"):
            atc.Plan(LINE).execute(x=Refusing(x.shape), w=w, y=y)
        with self.assertRaisesRegex(atc.InvalidArgument, "x: __dlpack__ of Empty returned no capsule"):
            atc.Plan(LINE).execute(x=Empty(x.shape), w=w, y=y)

    def test_another_device(self):
        x, w, y = operands(LINE)
        with self.assertRaisesRegex(atc.InvalidArgument, r"\bx\b"):
            atc.Plan(LINE).execute(x=OnCuda(x.shape), w=w, y=y)

    def test_the_stream_is_told_on_cuda_alone_and_by_dlpacks_number(self):
        for kind, stream, told in ((Array, 5, None), (OnCuda, 0, 1), (OnCuda, 0x7F00, 0x7F00)):
            tensor = kind((2,))
            Borrowed("x", tensor, stream, output=False)
            self.assertEqual(tensor.streams, [told])

    def test_nothing_is_kept_after_the_call(self):
        class Watched(Array):
            alive = 0

            def __init__(self, *arguments):
                super().__init__(*arguments)
                Watched.alive += 1

            def __del__(self):
                Watched.alive -= 1

        w, y = operands(LINE)[1:]
        with atc.Plan(LINE) as plan:
            plan.execute(x=Watched(LINE.shape("x")), w=w, y=y)
            gc.collect()
            self.assertEqual(Watched.alive, 0)

    def test_an_output_may_be_x(self):
        problem = small(direction="backward-data")
        x, w, y = operands(problem)
        self.assertIs(atc.Plan(problem).execute(x=x, w=w, y=y), x)


if __name__ == "__main__":
    unittest.main()
