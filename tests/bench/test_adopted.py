"""Tests the summary of measurements of adopted choices.

    python3 test_adopted.py BENCH_FOLDER      (no library, no device)"""

import pathlib
import sys
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))

import adopted_summary  # noqa: E402


def cell(default, adopted, raced, is_adopted=True):
    return {"adopted": is_adopted, "ms": {"default": default, "adopted": adopted, "raced": raced}}


class Summary(unittest.TestCase):
    def test_share_of_the_gain_and_worst_cell(self):
        # In logarithms of base 2 the gains of adopted choices are 1 + 0 - 1, and those of races are 1 + 2 + 0.
        figures = adopted_summary.summary([cell(2, 1, 1), cell(4, 4, 1, False), cell(1, 2, 1), {"failed": "no memory"}])
        self.assertEqual((figures["cells"], figures["adopted"], figures["losing"]), (3, 2, 1))
        self.assertAlmostEqual(figures["kept"], 0)
        self.assertAlmostEqual(figures["worst"], 1)
        self.assertAlmostEqual(adopted_summary.summary([cell(4, 2, 1), cell(1, 1, 1)])["kept"], 0.5)

    def test_a_loss_of_five_percent_is_not_above_the_limit(self):
        self.assertEqual(adopted_summary.summary([cell(100, 105, 90), cell(100, 106, 90)])["losing"], 1)

    def test_no_gain_is_no_share(self):
        self.assertIsNone(adopted_summary.summary([cell(1, 1, 1)])["kept"])


if __name__ == "__main__":
    unittest.main()
