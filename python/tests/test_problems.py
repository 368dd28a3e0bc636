"""Tests lists of problems: noted by calls, read from JSON, and tuned."""

import os
import tempfile
import unittest

import atc
from support import QUICK as RACE
from support import in_process, small

QUICK = {**RACE, "store": False}
LATER = {"tune": "later", "store": False}


class Noted(unittest.TestCase):
    def setUp(self):
        atc.forget_noted()
        self.addCleanup(atc.forget_noted)

    def test_a_call_measures_nothing_and_tuning_decides_what_it_noted(self):
        problem = small(input=(31, 20))
        plan = atc.Plan(problem, **LATER)
        if plan.source == "reference":
            self.skipTest("only the reference can run it in this build")
        self.assertEqual(plan.source, "default")
        noted = atc.Problems.noted()
        self.assertEqual(len(noted), 1)
        self.assertEqual(noted[0].describe(), problem.describe())
        self.assertEqual([one.describe() for one in noted], [problem.describe()])
        with self.assertRaisesRegex(IndexError, "1 problems"):
            noted[1]
        report = atc.tune(noted, **QUICK)
        self.assertEqual([(one.error, one.source) for one in report.problems], [(None, "tuned")])
        self.assertEqual(report.problems[0].problem.describe(), problem.describe())
        self.assertEqual(atc.Plan(problem, **LATER).source, "memory")
        self.assertEqual(len(atc.Problems.noted()), 0)

    def test_the_environment_says_what_calls_without_the_option_do(self):
        code = ("import atc; p = atc.Problem(batch=1, in_channels=2, input=(9, 9), out_channels=2, kernel=3);"
                "s = atc.Plan(p).source; print(s == 'reference' or len(atc.Problems.noted()) == 1)")
        self.assertEqual(in_process(code, ATC_TUNE="later"), "True")


class Lists(unittest.TestCase):
    def test_json_goes_through_a_file(self):
        problems = [small(input=(32, 20)), small(input=(33, 20), direction="backward-weight", layout="channels-last"),
                    small(input=(34, 20), padding=((1, 0), 2), dtype="bf16"),
                    small(scale=True, residual=True, activation="clamp", activation_low=-1.5, activation_high=2.0)]
        given = atc.Problems()
        for problem in problems:
            given.add(problem, 3)
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "problems.json")
            with open(file, "w", encoding="utf-8") as written:
                written.write(given.json())
            read = atc.Problems.read(file)
        self.assertEqual(list(read), problems)
        read.add_json(given.json())
        self.assertEqual(len(read), 4)
        self.assertEqual(repr(read), "<4 problems>")

    def test_a_text_that_is_none_is_refused_by_name(self):
        with self.assertRaisesRegex(atc.InvalidArgument, "schema"):
            atc.Problems().add_json("{}")
        with self.assertRaisesRegex(atc.InvalidArgument, "it is an atc.Problem"):
            atc.Problems().add("conv")


if __name__ == "__main__":
    unittest.main()
