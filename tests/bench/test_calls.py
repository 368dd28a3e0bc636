"""Tests the scripts that measure convolutions on CUDA, and their calls of atc. The tests run on the CPU without
LibTorch: instead of being measured, the times are given by the tests.

    ATC_LIBRARY=libatc.so.1 python3 test_calls.py BENCH_FOLDER
"""

import contextlib
import ctypes
import os
import pathlib
import sys
import types
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))
# A stand-in for the part of the module torch that the tested modules use while they are imported.
sys.modules["torch"] = types.SimpleNamespace(float32=1, bfloat16=2, float16=3)

import atc_abi  # noqa: E402
import layers  # noqa: E402
import measure  # noqa: E402
from atc import _abi  # noqa: E402
from shapes import Layer  # noqa: E402

atc_abi.CUDA = layers.CUDA = _abi.atc_device(_abi.ATC_DEVICE_CPU, 0)
atc = atc_abi.Atc(os.environ["ATC_LIBRARY"])


class Memory:
    """A stand-in for a tensor of LibTorch. It has the members that a tensor view of atc is made from."""

    def __init__(self, *shape):
        self.shape, self.data = shape, (ctypes.c_float * (shape[0] * shape[1] * shape[2] * shape[3]))()

    def dim(self):
        return len(self.shape)

    def data_ptr(self):
        return ctypes.addressof(self.data)


class Calls(unittest.TestCase):
    def setUp(self):
        self.problem = layers.problem(atc, Layer("l 1 8 0 6 6 4 0 3 3 1 1 1 1"), "forward", "f32", "last")

    def test_a_race_says_what_it_decided(self):
        tuned = atc.tune(self.problem, problem_budget_seconds=60.0, technique=atc_abi.TECHNIQUES["once"])
        self.assertIn(tuned.choice, [one["choice"] for one in tuned.candidates])
        self.assertEqual(tuned.winner["choice"], tuned.captured)
        self.assertIn(tuned.winner["outcome"], (_abi.ATC_OUTCOME_WON, _abi.ATC_OUTCOME_TIED))
        self.assertGreaterEqual(len(atc.tune_exhaustively(self.problem).candidates), len(tuned.candidates))

    def test_a_plan_has_a_choice_and_candidates_and_runs(self):
        choice = atc_abi.Plan(atc, self.problem).choice()
        plan = atc_abi.Plan(atc, self.problem, choice)
        self.assertEqual(plan.choice(), choice)
        self.assertEqual(plan.refused(), {})
        self.assertIsInstance([atc_abi.choice_of(one) for one in plan.candidates()], list)
        x, w, y = Memory(1, 8, 6, 6), Memory(4, 8, 3, 3), Memory(1, 4, 6, 6)
        x.data[:] = [1.0] * len(x.data)
        w.data[:] = [0.5] * len(w.data)
        views = [layers.view(one, "f32", "last") for one in (x, w, y)]
        plan.execute(views[0], views[1], None, views[2], 0)
        # Each output is a sum of products 1.0 * 0.5. In a corner of the image 4 of the 9 filter elements lie on the
        # input, inside of the image all 9. With 8 channels, the sums have 32 and 72 products.
        self.assertEqual((y.data[0], max(y.data)), (16.0, 36.0))

    def test_an_error_has_the_text_of_atc(self):
        with self.assertRaisesRegex(RuntimeError, "nobody"):
            atc_abi.Plan(atc, self.problem, "nobody@1:x")

    def test_an_allocator_calls_back(self):
        fields, seen = dict(_abi.atc_allocator._fields_), []
        one = atc_abi.sized(_abi.atc_allocator, alloc=fields["alloc"](lambda *given: seen.append(given[1]) or 64),
                            free=fields["free"](lambda *given: seen.append(given[1])))
        self.assertEqual(one.alloc(None, 8, atc_abi.CUDA, None), 64)
        one.free(None, 64, atc_abi.CUDA, None)
        self.assertEqual(seen, [8, 64])
        self.assertFalse(one.destroy)


