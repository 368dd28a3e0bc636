"""Tests which tests scripts/check builds and runs after a change of a file: test_check.py SCRIPTS_FOLDER

Each case has a small source tree. Stand-ins for ninja, ctest and cargo only note how they are called."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SCRIPTS = pathlib.Path(sys.argv.pop(1)).resolve()
FILES = ["src/conv/decide/rule.cpp", "src/conv/decide/rule.hpp", "src/engines/kernels/dense/plan.cpp", "src/core/json.hpp", "ffi/conv.cpp", "include/atc/conv.h",
         "torch/plan.cpp", "tests/unit/tune/race_test.cpp", "tests/support/grid.cpp", "tests/support/grid.hpp",
         "tests/simulated/device.cpp", "tests/simulated/device.hpp", "bench/cuda/report.py", "bench/tuned.py", "rust/atc/src/safe/plan.rs", "README.md"]
FOLDERS = ["tests/unit/core", "tests/unit/conv", "tests/unit/tune", "tests/unit/engines", "tests/capi", "tests/abi", "tests/bench", "tests/support", "tests/simulated"]
DEPENDENCIES = """\
src/CMakeFiles/atc_internal.dir/conv/decide/rule.cpp.o: #deps 2, deps mtime 1 (VALID)
    /tree/src/conv/decide/rule.cpp
    ../../src/core/json.hpp

tests/unit/conv/CMakeFiles/conv_unit_test.dir/rule_test.cpp.o: #deps 3, deps mtime 1 (VALID)
    ../../tests/unit/conv/rule_test.cpp
    ../../src/conv/decide/rule.hpp
    ../../src/core/json.hpp

tests/capi/CMakeFiles/capi_test.dir/plan_test.cpp.o: #deps 2, deps mtime 1 (VALID)
    /tree/src/core/json.hpp
    /tree/tests/support/grid.hpp
    /tree/tests/simulated/device.hpp
"""


class Check(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.tree = pathlib.Path(scratch.name) / "a tree"
        for file in FILES + [f"{folder}/CMakeLists.txt" for folder in FOLDERS] + [f"build/dev/{folder}/CTestTestfile.cmake" for folder in FOLDERS]:
            (self.tree / file).parent.mkdir(parents=True, exist_ok=True)
            (self.tree / file).touch()
        (self.tree / "build/dev/build.ninja").touch()
        (self.tree / "scripts").mkdir()
        shutil.copy(SCRIPTS / "check", self.tree / "scripts")
        (self.tree / "dependencies").write_text(DEPENDENCIES)
        programs = self.tree / "programs"
        programs.mkdir()
        for name in ("ninja", "ctest", "cargo"):
            (programs / name).write_text(f'#!/bin/sh\ncase "$*" in *"-t deps"*) cat "$TREE/dependencies" ;; *) echo "{name} $*" >>"$TREE/called" ;; esac\n')
            (programs / name).chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "TREE": str(self.tree)}

    def check(self, *arguments, status=0):
        done = subprocess.run(["bash", self.tree / "scripts/check", *arguments], cwd=self.tree, env=self.environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def listed(self, *files):
        return self.check("--list", *files).split()

    def test_a_source_has_the_tests_of_its_layer(self):
        self.assertEqual(self.listed("src/conv/decide/rule.cpp"), ["tests/unit/conv"])
        self.assertEqual(self.listed("src/engines/kernels/dense/plan.cpp"), ["tests/unit/engines"])
        self.assertEqual(self.listed("ffi/conv.cpp", "include/atc/conv.h"), ["tests/abi", "tests/capi"])
        self.assertEqual(self.listed("tests/unit/tune/race_test.cpp"), ["tests/unit/tune"])

    def test_a_header_also_has_the_tests_that_include_it(self):
        self.assertEqual(self.listed("src/conv/decide/rule.hpp"), ["tests/unit/conv"])
        self.assertEqual(self.listed("src/core/json.hpp"), ["tests/capi", "tests/unit/conv", "tests/unit/core"])
        for file in ("tests/support/grid.cpp", "tests/support/grid.hpp", "tests/simulated/device.cpp", "tests/simulated/device.hpp"):
            self.assertEqual(self.listed(file), ["tests/capi"])

    def test_a_measurement_has_the_tests_of_measurements(self):
        self.assertEqual(self.listed("bench/cuda/report.py", "bench/tuned.py"), ["tests/bench"])

    def test_a_crate_has_its_own_tests(self):
        self.assertEqual(self.listed("rust/atc/src/safe/plan.rs"), ["rust/atc"])

    def test_only_those_are_built_and_run(self):
        self.check("src/conv/decide/rule.cpp", "rust/atc/src/safe/plan.rs")
        called = (self.tree / "called").read_text()
        self.assertIn("dev tests/unit/conv/all\n", called)
        self.assertIn("/dev/tests/unit/conv --", called)
        self.assertIn("--package=atc ", called)
        self.assertNotIn("tests/unit/tune", called)

    def test_files_without_tests_and_missing_files_are_named(self):
        self.assertIn("README.md", self.check("README.md"))
        self.check("src/conv/none.cpp", status=2)
        self.assertEqual(self.listed("torch/plan.cpp"), [])  # the build tree of this case has no LibTorch
        self.assertFalse((self.tree / "called").exists())


if __name__ == "__main__":
    unittest.main()
