"""Tests the figures on the page of the measurements on CUDA: floors (the shortest possible times), classes of layers,
and gains.

    python3 test_report.py BENCH_FOLDER      (no LibTorch, no device)
"""

import json
import pathlib
import sys
import tempfile
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))

import in_networks  # noqa: E402
import report  # noqa: E402
import rows  # noqa: E402
import training  # noqa: E402
from shapes import FOLDER, Layer, floor_ms, read_classes, read_layers  # noqa: E402


def row(layer="rn50_3x3_64", op="forward", fmt="fp16", layout="last", heuristic=2.0, benchmark=1.5, atc=1.0):
    return {"layer": layer, "op": op, "format": fmt, "layout": layout,
            "ms": {"heuristic": heuristic, "benchmark": benchmark, "atc": atc}}


class Floor(unittest.TestCase):
    def test_of_a_layer_bound_by_its_flops(self):
        # The floor is the number of operations, 2 * 64 * 56 * 56 * 64 * 64 * 9, divided by 368 TFLOP/s, the speed of
        # TF32.
        layer = Layer("l 64 64 0 56 56 64 0 3 3 1 1 1 1")
        self.assertEqual(layer.flops(), 14797504512)
        self.assertAlmostEqual(floor_ms(layer, "forward", "tf32"), 14797504512 / 368e12 * 1e3)

    def test_of_a_layer_bound_by_its_bytes(self):
        layer = Layer("l 64 64 0 56 56 256 0 1 1 0 1 1 1")
        elements = 64 * 64 * 56 * 56 + 256 * 64 + 64 * 256 * 56 * 56
        self.assertAlmostEqual(floor_ms(layer, "forward", "fp16"), 2 * elements / 4.26e12 * 1e3)
        self.assertAlmostEqual(floor_ms(layer, "forward-bias", "fp16"), 2 * (elements + 256) / 4.26e12 * 1e3)

    def test_of_a_depthwise_layer_is_of_multiply_adds_in_each_format(self):
        layer = Layer("l 16 256 0 32 32 256 0 13 13 6 1 1 256")
        flops = 2 * 16 * 256 * 32 * 32 * 13 * 13
        for fmt in ("fp32", "tf32", "fp16", "bf16"):
            self.assertAlmostEqual(floor_ms(layer, "backward-data", fmt), flops / 51e12 * 1e3)

    def test_reads_a_value_for_each_dimension(self):
        layer = Layer("l 1 8 9 20 30 8 3 3 1 0,1,0 1,2,1 1 1  # x2, 1.0 %")
        self.assertEqual((layer.pad, layer.stride, layer.dil), ([0, 1, 0], [1, 2, 1], [1, 1, 1]))
        self.assertEqual(layer.output, [7, 10, 30])

    def test_counts_the_depth_of_a_layer_and_pads_no_height_of_a_flat_one(self):
        deep = Layer("l 4 64 16 56 56 64 3 3 3 1 1 1 1")
        self.assertEqual(deep.output, [16, 56, 56])
        self.assertEqual(deep.flops(), 2 * 4 * 64 * 16 * 56 * 56 * 64 * 27)
        self.assertEqual(Layer("l 16 2048 0 1 4096 2048 0 1 4 3 1 1 2048").output, [1, 4099])


class Classes(unittest.TestCase):
    def test_each_public_layer_has_one(self):
        layers = read_layers(FOLDER / "public.txt")
        self.assertEqual([layer.name for layer in layers], list(read_classes()))

    def test_follow_from_the_shapes_where_they_can(self):
        classes = read_classes()
        for layer in read_layers(FOLDER / "public.txt"):
            name = classes[layer.name]
            self.assertEqual(name.startswith("depthwise"), layer.groups == layer.c, layer.name)
            self.assertEqual(name == "grouped", 1 < layer.groups < layer.c, layer.name)
            apart = all(kernel <= stride for kernel, stride in zip(layer.kernel, layer.stride))
            self.assertEqual(name.endswith("patch"), apart and max(layer.kernel) > 1, layer.name)


