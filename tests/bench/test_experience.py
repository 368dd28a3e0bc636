"""Tests two scripts about experience (the stored results of earlier races, where a race times the candidates of one
convolution). One script builds the experience into the library. The other one replays in which order candidates were
timed.

    python3 test_experience.py BENCH_FOLDER      (no library, no device)"""

import contextlib
import io
import json
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))

import replay_turns  # noqa: E402
import ship_experience  # noqa: E402


def moments(numbers):
    mean = sum(numbers) / len(numbers)
    return [len(numbers), mean, sum((value - mean)**2 for value in numbers) / len(numbers)]


class Shipped(unittest.TestCase):
    def test_moments_of_two_halves_are_those_of_the_whole(self):
        numbers = [0.3, -1.2, 2.5, 0.7, 0.1]
        joined = ship_experience.joined(moments(numbers[:2]), moments(numbers[2:]))
        for one, other in zip(joined, moments(numbers)):
            self.assertAlmostEqual(one, other)

    def test_rare_kinds_are_left_out_and_numbers_are_bounded(self):
        self.assertEqual(ship_experience.shortened({"rare": [1, 0, 0], "often": [99, 0.123456, 1]}), {"often": [64, 0.1235, 1.0]})
        many = {str(kind): [3 + kind, 0, 0] for kind in range(3000)}
        self.assertEqual(len(ship_experience.shortened(many)), ship_experience.MOST_KINDS)
        self.assertIn("2999", ship_experience.shortened(many))

    def test_files_of_one_compute_capability_are_merged(self):
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for place, (capability, number) in enumerate([([9, 0], 3), ([9, 0], 5), ([8, 6], 4), (None, 7)]):
                files.append(pathlib.Path(folder, f"experience-{place}.json"))
                environment = {"compute_capability": capability} if capability else {"name": "a CPU"}
                files[-1].write_text(json.dumps({"schema": 1, "environment": environment,
                                                 "ratios": {"kind": [number, 1.0, 0.0]}, "turns": {}}))
            devices = ship_experience.merged(files)
            self.assertEqual(devices["[9,0]"]["ratios"]["kind"], [8, 1.0, 0.0])
            self.assertEqual(devices["[8,6]"]["ratios"]["kind"][0], 4)
            self.assertEqual(len(devices), 2)
            files[0].write_text(files[0].read_text().replace('"schema": 1', '"schema": 2'))
            with self.assertRaisesRegex(SystemExit, "schema 2"):
                ship_experience.merged(files)

    def test_the_source_has_the_text_of_each_device(self):
        kinds = {f"kind {number}": [5, number / 7, 0.5] for number in range(900)}
        source = ship_experience.source_of({"A": {"ratios": kinds, "turns": {}}, "B": {"ratios": {}, "turns": {}}})
        self.assertIn('compute_capability == "B"', source)
        of_a = source[source.index('compute_capability == "A"'):source.index('compute_capability == "B"')]
        text = "".join(re.findall(r'R"~\((.*?)\)~"', of_a, re.S))
        self.assertEqual(json.loads(text)["ratios"], ship_experience.shortened(kinds))
        self.assertIn('{ return ""; }', ship_experience.source_of({}))


class Replayed(unittest.TestCase):
    def cell(self, **times):
        return replay_turns.Cell({"layer": "rn50_3x3_256", "op": "forward", "format": "fp32", "layout": "first",
                                  "offers_ms": times})

    def test_a_turn_is_taken_only_if_it_pays(self):
        cell = self.cell(cudnn=[0.1, 0.2, None], dense=[0.05])
        self.assertEqual(sorted(replay_turns.replay(cell, {}, 1e9)), [0, 1, 2])
        self.assertEqual(replay_turns.replay(cell, {}, 1), [0])

    def test_what_was_slow_elsewhere_comes_last(self):
        cell = self.cell(cudnn=[0.1], dense=[0.05], nhwc=[0.04])
        slow = {cell.kind("dense"): (64, 2.5, 0.4)}
        self.assertEqual(replay_turns.replay(cell, slow, 1e12)[-1], 1)
        self.assertNotIn(1, replay_turns.replay(cell, slow, 1e4))

    def test_the_table_has_a_line_for_each_number_of_calls(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = [{"layer": layer, "op": "forward", "format": "fp32", "layout": "first", "offers_ms": {"cudnn": [0.1, 0.2]}}
                    for layer in ("rn50_3x3_256", "vgg_3x3_64")]
            pathlib.Path(folder, "offers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
            said = io.StringIO()
            with contextlib.redirect_stdout(said), mock.patch("sys.argv", ["replay", folder, "--calls", "1", "1e9"]):
                replay_turns.main()
            lines = said.getvalue().splitlines()
            self.assertEqual(len(lines), 3)
            self.assertIn("1 calls: 2 turns", lines[1])
            self.assertIn("1e+09 calls: 4 turns", lines[2])


if __name__ == "__main__":
    unittest.main()
