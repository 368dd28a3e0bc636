"""Tests that cmake/FindLibTorch.cmake finds the right LibTorch, and that it says why it refuses another LibTorch.

    python3 test_find_libtorch.py CMAKE MODULE_FOLDER
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, MODULES = sys.argv[1:3]
del sys.argv[1:3]

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(probe LANGUAGES NONE)
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS TRUE)
if(LibTorch_MINORS)
  find_package(LibTorch QUIET MODULE)
else()
  find_package(LibTorch 2.11.0 EXACT QUIET MODULE)
endif()
if(LibTorch_FOUND)
  get_target_property(cpu LibTorch::torch_cpu IMPORTED_LOCATION)
  message("found ${LibTorch_VERSION} with ${cpu}")
else()
  message("missing: ${LibTorch_NOT_FOUND_MESSAGE}")
endif()
"""
CHECK = "_ZN3c106detail14torchCheckFailEPKcS2_jRKNSt7__cxx1112basic_stringIcEE"
CHECK_OF_OLD_ABI = "_ZN3c106detail14torchCheckFailEPKcS2_jRKSs"


class FindLibTorch(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        (self.folder / "CMakeLists.txt").write_text(PROJECT)

    def libtorch(self, name: str, version: str = "2.11.0", check: str = CHECK, header: str = "headeronly") -> pathlib.Path:
        root = self.folder / name
        headers = root / "include/torch" / header
        headers.mkdir(parents=True)
        parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
        (headers / "version.h").write_text("".join(f"#define TORCH_VERSION_{part} {value}\n" for part, value in parts))
        (root / "lib").mkdir()
        (root / "lib/libtorch_cpu.so").touch()
        (root / "lib/libc10.so").write_bytes(b"\x7fELF\0" + check.encode() + b"\0")
        return root

    def find(self, *arguments, libtorch="") -> str:
        done = subprocess.run(
            [CMAKE, "-S", self.folder, "-B", self.folder / "build", f"-DCMAKE_MODULE_PATH={MODULES}", *arguments],
            env={**os.environ, "LIBTORCH": str(libtorch), "CMAKE_PREFIX_PATH": ""}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return " ".join(done.stderr.split())

    def test_the_one_that_torch_sys_uses_is_found(self):
        root = self.libtorch("zip")
        self.assertIn(f"found 2.11.0 with {root}/lib/libtorch_cpu.so", self.find(libtorch=root))

    def test_a_root_that_is_named_goes_before_and_alone(self):
        root, other = self.libtorch("named"), self.libtorch("other")
        self.assertIn(f"with {root}/lib", self.find(f"-DLIBTORCH_ROOT={root}", libtorch=other))
        self.assertIn(
            f"missing: LibTorch 2.11.0 was not found. {self.folder}/nowhere: no LibTorch headers.",
            self.find(f"-DLIBTORCH_ROOT={self.folder}/nowhere", libtorch=other),
        )

    def test_the_prefix_path_is_searched(self):
        root = self.libtorch("prefix")
        self.assertIn(f"with {root}/lib", self.find(f"-DCMAKE_PREFIX_PATH=/nowhere;{root}"))

    def test_another_version_is_passed_over(self):
        old, root = self.libtorch("old", "2.9.1", header="csrc/api/include/torch"), self.libtorch("new")
        self.assertIn(f"{old}: LibTorch 2.9.1.", self.find(libtorch=old))
        self.assertIn(f"with {root}/lib", self.find(f"-DLibTorch_MORE_ROOTS={root}", libtorch=old))

    def test_one_of_several_minor_versions_is_taken(self):
        old, root = self.libtorch("old", "2.10.0"), self.libtorch("new", "2.13.1")
        minors = "-DLibTorch_MINORS=2.11;2.13"
        self.assertIn(f"missing: LibTorch 2.11, 2.13 was not found. {old}: LibTorch 2.10.0.", self.find(minors, libtorch=old))
        self.assertIn(f"found 2.13.1 with {root}/lib", self.find(minors, f"-DLibTorch_MORE_ROOTS={root}", libtorch=old))

    def test_the_old_abi_is_refused(self):
        root = self.libtorch("pre-cxx11", check=CHECK_OF_OLD_ABI)
        self.assertIn(f"{root}: a build with the old C++ ABI", self.find(libtorch=root))

    def test_headers_without_libraries_are_refused(self):
        root = self.libtorch("headers")
        (root / "lib/libc10.so").unlink()
        self.assertIn(f"{root}: no lib/libtorch_cpu.so with lib/libc10.so", self.find(libtorch=root))

    def test_a_build_tree_stays_with_what_it_found(self):
        root, other = self.libtorch("first"), self.libtorch("second")
        self.find(libtorch=root)
        self.assertIn(f"with {root}/lib", self.find(libtorch=other))
        (root / "lib/libtorch_cpu.so").unlink()
        self.assertIn(f"with {other}/lib", self.find(libtorch=other))


if __name__ == "__main__":
    unittest.main()
