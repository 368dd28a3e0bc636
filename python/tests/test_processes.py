"""Tests convolutions in child processes of a process that has convolved. The children are made by fork or by
spawn."""

import copy
import json
import multiprocessing
import os
import pickle
import shutil
import signal
import tempfile
import unittest

import atc
from support import QUICK, convolves_exactly, in_process, refused_in_child, small

# A problem that is large enough for several OpenMP threads. After the parent has run it, the parent has a pool of
# threads, which a forked child lacks.
LARGE = small(input=(10, 10), in_channels=8, out_channels=8)


class Fork(unittest.TestCase):
    def in_child(self, work):
        """Returns whether `work` returns a true value in a forked child. If the child hangs, a signal ends it."""
        child = os.fork()
        if child == 0:
            signal.alarm(500)
            try:
                os._exit(0 if work() else 1)
            finally:
                os._exit(2)
        return os.waitpid(child, 0)[1] == 0

    def test_a_child_convolves_as_its_parent_does(self):
        self.assertTrue(convolves_exactly(LARGE))
        self.assertTrue(self.in_child(lambda: convolves_exactly(LARGE)))
        self.assertFalse(self.in_child(lambda: False))
        self.assertTrue(convolves_exactly(LARGE))

    def test_a_plan_made_before_the_fork(self):
        plan = atc.Plan(LARGE)
        sample = plan.sample(4)
        self.assertTrue(self.in_child(lambda: plan.sample(4) == sample))

    def test_a_child_tunes(self):
        self.assertTrue(convolves_exactly(LARGE))
        problem = small(input=(33, 20))
        self.assertTrue(self.in_child(
            lambda: atc.tune([problem], store=False, **QUICK).problems[0].error is None))


class DecisionsDigest(unittest.TestCase):
    CODE = """import atc
problems = [atc.Problem(batch=2, in_channels=4, input=(7, width), out_channels=6, kernel=3) for width in (18, 19)]
"""

    def digest(self, **environment):
        return in_process(self.CODE + "print(atc.decisions_digest(problems))", **environment)

    def test_it_is_equal_in_two_processes_with_equal_stores(self):
        with tempfile.TemporaryDirectory() as folder:
            tuned, copied = os.path.join(folder, "tuned"), os.path.join(folder, "copied")
            in_process(self.CODE + "atc.tune(problems[:1], technique='once')", ATC_STORE=tuned)
            digest = self.digest(ATC_STORE=tuned)
            shutil.copytree(tuned, copied)
            self.assertEqual(self.digest(ATC_STORE=copied, ATC_CHECK_RECORDS="never"), digest)
            self.assertEqual(self.digest(ATC_STORE=tuned, ATC_MODE="read"), digest)
            self.assertNotEqual(self.digest(ATC_STORE=tuned, OMP_NUM_THREADS="3"), digest)

    def test_a_pin_changes_it(self):
        with tempfile.TemporaryDirectory() as folder:
            digests = set()
            for choice in ("reference@1:direct", "absent@1:direct"):
                pins = os.path.join(folder, "pins.json")
                with open(pins, "w", encoding="utf-8") as file:
                    json.dump({"schema": 1, "pins": [{"match": {}, "choice": choice}]}, file)
                digests.add(self.digest(ATC_PINS=pins))
            self.assertEqual(len(digests), 2)


class Spawn(unittest.TestCase):
    def test_what_can_be_sent_to_a_worker(self):
        for sent in (atc.tune([LARGE], store=False, **QUICK), atc.explain(LARGE), LARGE):
            self.assertEqual(pickle.loads(pickle.dumps(sent)), sent)
        with tempfile.TemporaryDirectory() as folder:
            for kept in (atc.Plan(LARGE), atc.Store(folder)):
                for refused in (pickle.dumps, copy.deepcopy):
                    with self.assertRaisesRegex(TypeError, "cannot be copied or sent to another process"):
                        refused(kept)

    def test_a_worker_convolves_and_hands_back_its_errors(self):
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            self.assertTrue(pool.apply(convolves_exactly))
            with self.assertRaisesRegex(atc.InvalidArgument, "stride"):
                pool.apply(refused_in_child)


if __name__ == "__main__":
    unittest.main()
