"""Tests the script that replays stored races and predicts their winners.

    python3 test_predictions.py BENCH_FOLDER      (no library, no device)"""

import contextlib
import io
import json
import math
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))

import predictions  # noqa: E402
from replay_turns import Cell  # noqa: E402


def cell(layer="dw3_144", form="fp32", **times):
    return Cell({"layer": layer, "op": "forward", "format": form, "layout": "first", "offers_ms": times})


class Predictions(unittest.TestCase):
    def test_without_other_networks_the_default_is_predicted(self):
        one = cell(cudnn=[0.1], depthwise=[0.01])
        self.assertEqual(predictions.predicted(one, {}), one.default)

    def test_what_was_fast_in_other_networks_is_predicted(self):
        others = [cell("effb_dw", cudnn=[0.1], depthwise=[0.01])] * 20
        with mock.patch.object(predictions, "class_words", lambda row: ("depthwise", "wide")), \
                mock.patch.object(predictions, "layer_of", lambda row: mock.Mock(input=[8, 8])):
            moments = predictions.moments_of(others)
            one = cell(cudnn=[0.3], first=[0.2], depthwise=[0.2, 0.1])
            self.assertEqual(one.candidates[predictions.predicted(one, moments)][:2], ("depthwise", 0))
            # The stored races are all of fp32 layers. So the prediction for a bf16 layer only comes from the widest
            # kind of candidates, which covers all number formats. With `narrow` this kind is not used, and the default
            # is predicted.
            half = cell(form="bf16", cudnn=[0.3], depthwise=[0.2])
            self.assertEqual(predictions.predicted(half, moments), 1)
            self.assertEqual(predictions.predicted(half, moments, narrow=True), half.default)
            self.assertEqual(predictions.predicted(one, moments, caution=40), one.default)

    def test_words_of_the_class_are_those_of_the_library(self):
        self.assertEqual(predictions.class_words({"layer": "dw3_144"}), ("depthwise", "wide"))
        self.assertEqual(predictions.class_words({"layer": "resnext_g32"}), ("grouped", "wide"))
        self.assertEqual(predictions.class_words({"layer": "rn50_1x1_64_256"}), ("dense", "1x1"))

    def test_constants_are_those_of_the_library(self):
        source = (BENCH.parent / "src/tune/forecast.hpp").read_text()
        self.assertIn(f"constexpr double kCaution = {predictions.CAUTION};", source)
        source = (BENCH.parent / "src/conv/race/experience.cpp").read_text()
        self.assertIn(f"constexpr double kMostCounted = {predictions.MOST_COUNTED};", source)

    def test_an_outcome_counts_gains_and_slower_cells(self):
        outcome = predictions.Outcome()
        outcome.add(cell(cudnn=[0.1], depthwise=[0.05]), 1)
        outcome.add(cell(cudnn=[0.1], depthwise=[0.2]), 1)
        outcome.add(cell(cudnn=[0.1], depthwise=[0.05]), 0)
        self.assertAlmostEqual(math.prod(outcome.gains), 1)
        self.assertAlmostEqual(math.prod(outcome.possible), 4)
        self.assertEqual((outcome.others, len(outcome.slower)), (2, 1))
        self.assertIn("slower by more than 5 %: 1, slowest 2.00 x", outcome.line("all"))

    def test_a_network_is_predicted_by_the_others_alone(self):
        cells = [cell("dw3_144", cudnn=[0.1], depthwise=[0.01]), cell("dw5_672", cudnn=[0.1], depthwise=[0.01])] * 10
        whole, classes = predictions.replayed(cells)  # all cells (measured layers) belong to the network dw
        self.assertEqual(whole.others, 0)
        self.assertEqual(list(classes), ["depthwise wide"])

    def test_the_table_names_the_source_and_the_slow_cells(self):
        with tempfile.TemporaryDirectory() as folder:
            head = {"device": "a GPU", "commit": "abc"}
            fast = [dict(cell(layer, cudnn=[0.1], depthwise=[0.01]).row) for layer in ("dw3_144", "mbv3_dw5s1_960_b1")]
            slow = cell("dw3_144", cudnn=[0.1], depthwise=[0.2]).row
            rows = [head] + fast * 20 + [slow]
            pathlib.Path(folder, "offers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            said = io.StringIO()
            with contextlib.redirect_stdout(said), mock.patch("sys.argv", ["predictions", folder, "--slow", "--caution", "0.5", "40"]):
                predictions.main()
            text = said.getvalue()
            self.assertIn("a GPU, races of atc at abc, 2 networks", text)
            self.assertIn("caution 0.5: 41 cells, predicted another candidate in 41", text)
            self.assertIn("dw3_144 forward fp32 first: depthwise takes 2.00 x", text)
            self.assertIn("caution 40: 41 cells, predicted another candidate in 0", text)
            pathlib.Path(folder, "offers.jsonl").write_text(json.dumps(head) + "\n")
            with contextlib.redirect_stderr(said), mock.patch("sys.argv", ["predictions", folder]), self.assertRaises(SystemExit):
                predictions.main()
            self.assertIn("has no cells", said.getvalue())


if __name__ == "__main__":
    unittest.main()
