"""Tests scripts/make-pack with stores that this machine tunes: make_pack.py SOURCE_DIR. The variable ATC_LIBRARY
names libatc."""

import hashlib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))
sys.path.insert(0, str(SOURCE / "python"))
import atc  # noqa: E402

CHANNELS = (4, 8, 12)


def problem(channels):
    return atc.Problem(batch=1, in_channels=channels, input=(8, 8), out_channels=channels, kernel=3, padding=1)


class MakePack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.root = Path(cls.folder.name)
        # Makes two stores, as if two machines had each measured a part of the problems. One problem is in both stores.
        for name, channels in (("one", CHANNELS[:2]), ("two", CHANNELS[1:])):
            with atc.Store(cls.root / name) as store:
                atc.tune([problem(count) for count in channels], store=store, technique="once", problem_budget=60)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def make(self, out, *arguments, status=0):
        done = subprocess.run([sys.executable, SOURCE / "scripts/make-pack", self.root / out, "test", *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def pack(self, out, *arguments):
        self.make(out, self.root / "one", self.root / "two", *arguments)
        listed = json.loads((self.root / out / "test.json").read_text())
        return listed, [(self.root / out / one["file"]).read_bytes() for one in listed]

    def test_a_machine_with_the_pack_runs_what_was_chosen(self):
        listed, bundles = self.pack("out")
        with atc.Store(self.root / "new") as new, atc.Store(self.root / "joined") as joined:
            for bundle in bundles:
                new.import_bundle(bundle, join=True)
            for name in ("one", "two"):
                with atc.Store(self.root / name, "read") as store:
                    joined.import_bundle(store.export_bundle(), join=True)
            self.assertEqual(new.digest(), joined.digest())
            self.assertEqual(len(new), len(CHANNELS))
            for count in CHANNELS:
                self.assertIsNotNone(new.get(problem(count)))
        self.assertEqual(sum(one["entries"] for one in listed), len(CHANNELS))

    def test_entries_are_slim_and_say_where_they_come_from(self):
        _, bundles = self.pack("slim", "--host", "a lab")
        with atc.Store(self.root / "taken") as store:
            for bundle in bundles:
                store.import_bundle(bundle)
            for entry in store.entries():
                value = entry["value"]
                # A pack keeps, of each decision, the candidates that are a choice or the default. A call on the CPU
                # is not captured, so a decision has no further choice for captured calls.
                self.assertEqual(len(value["candidates"]), len({value["winner"], value["default"]}))
                winner = value["candidates"][value["winner"]]
                self.assertEqual(winner["configuration"], value["choice"]["configuration"])
                self.assertGreater(winner["mean"], 0)
                self.assertIn("default", value)
                self.assertEqual(value["host"], "a lab")
                self.assertIn("date", value)

    def test_bundles_are_no_larger_than_asked(self):
        (one,) = self.pack("whole")[1]
        most = len(one) * 2 // 3
        listed, bundles = self.pack("split", "--bytes", str(most))
        self.assertGreater(len(bundles), 1)
        for entry, bundle in zip(listed, bundles):
            self.assertLessEqual(len(bundle), most)
            self.assertEqual((entry["bytes"], entry["sha256"]), (len(bundle), hashlib.sha256(bundle).hexdigest()))
        self.assertIn("more than --bytes 9", self.make("tiny", self.root / "one", "--bytes", "9", status=1))

    def test_the_same_stores_make_the_same_pack(self):
        self.assertEqual(self.pack("first"), self.pack("second"))

    def test_a_store_that_is_not_there_is_named(self):
        self.assertIn("nowhere: no such store", self.make("none", self.root / "nowhere", status=1))
        (self.root / "empty").mkdir()
        self.assertIn("no decision", self.make("none", self.root / "empty", status=1))


if __name__ == "__main__":
    unittest.main()
