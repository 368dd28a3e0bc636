"""Tests the script that measures tuning on the CPU: how long a start with a filled store takes, and how near the chosen
candidates are to the fastest ones.

    ATC_LIBRARY=libatc.so.1 python3 test_tuned.py BENCH_FOLDER
"""

import contextlib
import io
import pathlib
import random
import sys
import tempfile
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH))

import tuned  # noqa: E402

LAYERS = "one 4 8 0 6 6 8 0 3 3 1 1 1 1\ndeep 1 4 4 6 6 4 3 3 3 1 1 1 1\ntwo 4 8 0 6 6 8 0 1 1 0 2 1 1\n"


class Tuned(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.layers = self.folder / "layers.txt"
        self.layers.write_text(LAYERS)

    def test_layers_are_the_flat_ones_with_another_batch(self):
        problems = dict(tuned.problems_of(self.layers, 2, "last"))
        self.assertEqual(list(problems), ["one", "two"])
        self.assertEqual((problems["two"].batch, problems["two"].shape("y"), problems["two"].layout),
                         (2, (2, 8, 3, 3), "channels-last"))

    def test_a_tensor_covers_its_shape(self):
        problem = dict(tuned.problems_of(self.layers, 64))["one"]
        tensor = tuned.Tensor(problem, "x")
        self.assertEqual(len(tensor.data), 64 * 8 * 6 * 6)
        self.assertEqual(tensor.view.shape[:4], [64, 8, 6, 6])
        self.assertGreater(len(set(tensor.data)), 1000)

    def test_an_interval_holds_the_ratio_and_an_equal_side_gives_one(self):
        one = [1.0 + i / 100 for i in range(25)]
        self.assertEqual(tuned.interval(one, one, random.Random(1)), (1.0, 1.0))
        low, high = tuned.interval([2 * value for value in one], sorted(one, key=lambda value: value * 7 % 1), random.Random(1))
        self.assertLess(low, 2)
        self.assertGreater(high, 2)

    def test_the_tuned_choice_is_measured_with_the_others(self):
        with contextlib.redirect_stderr(io.StringIO()):
            result = tuned.choice(self.layers, "2", "last", "5", "60")
        self.assertEqual([cell["problem"] for cell in result["cells"]], ["one", "two"])
        for cell in result["cells"]:
            self.assertGreaterEqual(cell["tuned_over_best"], 1)
            self.assertLessEqual(cell["best_ms"], cell["heuristic_ms"])
        self.assertAlmostEqual(result["geomean_tuned_over_best"] ** 2,
                               result["cells"][0]["tuned_over_best"] * result["cells"][1]["tuned_over_best"])

    def test_a_warm_start_counts_what_ran(self):
        result = tuned.warm_start(self.layers, "2", self.folder / "store")
        self.assertEqual(result["problems"], 2)
        self.assertGreater(result["executions"], 0)
        self.assertLessEqual(result["stored"], 2)


if __name__ == "__main__":
    unittest.main()