class Page(unittest.TestCase):
    def test_gains_are_over_the_faster_mode_and_over_benchmark_mode(self):
        one = row(heuristic=1.2, benchmark=1.5, atc=1.0)
        self.assertAlmostEqual(report.gain(one), 1.2)
        self.assertAlmostEqual(report.over_benchmark(one), 1.5)

    def test_parts_hold_what_they_say(self):
        of = {name: is_of for name, _, is_of in report.PARTS}
        flat = row("mamba_dw1d_k4")
        self.assertTrue(of["depthwise 1-D"](flat))
        self.assertFalse(of["depthwise, channels last"](flat))
        self.assertTrue(of["dense, half and TF32, with bias"](row(op="forward-bias")))
        self.assertFalse(of["dense, half and TF32, with bias"](row(op="forward-bias", fmt="fp32")))
        self.assertFalse(of["dense, channels first, half, without bias"](row(op="forward-bias", layout="first")))

    def test_a_layer_of_another_file_has_no_floor_but_a_gain(self):
        text = "\n".join([*report.parts([row(), row("other")]), *report.floors([row(), row("other")])])
        self.assertIn("| all cells | 2 | 1.500 | 1.500 |", text)

    def test_calls_in_a_queue_and_training_steps_are_on_it(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual([*report.queued(folder), *training.models(folder)], [])
            queued = {**row(atc=2.0), "slower": True, "choice": "a@1:b", "late": dict.fromkeys(row()["ms"], 0),
                      "issue_us": {"heuristic": 20.0, "benchmark": 21.0, "atc": 9.0}}
            lines = [{"commit": "c", "samples": 3}, queued, {**row(), "failed": "why"}]
            (folder / "queued.jsonl").write_text("\n".join(map(json.dumps, lines)))
            text = "\n".join(report.queued(folder))
            self.assertIn("1 cells and 1 that failed", text)
            self.assertIn("| 20.0 | 21.0 | 9.0 |", text)
            self.assertIn("* slower: rn50_3x3_64, forward, fp16, last: 0.75", text)

            step = {"model": "m", "set": "tf32-first", "mode": "eager", "side": "atc", "busy_ms": 2.0, "kernels": 30.0,
                    "peak_mib": 4.0, "device_used_mib": 5.0, "first_step_s": 6.0}
            lines = [{"commit": "c", "batch": 128}] + [{**step, "step_ms": ms} for ms in (3.0, 2.5, 4.0)]
            (folder / "models.jsonl").write_text("\n".join(map(json.dumps, lines)))
            self.assertIn("| m, tf32-first, eager | atc | 3.00 (2.50 to 4.00) | 2.00 | 30 | 4 | 5 | 6.00 |",
                          "\n".join(training.models(folder)))

    def test_layers_of_networks_count_by_their_time(self):
        # The gain of a network is the sum of its layers' times in PyTorch's faster mode, divided by the sum of their
        # times with atc. densenet has 6 layers densenet_1 and 12 layers densenet_2, so its gain is (6 * 3 + 12 * 1) /
        # (6 * 1 + 12 * 2) = 1. edsr has 33 layers edsr_1, so its gain is 33 * 4 / (33 * 1) = 4.
        cells = [row("densenet_1", heuristic=4.0, benchmark=3.0), row("densenet_2", heuristic=1.0, benchmark=2.0, atc=2.0),
                 row("edsr_1", heuristic=4.0, benchmark=4.0), row("edsr_1", op="forward-bias", atc=100.0)]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual([*in_networks.networks(folder)], [])
            lines = [{"commit": "c"}, *cells, {**row("edsr_2"), "failed": "why"}]
            (folder / "networks.jsonl").write_text("\n".join(map(json.dumps, lines)))
            text = "\n".join(in_networks.networks(folder))
        self.assertIn("| densenet | 1.000 | 1.000 | 0.50 densenet_2, forward, fp16, last |", text)
        self.assertIn("| edsr | 4.000 | 4.000 |", text)
        self.assertIn("| mean | 2.000 | 2.000 | |", text)

    def test_each_layer_of_a_network_has_its_number(self):
        number_of = in_networks.counts()
        self.assertEqual(list(number_of), [layer.name for layer in read_layers(FOLDER / "networks.txt")])
        self.assertTrue(all(number > 0 for _, number in number_of.values()))

    def test_first_steps_of_each_mode_have_a_line(self):
        step = {"model": "m", "set": "tf32-first", "side": "atc"}
        lines = [{"commit": "c", "batch": 128}, {**step, "mode": "eager", "first_step_s": 2.0},
                 {**step, "mode": "graph", "first_step_s": 8.0}]
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "first_steps.jsonl").write_text("\n".join(map(json.dumps, lines)))
            text = "\n".join(training.first_steps(folder))
        self.assertIn("atc at c,", text)
        self.assertIn("| m, tf32-first, eager | 2.00 |\n| m, tf32-first, graph | 8.00 |", text)

    def test_recorded_rows_are_still_read(self):
        folder = BENCH / "results" / "h200"
        _, cells = rows.read(folder / "against_torch.jsonl")
        recorded = (folder / "against_torch.jsonl").read_text().splitlines()
        self.assertEqual(len(cells), sum('"layer"' in line for line in recorded))
        self.assertEqual("\n".join(report.page(folder)) + "\n", (folder / "TABLES.md").read_text())


if __name__ == "__main__":
    unittest.main()
