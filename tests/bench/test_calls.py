"""Tests the calls of atc that the measurements on CUDA make, on the CPU and without LibTorch.

    ATC_LIBRARY=libatc.so.1 python3 test_calls.py BENCH_FOLDER
"""

import ctypes
import os
import pathlib
import sys
import types
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))
# What the modules read of LibTorch when they are imported.
sys.modules["torch"] = types.SimpleNamespace(float32=1, bfloat16=2, float16=3)

import atc_abi  # noqa: E402
import layers  # noqa: E402
from atc import _abi  # noqa: E402
from shapes import Layer  # noqa: E402

atc_abi.CUDA = layers.CUDA = _abi.atc_device(_abi.ATC_DEVICE_CPU, 0)
atc = atc_abi.Atc(os.environ["ATC_LIBRARY"])


class Memory:
    """A tensor of LibTorch, as far as a view of it needs one."""

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
        self.assertEqual((y.data[0], max(y.data)), (16.0, 36.0))  # 4 and 9 pixels of 8 channels

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


if __name__ == "__main__":
    unittest.main()
