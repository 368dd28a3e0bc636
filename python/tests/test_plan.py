"""Tests that plans compute convolutions, and that they refuse what they cannot run."""

import math
import threading
import unittest

import atc
from atc._handle import Handle
from support import SMALL, Array, convolves_exactly, expected, is_let_go, operands, small

DIRECTIONS = ("forward", "backward-data", "backward-weight")
GEOMETRIES = {
    "plain": {},
    "1-D": {"input": (9,)},
    "3-D": {"input": (4, 5, 3), "kernel": (2, 3, 1), "padding": 0},
    "stride, dilation": {"input": (9, 11), "stride": (2, 1), "dilation": (1, 2)},
    "padding of two sizes": {"padding": ((0, 2), (1, 0))},
    "groups": {"groups": 2},
    "depthwise": {"in_channels": 4, "out_channels": 4, "groups": 4},
    "transposed": {"transposed": True, "stride": 2, "output_padding": 1},
    "channels last": {"layout": "channels-last"},
}


class Results(unittest.TestCase):
    def test_every_direction_of_every_geometry_is_exact_on_whole_numbers(self):
        for name, changes in GEOMETRIES.items():
            for direction in DIRECTIONS:
                with self.subTest(name, direction=direction):
                    self.assertTrue(convolves_exactly(small(direction=direction, **changes)))

    def test_half_precision(self):
        for dtype in ("bf16", "f16"):
            with self.subTest(dtype):
                self.assertTrue(convolves_exactly(small(dtype=dtype)))

    def test_bias_and_relu(self):
        problem = small(epilogue="bias-relu")
        x, w, y = operands(problem)
        bias = Array((6,), [float(channel - 3) for channel in range(6)])
        atc.Plan(problem).execute(x=x, w=w, y=y, bias=bias)
        sums = expected(problem, x, w, y)
        self.assertEqual(y.list(), [max(0.0, sums.get(index, 0.0) + bias[(index[1],)]) for index in y.indices()])

    def test_scale_bias_and_residual(self):
        problem = small(epilogue="bias", scale=True, residual=True, activation="relu")
        x, w, y = operands(problem)
        bias, scale = (Array((6,), [float(sign * (channel - 3)) for channel in range(6)]) for sign in (1, -2))
        residual = operands(problem, seed=7)[2]

        def value(sums, index):
            channel = (index[1],)
            return max(0.0, scale[channel] * sums.get(index, 0.0) + bias[channel] + residual[index])

        sums = expected(problem, x, w, y)
        for run in (atc.Plan(problem).execute, lambda **given: atc.convolution(problem, **given)):
            y = operands(problem)[2]
            tensors = {"x": x, "w": w, "y": y, "bias": bias, "scale": scale, "residual": residual}
            run(**tensors)
            self.assertEqual(y.list(), [value(sums, index) for index in y.indices()])
            for name in ("scale", "residual"):
                with self.assertRaisesRegex(atc.InvalidArgument, name):
                    run(**{**tensors, name: None})

    def test_activations(self):
        functions = {
            "relu": lambda t: max(t, 0.0), "relu6": lambda t: min(max(t, 0.0), 6.0),
            "clamp": lambda t: min(max(t, -2.0), 3.0), "leaky-relu": lambda t: t if t > 0 else 0.25 * t,
            "silu": lambda t: t / (1 + math.exp(-t)), "sigmoid": lambda t: 1 / (1 + math.exp(-t)),
            "gelu": lambda t: t / 2 * (1 + math.erf(t / math.sqrt(2))),
            "gelu-tanh": lambda t: t / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (t + 0.044715 * t ** 3))),
            "hard-swish": lambda t: t / 6 * min(max(t + 3, 0.0), 6.0),
        }
        parameters = {"clamp": {"activation_low": -2.0, "activation_high": 3.0},
                      "leaky-relu": {"activation_slope": 0.25}}
        for name, function in functions.items():
            with self.subTest(name):
                problem = small(activation=name, **parameters.get(name, {}))
                x, w, y = operands(problem)
                atc.Plan(problem).execute(x=x, w=w, y=y)
                sums = expected(problem, x, w, y)
                for index in y.indices():
                    t = sums.get(index, 0.0)
                    # t, the sum before the activation, is exact. The computation of the activation rounds at most 32
                    # times, and each rounded number is at most max(1, |t|).
                    self.assertLessEqual(abs(y[index] - function(t)), 32 * 2.0 ** -24 * max(1.0, abs(t)), t)

    def test_the_output_is_added_to(self):
        problem = small(accumulate=True)
        x, w, y = operands(problem)
        before = y.list()
        atc.Plan(problem).execute(x=x, w=w, y=y)
        sums = expected(problem, x, w, y)
        self.assertEqual(y.list(), [old + sums.get(index, 0.0) for old, index in zip(before, y.indices())])

    def test_one_convolution_without_a_plan(self):
        x, w, y = operands(SMALL)
        self.assertIs(atc.convolution(SMALL, x=x, w=w, y=y), y)
        sums = expected(SMALL, x, w, y)
        self.assertEqual(y.list(), [sums.get(index, 0.0) for index in y.indices()])

    def test_weights_that_are_set_need_not_be_given(self):
        x, w, y = operands(SMALL)
        with atc.Plan(SMALL, constant_weights=True) as plan:
            with self.assertRaisesRegex(atc.InvalidArgument, r"\bw\b"):
                plan.execute(x=x, y=y)
            plan.set_weights(w)
            plan.execute(x=x, y=y)
        sums = expected(SMALL, x, w, y)
        self.assertEqual(y.list(), [sums.get(index, 0.0) for index in y.indices()])

    def test_a_workspace_of_the_programs_own(self):
        x, w, y = operands(SMALL)
        with atc.Plan(SMALL) as plan:
            size = plan.workspace_size
            workspace = Array((max(1, size // 4 + 1),))
            plan.execute(x=x, w=w, y=y, workspace=workspace)
            if size > 4:
                with self.assertRaisesRegex(atc.InvalidArgument, "workspace"):
                    plan.execute(x=x, w=w, y=y, workspace=Array((1,)))
            with self.assertRaisesRegex(atc.InvalidArgument, "workspace is not dense"):
                plan.execute(x=x, w=w, y=y, workspace=Array((4, 4), strides=(8, 1)))

    def test_samples_repeat(self):
        with atc.Plan(SMALL) as plan:
            first = plan.sample(5, seed=3)
            self.assertEqual(first, plan.sample(5, seed=3))
            self.assertNotEqual(first, plan.sample(5, seed=4))
            self.assertEqual(len(first), 5)


class Decisions(unittest.TestCase):
    def test_a_choice_is_obeyed_and_told(self):
        with atc.Plan(SMALL) as first, atc.Plan(SMALL, choice=first.choice) as again:
            self.assertEqual((again.choice, again.source), (first.choice, "given"))
            self.assertEqual(again.device, "cpu")
            self.assertIn(again.choice, [one.choice for one in first.candidates])
            self.assertEqual({(one.outcome, one.timing) for one in first.candidates}, {("offered", None)})
            self.assertIsNone(first.provisional)

    def test_a_choice_that_is_none(self):
        with self.assertRaisesRegex(atc.InvalidArgument, "nonsense"):
            atc.Plan(SMALL, choice="nonsense")
        with self.assertRaises(atc.Unsupported):
            atc.Plan(SMALL, choice="nobody@1:x")

    def test_progress_of_a_race_cancels(self):
        # No other test may use this shape. If the process already had a decision for the shape, the plan would measure
        # nothing.
        problem = small(input=(17, 19), in_channels=8, out_channels=8)
        seen = []
        with self.assertRaises(atc.Cancelled):
            atc.Plan(problem, tune=True, progress=lambda progress: bool(seen.append(progress)))
        self.assertEqual((seen[0].problem, seen[0].problems, seen[0].problem_fraction), (0, 1, 0.0))
        self.assertEqual(seen[0].description, problem.describe())

    def test_progress_is_let_go_when_the_plan_is_made(self):
        problem = small(input=(20, 19), in_channels=8, out_channels=8)
        self.assertTrue(is_let_go(lambda progress: atc.Plan(problem, tune=True, progress=progress)))

    def test_what_progress_raises_comes_out(self):
        problem = small(input=(18, 19), in_channels=8, out_channels=8)

        def fail(_progress):
            raise KeyError("mine")

        with self.assertRaisesRegex(KeyError, "mine"):
            atc.Plan(problem, tune=True, progress=fail)

    def test_an_explanation(self):
        explanation = atc.explain(SMALL)
        with atc.Plan(SMALL) as plan:
            self.assertEqual(explanation.choice, plan.choice)
        self.assertEqual(explanation.candidates[explanation.winner].choice, explanation.choice)
        self.assertIn(SMALL.describe(), str(explanation))
        self.assertIn("<table>", explanation._repr_html_())
        self.assertIn("reference", [entrant.name for entrant in explanation.entrants])
        self.assertGreater(explanation.flops, 0)


class Refusals(unittest.TestCase):
    def test_operands_of_another_shape_type_or_count(self):
        x, w, y = operands(SMALL)
        with atc.Plan(SMALL) as plan:
            for name, wrong in (("x", Array((2, 4, 7, 5))), ("w", Array((6, 4, 3))),
                                ("y", Array(y.shape, dtype="f16"))):
                with self.subTest(name), self.assertRaisesRegex(atc.InvalidArgument, rf"\b{name}\b"):
                    plan.execute(**{**{"x": x, "w": w, "y": y}, name: wrong})
            with self.assertRaisesRegex(atc.InvalidArgument, r"\by\b"):
                plan.execute(x=x, w=w)

    def test_a_closed_plan(self):
        x, w, y = operands(SMALL)
        plan = atc.Plan(SMALL)
        plan.close()
        plan.close()
        self.assertEqual(repr(plan), "<closed Plan>")
        for use in (lambda: plan.choice, lambda: plan.execute(x=x, w=w, y=y), lambda: plan.candidates):
            with self.assertRaisesRegex(atc.InvalidArgument, "closed"):
                use()

    def test_options_that_are_none(self):
        with self.assertRaisesRegex(TypeError, "tuning is no option"):
            atc.Plan(SMALL, tuning=True)
        with self.assertRaisesRegex(atc.InvalidArgument, "technique is 'twice'"):
            atc.Plan(SMALL, technique="twice")
        with self.assertRaisesRegex(atc.InvalidArgument, "alignment is 4294967296"):
            atc.Plan(SMALL, alignment=1 << 32)
        with self.assertRaisesRegex(atc.InvalidArgument, "workspace_limit is -1"):
            atc.Plan(SMALL, workspace_limit=-1)
        with self.assertRaisesRegex(atc.InvalidArgument, "store is 'tuned'"):
            atc.Plan(SMALL, store="tuned")

    def test_devices_that_are_none(self):
        for device in ("gpu", "cuda:x", "cuda:-1", "cpu:1", 7):
            with self.subTest(device), self.assertRaisesRegex(atc.InvalidArgument, "device is"):
                atc.Plan(SMALL, device)


class Threads(unittest.TestCase):
    def test_every_call_on_a_plan_waits_for_the_others(self):
        class Counted:
            entered = 0

            def __enter__(self):
                self.entered += 1

            def __exit__(self, *_raised):
                pass

        x, w, y = operands(SMALL)
        plan = atc.Plan(SMALL)
        for call in (lambda: plan.execute(x=x, w=w, y=y), lambda: plan.set_weights(w), lambda: plan.sample(1),
                     lambda: plan.choice, lambda: plan.candidates, lambda: plan.provisional):
            plan._lock = Counted()
            call()
            self.assertEqual(plan._lock.entered, 1)

    def test_a_plan_is_destroyed_when_the_last_call_has_let_it_go(self):
        destroyed = []
        plan = atc.Plan(SMALL)
        plan._handle = Handle(7, destroyed.append)
        held_by_a_call = plan._live()
        plan.close()
        self.assertEqual(destroyed, [])
        del held_by_a_call
        self.assertEqual(destroyed, [7])

    def test_threads_share_a_plan(self):
        x, w, _ = operands(SMALL)
        outputs = [Array(SMALL.shape("y")) for _ in range(4)]
        with atc.Plan(SMALL) as plan:
            threads = [threading.Thread(target=lambda y=y: [plan.execute(x=x, w=w, y=y) for _ in range(20)])
                       for y in outputs]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        sums = expected(SMALL, x, w, outputs[0])
        for y in outputs:
            self.assertEqual(y.list(), [sums.get(index, 0.0) for index in y.indices()])


if __name__ == "__main__":
    unittest.main()
