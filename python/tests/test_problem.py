"""Tests the description of problems, and that values are refused if C would truncate or misread them."""

import pickle
import unittest

import atc


def problem(**changes):
    usual = {"batch": 8, "in_channels": 64, "input": (56, 56), "out_channels": 128, "kernel": 3, "padding": 1}
    return atc.Problem(**{**usual, **changes})


class Problems(unittest.TestCase):
    def test_shapes(self):
        strided = problem(stride=(2, 1), dtype="bf16", direction="backward-weight")
        self.assertEqual(strided.shape("x"), (8, 64, 56, 56))
        self.assertEqual(strided.shape("w"), (128, 64, 3, 3))
        self.assertEqual(strided.shape("y"), (8, 128, 28, 56))
        self.assertEqual(problem(layout="channels-last").strides_of("x"), (64 * 56 * 56, 1, 64 * 56, 64))
        self.assertEqual(problem(epilogue="bias").shape("bias"), (128,))
        ended = problem(scale=True, residual=True, layout="channels-last")
        self.assertEqual(ended.shape("scale"), (128,))
        for property in (ended.shape, ended.strides_of):
            self.assertEqual(property("residual"), property("y"))
        self.assertIn("8x64x56x56 f32", problem().describe())

    def test_a_number_stands_for_every_dimension(self):
        self.assertEqual(problem(), problem(kernel=(3, 3), padding=((1, 1), (1, 1)), stride=[1, 1]))
        self.assertEqual(problem(input=56).input, (56,))
        self.assertEqual(len({problem(), problem(kernel=[3, 3])}), 1)
        self.assertEqual(pickle.loads(pickle.dumps(problem())), problem())

    def test_asymmetric_padding(self):
        self.assertEqual(problem(padding=((0, 2), (1, 0))).shape("y"), (8, 128, 56, 55))

    def test_types_by_their_other_names(self):
        class Float16:
            name = "float16"  # this class stands for numpy.dtype, which has the attribute `name`

        class Bfloat16:
            def __str__(self):
                return "torch.bfloat16"

        self.assertEqual(problem(dtype="float32").dtype, "f32")
        self.assertEqual(problem(dtype=Float16()).dtype, "f16")
        self.assertEqual(problem(dtype=Bfloat16()).dtype, "bf16")
        self.assertEqual(problem(dtype=("bf16", "bf16", "f32")).dtype, ("bf16", "bf16", "f32"))

    def test_strides(self):
        strided = atc.Problem(batch=1, in_channels=1, input=(8,), out_channels=1, kernel=3,
                              strides=((16, 16, 2), (3, 3, 1), (6, 6, 1)))
        self.assertEqual(strided.layout, "strided")
        self.assertEqual(strided.strides_of("x"), (16, 16, 2))

    def test_mistakes_are_named(self):
        for changes, text in (({"stride": (1, 2, 3)}, "stride has 3 entries for a problem that needs 2"),
                              ({"input": (1, 2, 3, 4)}, "input has 4 entries"),
                              ({"batch": 1 << 63}, "batch is 9223372036854775808: it is from"),
                              ({"batch": 1.5}, "batch is 1.5: it is a whole number"),
                              ({"kernel": "3"}, "kernel is '3'"),
                              ({"padding": ((1, 2, 3), 1)}, "padding is"),
                              ({"direction": "back"}, "direction is 'back': it is one of forward, backward-data"),
                              ({"dtype": "f64"}, "dtype is 'f64'"),
                              ({"activation": "tanh"}, "activation is 'tanh': it is one of none, relu, relu6"),
                              ({"activation_slope": "steep"}, "activation_slope is 'steep': it is a number"),
                              ({"dtype": ("f32", "f32")}, "dtype has 2 entries"),
                              ({"strides": ((1,), (1,), (1,))}, "x_strides has 1 entries")):
            with self.subTest(text), self.assertRaises(atc.InvalidArgument) as raised:
                problem(**changes)
            self.assertIn(text, str(raised.exception))

    def test_what_libatc_refuses(self):
        with self.assertRaisesRegex(atc.InvalidArgument, "groups"):
            problem(groups=3).validate()
        with self.assertRaisesRegex(atc.InvalidArgument, "operand is 'z'"):
            problem().shape("z")


if __name__ == "__main__":
    unittest.main()
