"""Tests the switches of the process, and `atc.scoped`, which restores the switches at the end of a block."""

import json
import os
import tempfile
import unittest

import atc
from support import SMALL, in_process

CHANGED = {"benchmark_cudnn": True, "benchmark_limit_cudnn": 3, "user_enabled_cudnn": False,
           "deterministic_cudnn": True, "deterministic_algorithms": "warn", "allow_tf32_cudnn": False,
           "benchmark_technique": "till-stable", "workspace_limit": 32 << 20}


def all_switches():
    return {name: getattr(atc.settings, name) for name in CHANGED}


class Switches(unittest.TestCase):
    def setUp(self):
        self.before = all_switches()

    def tearDown(self):
        for name, value in self.before.items():
            setattr(atc.settings, name, value)

    def test_each_is_set_and_got(self):
        for name, value in CHANGED.items():
            with self.subTest(name):
                self.assertNotEqual(getattr(atc.settings, name), value)
                setattr(atc.settings, name, value)
                self.assertEqual(getattr(atc.settings, name), value)
                self.assertIs(type(getattr(atc.settings, name)), type(value))
        self.assertIn("benchmark_limit_cudnn=3", repr(atc.settings))

    def test_limits_of_memory(self):
        self.assertIsNone(atc.settings.race_memory_limit)
        atc.settings.race_memory_limit = 300 << 20
        self.assertEqual(atc.settings.race_memory_limit, 300 << 20)
        atc.settings.race_memory_limit = None
        self.assertIsNone(atc.settings.race_memory_limit)
        self.assertEqual(atc.settings.plan_memory_limit, 2 << 30)
        atc.settings.plan_memory_limit = atc.UNLIMITED
        self.assertEqual(atc.settings.plan_memory_limit, atc.UNLIMITED)
        atc.settings.plan_memory_limit = 2 << 30
        for name in ("race_memory_limit", "plan_memory_limit"):
            for value in (0, -1, float("nan"), 1.5):
                with self.subTest(name=name, value=value), self.assertRaisesRegex(atc.InvalidArgument, name):
                    setattr(atc.settings, name, value)

    def test_the_workspace_limit_is_a_class(self):
        atc.settings.workspace_limit = (32 << 20) + 1
        self.assertEqual(atc.settings.workspace_limit, 32 << 20)
        atc.settings.workspace_limit = atc.UNLIMITED
        self.assertEqual(atc.settings.workspace_limit, 4 << 30)

    def test_values_that_are_none(self):
        for name, value in (("benchmark_cudnn", 7), ("benchmark_limit_cudnn", -1), ("benchmark_limit_cudnn", 1 << 32),
                            ("deterministic_algorithms", "maybe"), ("benchmark_technique", "twice"),
                            ("workspace_limit", -1), ("allow_tf32_cudnn", None)):
            with self.subTest(name, value=value), self.assertRaises(atc.InvalidArgument):
                setattr(atc.settings, name, value)
        self.assertEqual(all_switches(), self.before)

    def test_a_name_that_is_none(self):
        with self.assertRaises(AttributeError):
            atc.settings.benchmark = True

    def test_a_block_puts_its_switches_back_after_an_exception_too(self):
        with self.assertRaisesRegex(RuntimeError, "mine"):
            with atc.scoped(**CHANGED):
                self.assertEqual(all_switches(), CHANGED)
                raise RuntimeError("mine")
        self.assertEqual(all_switches(), self.before)

    def test_a_block_leaves_other_switches_alone(self):
        with atc.scoped(deterministic_cudnn=True):
            with atc.scoped(deterministic_cudnn=False, allow_tf32_cudnn=False):
                self.assertFalse(atc.settings.deterministic_cudnn)
            self.assertTrue(atc.settings.deterministic_cudnn)
            atc.settings.benchmark_cudnn = True
        self.assertEqual(all_switches(), {**self.before, "benchmark_cudnn": True})

    def test_a_block_sets_all_or_none(self):
        with self.assertRaises(atc.InvalidArgument):
            with atc.scoped(benchmark_cudnn=True, benchmark_limit_cudnn=-1):
                self.fail("the block was entered")
        self.assertEqual(all_switches(), self.before)

    def test_a_block_decorates_a_function(self):
        @atc.scoped(deterministic_cudnn=True)
        def inside():
            return atc.settings.deterministic_cudnn

        self.assertEqual([inside(), inside(), atc.settings.deterministic_cudnn], [True, True, False])

    def test_reproducible(self):
        missing = atc.set_reproducible(7)
        self.assertEqual((atc.settings.deterministic_cudnn, atc.settings.deterministic_algorithms), (True, "error"))
        self.assertTrue(all(isinstance(line, str) and line for line in missing))

    def test_folders_of_libraries(self):
        # The code runs in a new process, because the folders can only be set before atc has searched for CUDA's
        # libraries. In this process another test may have caused this search.
        code = "import atc; s = atc.settings; s.library_path = {!r}; print(s.library_path)"
        for folders in (["/a", "/b"], []):
            self.assertEqual(in_process(code.format(folders)), repr(folders))
        with self.assertRaisesRegex(atc.InvalidArgument, "library_path has a NUL byte at 2"):
            atc.settings.library_path = ["/a\0"]


class Pins(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = os.path.join(folder.name, "pins.json")
        self.addCleanup(atc.set_pins, None)

    def write(self, pins):
        with open(self.file, "w", encoding="utf-8") as file:
            json.dump({"schema": 1, "pins": pins}, file)

    def test_a_file_is_obeyed_until_it_is_taken_back(self):
        default = atc.Plan(SMALL)
        other = [one.choice for one in default.candidates if one.choice != default.choice][-1]
        self.write([{"name": "mine", "match": {"in_channels": 4}, "choice": other}])
        atc.set_pins(self.file)
        self.assertEqual(atc.settings.pins, self.file)
        self.assertEqual(atc.pins_for(SMALL)[0]["name"], "mine")
        with atc.Plan(SMALL) as plan:
            self.assertEqual((plan.choice, plan.source), (other, "pinned"))
        self.assertIsNotNone(atc.settings.pins_hash)
        atc.set_pins(None)
        self.assertEqual((atc.settings.pins, atc.settings.pins_hash, atc.pins_for(SMALL)), (None, None, []))
        self.assertEqual(atc.Plan(SMALL).choice, default.choice)

    def test_a_file_that_cannot_be_read_changes_nothing(self):
        self.write([{"match": {}, "bar": "nobody"}])
        atc.set_pins(self.file)
        with self.assertRaisesRegex(atc.FileError, "missing"):
            atc.set_pins(self.file + ".missing")
        self.write([{"match": {"colour": 1}, "bar": "nobody"}])
        with self.assertRaisesRegex(atc.InvalidArgument, "colour"):
            atc.set_pins(self.file)
        self.assertEqual(atc.settings.pins, self.file)


if __name__ == "__main__":
    unittest.main()
