"""Tests tuning: reports, progress, and cancelling."""

import dataclasses
import os
import signal
import threading
import unittest

import atc
from support import QUICK as RACE
from support import is_let_go, small

QUICK = {**RACE, "store": False}


class Reports(unittest.TestCase):
    def test_a_report_has_each_problem_and_its_candidates(self):
        problems = [small(input=(21, 20)), small(input=(22, 20), direction="backward-data")]
        report = atc.tune(problems, **QUICK)
        self.assertEqual(([one.problem for one in report.problems], report.device, report.cancelled),
                         (problems, "cpu", False))
        for one in report.problems:
            self.assertIsNone(one.error)
            self.assertEqual(one.description, one.problem.describe())
            self.assertEqual(one.candidates[one.winner].choice, one.choice)
            self.assertFalse(one.stored)
            timing = one.candidates[one.winner].timing
            self.assertTrue(0 < timing.min <= timing.median <= timing.max)
            self.assertGreater(one.speedup, 0)
        self.assertEqual(report.provisional, sum(one.provisional and not one.undecided for one in report.problems))
        self.assertIn(problems[1].describe(), str(report))

    def test_a_problem_that_fails_does_not_stop_the_others(self):
        report = atc.tune([small(input=(23, 20)), small(input=(24, 20))], engines_allowed=["reference"],
                          total_budget=0, **QUICK)
        self.assertEqual([type(one.error) for one in report.problems], [atc.NotTuned] * 2)
        self.assertIn("failed", str(report))

    def test_a_race_without_a_comparison_is_undecided(self):
        report = atc.tune([small(input=(26, 20))], problem_budget=0)
        (one,) = report.problems
        self.assertEqual((one.error, one.undecided, one.stored, report.undecided, report.provisional),
                         (None, True, False, 1, 0))
        self.assertIn("undecided", str(report))
        self.assertIn("1 undecided", report._repr_html_())

    def test_a_problem_that_is_none_is_refused_with_its_index(self):
        with self.assertRaisesRegex(atc.InvalidArgument, r"\[1\]"):
            atc.tune([small(), small(groups=3)], **QUICK)

    def test_an_empty_list(self):
        self.assertEqual(atc.tune([]).problems, ())

    def test_html_is_escaped(self):
        report = atc.tune([small(input=(25, 20))], **QUICK)
        hostile = dataclasses.replace(report.problems[0], description="<b>&")
        html = dataclasses.replace(report, problems=(hostile,), device="<i>")._repr_html_()
        self.assertIn("1 problems on &lt;i&gt;", html)
        self.assertIn("<td>&lt;b&gt;&amp;</td>", html)
        self.assertEqual(html.count("<tr>"), 2)

    def test_options_of_plans_are_no_options_of_tuning(self):
        with self.assertRaisesRegex(TypeError, "budget is no option"):
            atc.tune([small()], budget=1)
        with self.assertRaisesRegex(atc.InvalidArgument, "retune is 'always'"):
            atc.tune([small()], retune="always")


class Progress(unittest.TestCase):
    def test_it_is_told_from_the_start_of_the_first_to_the_end_of_the_last(self):
        seen = []
        problems = [small(input=(26, 20)), small(input=(27, 20))]
        atc.tune(problems, progress=seen.append, **QUICK)
        self.assertEqual((seen[0].problem, seen[0].problem_fraction, seen[0].problems), (0, 0.0, 2))
        self.assertEqual((seen[-1].problem, seen[-1].problem_fraction), (1, 1.0))
        self.assertEqual({one.description for one in seen}, {problem.describe() for problem in problems})

    def test_false_cancels_and_the_report_says_so(self):
        report = atc.tune([small(input=(28, 20)), small(input=(29, 20))], progress=lambda _: False, **QUICK)
        self.assertTrue(report.cancelled)
        self.assertIn("cancelled", report._repr_html_())

    def test_it_is_let_go_at_the_end(self):
        self.assertTrue(is_let_go(lambda progress: atc.tune([small(input=(34, 20))], progress=progress, **QUICK)))

    def test_none_goes_on(self):
        self.assertFalse(atc.tune([small(input=(30, 20))], progress=lambda _: None, **QUICK).cancelled)

    def test_what_it_raises_comes_out_in_the_thread_of_the_call(self):
        caught, calls = [], []

        def fail(progress):
            calls.append(progress)
            raise KeyboardInterrupt

        def tune():
            try:
                atc.tune([small(input=(31, 20))], progress=fail, **QUICK)
            except KeyboardInterrupt as raised:
                caught.append(raised)

        thread = threading.Thread(target=tune)
        thread.start()
        thread.join()
        self.assertEqual((len(caught), len(calls)), (1, 1))

    def test_ctrl_c_ends_it(self):
        with self.assertRaises(KeyboardInterrupt):
            atc.tune([small(input=(33, 20))], progress=lambda _: os.kill(os.getpid(), signal.SIGINT), **QUICK)

    def test_a_call_that_would_wait_for_its_own_callback_is_busy(self):
        caught = []

        def tune_again(_progress):
            try:
                atc.tune([small()], **QUICK)
            except atc.Busy as raised:
                caught.append(raised)
            return False

        atc.tune([small(input=(32, 20))], progress=tune_again, **QUICK)
        self.assertEqual(len(caught), 1)


if __name__ == "__main__":
    unittest.main()