class Cell:
    """A stand-in for a cell (the measurements of one layer). The test sets its times."""

    layer, place = Layer("l 1 8 0 6 6 4 0 3 3 1 1 1 1"), 0

    def problem(self, _):
        return layers.problem(atc, self.layer, "forward", "f32", "last")

    def operands(self):
        return None

    def torch_call(self, _):
        return None


class Measure(unittest.TestCase):
    OPTIONS = types.SimpleNamespace(samples=3, seed=1)

    def setUp(self):
        self.replace(rotation=lambda operands: [operands], captured=lambda call, sets: (call, None),
                     milliseconds=lambda graphs, samples: {name: [self.times[name]] * samples for name in graphs},
                     Load=lambda seed=None: contextlib.nullcontext(), quiet=contextlib.nullcontext,
                     after_load=contextlib.nullcontext, first_seconds=lambda *_: 0.0, BUDGET=60.0,
                     CONDITIONS={"quiet": contextlib.nullcontext})
        self.some = []

    def replace(self, **names):
        for name, value in names.items():
            self.addCleanup(setattr, measure, name, getattr(measure, name))
            setattr(measure, name, value)

    def decide(self, *choices):
        """Returns a stand-in for libatc. Its first race (the timing of a layer's candidates) chooses the first of these
        candidates, its second race chooses the second one, and so on."""
        given = iter(choices)

        def tune(problem, **_):
            choice = next(given)
            return types.SimpleNamespace(choice=choice, captured=choice, provisional=False, why="", winner=None,
                                         candidates=[{"choice": one} for one in self.some])
        return types.SimpleNamespace(lib=atc.lib, check=atc.check, set=atc.set, tune=tune, tune_exhaustively=tune)

    def two(self):
        tuned = atc.tune_exhaustively(Cell().problem(atc))
        found = [one["choice"] for one in tuned.candidates if one["samples"]]
        if len(found) < 2:
            self.skipTest("this libatc has one candidate for the layer: it is built without oneDNN")
        return found[:2]

    def test_regret_is_over_the_best_of_all(self):
        one, other = self.two()
        self.times = {"default": 3.0, "oracle": 2.0}
        self.assertEqual(measure.regret(self.decide(one, other), Cell(), self.OPTIONS)["regret"], 0.5)
        self.assertEqual(measure.regret(self.decide(one, one), Cell(), self.OPTIONS)["regret"], 0)

    def test_noise_compares_the_choice_with_the_quiet_one_and_with_libtorchs(self):
        one, other = self.two()
        self.some, self.times = [one, other], {"noisy": 3.0, "quiet": 2.0, "torch": 1.0}
        row = measure.noise(self.decide(one, other), Cell(), self.OPTIONS)
        self.assertEqual((row["behind"], row["torch_behind"], row["lost"]), (0.5, 0.0, {"choice": other}))

    def test_techniques_are_compared_with_the_best_of_them(self):
        one, other = self.two()
        self.times = {one: 2.0, other: 3.0}
        found = measure.techniques(self.decide(one, other, one, one, one), Cell(), self.OPTIONS)["decided"]["quiet"]
        self.assertEqual([decided["behind"] for decided in found.values()], [0.0, 0.5, 0.0, 0.0, 0.0])

    def test_a_deterministic_choice_that_is_the_same_costs_nothing(self):
        self.assertEqual(measure.determinism(atc, Cell(), self.OPTIONS)["cost"], 1.0)

    def test_limits_have_the_time_of_each_candidate(self):
        row = measure.limits(atc, Cell(), self.OPTIONS)
        self.assertEqual(len(row["candidate_ms"]), len(list(atc_abi.Plan(atc, Cell().problem(atc)).candidates())))
        self.assertGreater(len(row["candidate_ms"]), 0)

    def test_captured_compares_both_workspaces(self):
        memory = types.SimpleNamespace(data_ptr=lambda: 64, numel=lambda: 64)
        sys.modules["torch"].empty, sys.modules["torch"].uint8 = lambda *_, **__: memory, 0
        self.times = {"atc": 3.0, "caller": 2.0}
        row = measure.with_workspace(atc, Cell(), self.OPTIONS)
        self.assertEqual(row.get("ratio", 1.5), 1.5)
        self.assertIn("workspace", row)


if __name__ == "__main__":
    unittest.main()
