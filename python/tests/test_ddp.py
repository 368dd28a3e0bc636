"""Runs the example of data-parallel training, with torchrun, gloo and four processes on the CPU."""

import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

import atc
from support import PACKAGE, small

try:
    import torch

    # Raises an AttributeError if `torch` is only the folder torch/ of a checkout, which Python can import as a module.
    torch.nn
    INFO = atc.torch.describe()
except (ImportError, AttributeError, atc.LibraryError) as missing:
    raise unittest.SkipTest(f"torchrun is not tested: {missing}") from None
if INFO.version.partition("+")[0] != INFO.built_for.partition("+")[0]:
    raise unittest.SkipTest(f"torchrun is not tested: torch is {INFO.version}, the bridge is for {INFO.built_for}")

EXAMPLE = os.path.join(os.path.dirname(PACKAGE), "examples", "python", "train_ddp.py")


WARM_RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "warm_rank.py")


def torchrun(size, *arguments):
    """Runs a program in `size` processes, and returns the finished process of torchrun."""
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    return subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(size),
                           *arguments], env=environment, capture_output=True, text=True, timeout=400)


class Ddp(unittest.TestCase):
    def run_example(self, store):
        done = torchrun(4, EXAMPLE, store)
        self.assertEqual(done.returncode, 0, done.stderr)
        # The example has compared the digests (hashes of the decisions) of the ranks. If digests differed, the example
        # would have failed.
        ranks, measured = re.search(r"(\d) ranks, digest \w+, (\d+) problems", done.stdout).groups()
        self.assertEqual(ranks, "4")
        self.assertNotIn("measure nothing", done.stderr, "the warning is for programs that want to measure in calls")
        return int(measured)

    def test_ranks_run_the_same_choices_and_the_next_job_measures_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertGreater(self.run_example(os.path.join(folder, "tuned")), 0)
            self.assertEqual(self.run_example(os.path.join(folder, "tuned")), 0)


# The failure that tuning together avoids: a rank that finds all decisions in its store waits in a collective operation
# for a rank that measures, until a time limit. The limit is a third of the time that measuring takes here.
class WarmBesideCold(unittest.TestCase):
    def test_ranks_that_tune_alone_time_out_and_ranks_that_tune_together_do_not(self):
        with tempfile.TemporaryDirectory() as folder:
            listed, store = os.path.join(folder, "problems.json"), os.path.join(folder, "tuned")
            problems = atc.Problems()
            for width in range(30, 60):
                problems.add(small(in_channels=32, out_channels=32, input=(30, width)))
            with open(listed, "w", encoding="utf-8") as file:
                file.write(problems.json())
            code = ("import atc, sys; print(sum(row.executions > 0 for row in"
                    f" atc.tune(atc.Problems.read({listed!r}), store=atc.Store({store!r})).problems))")
            environment = {**os.environ, "PYTHONPATH": PACKAGE, "OMP_NUM_THREADS": "1", "CUDA_VISIBLE_DEVICES": ""}
            began = time.monotonic()
            measured = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
            seconds = time.monotonic() - began
            self.assertEqual(measured.stdout.strip(), str(len(problems)), measured.stderr)
            told = {}
            for kind in ("alone", "together"):
                done = torchrun(2, WARM_RANK, kind, store, listed, str(seconds / 3))
                told[kind] = done.stdout.strip()
            self.assertEqual(told, {"alone": "timed out", "together": "1 digest"})


if __name__ == "__main__":
    unittest.main()
