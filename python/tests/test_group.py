"""Tests ranks of a job that tune together. The ranks share a folder, a store of torch, or a group that the
program defines."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest

import atc
from support import PACKAGE, in_process, small

RANK = os.path.join(os.path.dirname(os.path.abspath(__file__)), "group_rank.py")
HAS_TORCH = importlib.util.find_spec("torch") is not None


def run_job(kind, where, size, ranks=None, threads=None):
    """Runs a job of `size` processes (ranks), each of which runs group_rank.py. `threads` has the number of OpenMP
    threads of each rank. Returns the JSON that each rank prints."""
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    started = [subprocess.Popen([sys.executable, RANK, kind, where, str(rank), str(size)], stdout=subprocess.PIPE,
                                text=True, env={**environment, "OMP_NUM_THREADS": str(threads[rank])} if threads
                                else environment) for rank in ranks or range(size)]
    return [json.loads(one.communicate(timeout=240)[0]) for one in started]


class Jobs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "keys")

    def check(self, told, size):
        self.assertEqual(len({one["digest"] for one in told}), 1)
        self.assertEqual(len({tuple(one["choices"]) for one in told}), 1)
        self.assertEqual(sum(one["measured"] for one in told), 3, "each problem is measured by one rank")
        for one in told:
            self.assertEqual(one["ranks"], list(range(size)))
            self.assertEqual(set(one["sources"]), {"agreed"})

    def test_a_folder(self):
        self.check(run_job("folder", self.path, 4), 4)

    def test_ranks_with_another_number_of_threads_are_a_class_of_their_own(self):
        if "oneDNN" not in [library.name for library in atc.libraries()]:
            self.skipTest("without oneDNN the number of threads is that of the processors")
        told = run_job("folder", self.path, 4, threads=(1, 1, 2, 2))
        for one in told:
            (first, none), (second, differences) = one["classes"]
            self.assertEqual((first, none, second), ([0, 1], "", [2, 3]))
            self.assertRegex(differences, r"threads is 2 \(first class: 1\)")
        digests = [one["digest"] for one in told]
        self.assertEqual((digests[0], digests[2]), (digests[1], digests[3]))
        self.assertNotEqual(digests[0], digests[2])

    def test_a_prefix_serves_one_attempt(self):
        run_job("folder", self.path, 2)
        for one in run_job("folder", self.path, 2):
            self.assertIn("attempt-0/0", one["error"])

    @unittest.skipUnless(HAS_TORCH, "torch is missing")
    def test_a_file_store_of_torch(self):
        self.check(run_job("file", self.path, 4), 4)

    @unittest.skipUnless(HAS_TORCH, "torch is missing")
    def test_a_tcp_store_of_torch(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.check(run_job("tcp", f"127.0.0.1:{port}", 4), 4)


class Keys(atc.Group):
    """A group with one rank, which keeps its keys in memory."""

    def __init__(self, **fields):
        super().__init__(**{"rank": 0, "size": 1, "prefix": "own", **fields})
        self.keys = {}

    def create(self, key, value):
        return self.keys.setdefault(key, value)

    def get(self, key, timeout):
        return self.keys.get(key)


class OwnGroups(unittest.TestCase):
    PROBLEM = small(input=(41, 20))

    def test_its_keys_begin_with_the_prefix(self):
        group = Keys(prefix="own-keys")
        report = atc.tune([self.PROBLEM], group=group, technique="once", store=False)
        self.assertEqual(report.agreement.classes[0].ranks, (0,))
        self.assertTrue(group.keys)
        for key, value in group.keys.items():
            self.assertTrue(key.startswith("own-keys/0/"), key)
            self.assertIsInstance(value, bytes)

    def test_what_it_raises_comes_out(self):
        class Failing(Keys):
            def get(self, key, timeout):
                raise ConnectionError("the server is gone")
        with self.assertRaisesRegex(ConnectionError, "the server is gone"):
            atc.tune([self.PROBLEM], group=Failing(prefix="failing"), store=False)

    def test_a_rank_that_does_not_call_is_named(self):
        with self.assertRaisesRegex(atc.NotAgreed, r"rank 1: it did not call within 1 s \(prefix 'alone/0'\)"):
            atc.tune([self.PROBLEM], group=Keys(prefix="alone", size=2, bound=1), store=False)

    def test_bad_fields_are_named(self):
        with self.assertRaisesRegex(atc.InvalidArgument, "rank 2 of 2"):
            atc.tune([self.PROBLEM], group=Keys(rank=2, size=2))
        with self.assertRaisesRegex(atc.InvalidArgument, "it is an atc.Group"):
            atc.tune([self.PROBLEM], group="ranks")

    def test_calls_of_a_rank_measure_nothing(self):
        code = ("import atc; p = atc.Problem(batch=1, in_channels=2, input=(9, 9), out_channels=2, kernel=3);"
                "s = atc.Plan(p, tune=True, store=False).source;"
                "print(s == 'reference' or (s == 'default' and len(atc.Problems.noted()) == 1))")
        self.assertEqual(in_process(code, WORLD_SIZE="2"), "True")


if __name__ == "__main__":
    unittest.main()
