"""Runs the example of data-parallel training, with torchrun, gloo and four processes on the CPU."""

import os
import re
import subprocess
import sys
import tempfile
import unittest

import atc
from support import PACKAGE

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


class Ddp(unittest.TestCase):
    def run_example(self, store):
        environment = {**os.environ, "PYTHONPATH": PACKAGE, "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
        done = subprocess.run([sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "4",
                               EXAMPLE, store], env=environment, capture_output=True, text=True, timeout=400)
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


if __name__ == "__main__":
    unittest.main()
