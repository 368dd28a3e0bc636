"""Tests the lab, a script that compares new candidates with the existing ones: one race on the CPU, and the table of
many races.

    ATC_LIBRARY=libatc.so.1 python3 test_lab.py BENCH_FOLDER      (no LibTorch, no device)
"""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))

import lab  # noqa: E402

LAYERS = "one 1 8 0 6 6 8 0 3 3 1 1 1 1\ntwo 1 8 0 6 6 8 0 1 1 0 1 1 1\n"


def parsed(*arguments):
    with contextlib.redirect_stderr(io.StringIO()) as said:
        try:
            return lab.parse(arguments)
        except SystemExit:
            return said.getvalue()


class Cells(unittest.TestCase):
    def keys(self, *arguments):
        return [key for _, key in lab.cells_of(parsed(*arguments))]

    def test_are_those_of_the_family_and_of_the_lists(self):
        self.assertEqual(self.keys("--family", "depthwise", "--layers", "dw7_96,rn50_conv1", "--sets", "fp16-last", "--ops",
                                   "forward,backward-data"),
                         [("dw7_96", "forward", "fp16", "last"), ("dw7_96", "backward-data", "fp16", "last")])
        pointwise = [layer for layer, _ in lab.cells_of(parsed("--family", "pointwise"))]
        self.assertEqual({(max(layer.kernel), layer.groups) for layer in pointwise}, {(1, 1)})

    def test_are_drawn_by_a_seed_and_shared_by_processes(self):
        drawn = self.keys("--cells", "9", "--seed", "1")
        self.assertEqual(drawn, self.keys("--cells", "9", "--seed", "1"))
        self.assertNotEqual(drawn, self.keys("--cells", "9", "--seed", "2"))
        self.assertEqual(self.keys("--cells", "9", "--seed", "1", "--shard", "2/3"), drawn[1::3])

    def test_wrong_options_are_named(self):
        self.assertIn("'fp8-last' is none of tf32-first", parsed("--sets", "fp8-last"))
        self.assertIn("--resume needs --out", parsed("--resume"))
        with self.assertRaisesRegex(SystemExit, "has no such layer of depthwise"):
            self.keys("--family", "depthwise", "--layers", "rn50_conv1")


class Table(unittest.TestCase):
    def test_has_means_over_each_group_and_over_all(self):
        def row(own, cudnn, **more):
            sides = {name: {"median_ms": ms, "choice": "a@1:b"} for name, ms in (("own", own), ("cudnn", cudnn)) if ms}
            return {"class": "dense", "op": "forward", "format": "fp16", "layout": "last", "floor_ms": 1.0, **sides, **more}
        lines = list(lab.table([row(2.0, 8.0), row(4.0, None), row(8.0, 4.0, op="backward-data")]))
        self.assertIn("own/floor", lines[0])
        self.assertEqual(lines[2].split(), ["dense", "forward", "fp16-last", "2", "2.83", "8.00", "2.83", "4.00", "1/1"])
        self.assertEqual(lines[-1].split(), ["all", "3", "4.00", "5.66", "3.17", "1.41", "1/2"])


class Races(unittest.TestCase):
    def run_lab(self, folder, *more):
        (folder / "layers.txt").write_text(LAYERS)
        sys.argv[1:] = ["--device", "cpu", "--shapes", str(folder / "layers.txt"), "--sets", "fp32-last", "--ops", "forward",
                        "--race-budget", "60", "--out", str(folder / "out.jsonl"), *more]
        with contextlib.redirect_stderr(io.StringIO()) as said:
            lab.main()
        return said.getvalue(), [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]

    def test_have_a_line_with_all_candidates_and_are_resumed(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            _, lines = self.run_lab(folder, "--layers", "one")
            self.assertEqual([line.get("layer") for line in lines], [None, "one"])
            row = lines[1]
            self.assertNotIn("failed", row)
            self.assertIn(row["choice"], [one["choice"] for one in row["candidates"]])
            self.assertEqual(sum(map(len, row["offers_ms"].values())), len(row["candidates"]))
            self.assertFalse([one for one in row["candidates"] if one["choice"].startswith("reference@")])
            said, lines = self.run_lab(folder, "--resume")
            self.assertEqual([line.get("layer") for line in lines], [None, "one", None, "two"])
            self.assertRegex(said, r"\nall +2 ")
            said, lines = self.run_lab(folder, "--budget", "0")
            self.assertIn("left: 2 of forward fp32-last", said)


if __name__ == "__main__":
    unittest.main()
