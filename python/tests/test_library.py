"""Tests how libatc is found, and the error if it is not found."""

import os
import pickle
import subprocess
import sys
import types
import unittest
from pathlib import Path

import atc
from atc import _abi, _errors, _library
from support import PACKAGE, in_process

FAILS = """
import atc
try:
    atc.version()
except atc.LibraryError as error:
    print(error)
"""
PACKAGED = (_library.PACKAGED / _library.NAME).exists()


class Finding(unittest.TestCase):
    def test_versions(self):
        self.assertEqual(atc.version(), atc.__version__)
        self.assertRegex(atc.version(), r"^\d+\.\d+\.\d+$")

    def test_a_file_that_is_not_there(self):
        said = in_process(FAILS, ATC_LIBRARY="/nowhere/libatc.so.1")
        self.assertRegex(said, "^ATC_LIBRARY names a file that cannot be opened: /nowhere/libatc.so.1: .*No such file.*"
                               "set ATC_LIBRARY to the file libatc.so.1")

    def test_a_file_that_is_another_library(self):
        self.assertIn("libc.so.6 is not libatc", in_process(FAILS, ATC_LIBRARY="libc.so.6"))

    @unittest.skipUnless(PACKAGED, "this package contains no libatc")
    def test_the_packaged_one(self):
        code = "import atc; atc.version(); print(atc._library.libatc().file)"
        self.assertEqual(in_process(code, ATC_LIBRARY=""), str(_library.PACKAGED / _library.NAME))

    @unittest.skipIf(PACKAGED, "this package contains libatc")
    def test_none_at_all(self):
        said = in_process(FAILS, LD_LIBRARY_PATH="/nowhere", ATC_LIBRARY="")
        self.assertIn("Install a wheel that contains it", said)

    def test_import_opens_nothing(self):
        self.assertEqual(in_process("import atc; print(atc.__version__)", ATC_LIBRARY="/nowhere"), atc.__version__)

    def test_the_libatc_of_the_process_is_taken(self):
        file = os.path.realpath(_library.loaded_file())
        code = f"import ctypes, atc; ctypes.CDLL({file!r}); atc.version(); print(atc._library.libatc().file)"
        self.assertEqual(in_process(code, ATC_LIBRARY=""), file)

    def test_another_version_of_the_abi(self):
        library = types.SimpleNamespace(file="libatc.so.2", abi_version=lambda: 2)
        with self.assertRaisesRegex(atc.LibraryError, "libatc.so.2 has version 2 of the ABI, this package needs 1"):
            _library._checked(library)

    def test_a_function_that_an_older_libatc_lacks(self):
        library = _library.Library(_library.libatc()._opened, {"atc1_of_tomorrow": (None, [])}, "libatc.so.1")
        with self.assertRaisesRegex(atc.Unsupported, "libatc.so.1 has no function atc_of_tomorrow.* install atc 0"):
            library.of_tomorrow()

    def test_the_command_line_says_where_it_is_missing(self):
        if (Path(atc.__file__).parent / "bin/atc").exists():
            self.skipTest("this package contains the command line")
        done = subprocess.run([sys.executable, "-m", "atc", "--version"], env={**os.environ, "PYTHONPATH": PACKAGE},
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("made without the command line", done.stderr)

    def test_queries(self):
        self.assertIn("oneDNN", [library.name for library in atc.libraries()])
        self.assertIn("uxlfoundation/oneDNN#6035", [fault["source"] for fault in atc.faults()])
        self.assertGreater(atc.describe_device().compute_units, 0)
        self.assertEqual(atc.cuda_is_available(), atc.cuda_device_count() > 0)
        with self.assertRaises(atc.InvalidArgument):
            atc.describe_device("cuda:99")
        atc.synchronize()
        atc.synchronize("cpu")


class Errors(unittest.TestCase):
    def test_each_status_has_a_class_of_its_own(self):
        statuses = [value for name, value in vars(_abi).items() if name.startswith("ATC_ERROR_")]
        classes = {type(_errors.error_of(status, "text")) for status in statuses}
        self.assertEqual(len(classes), len(statuses))
        self.assertNotIn(atc.Error, classes)
        for status in statuses:
            error = _errors.error_of(status, "text")
            self.assertEqual((error.status, str(error)), (status, "text"))
            self.assertIsInstance(error, atc.Error)

    def test_a_status_of_a_newer_libatc_keeps_its_number(self):
        error = _errors.error_of(4711, "")
        self.assertEqual((type(error), error.status, str(error)), (atc.Error, 4711, "status 4711"))

    def test_errors_pass_between_processes(self):
        for error in (atc.NotTuned("text"), _errors.error_of(4711, "text")):
            copy = pickle.loads(pickle.dumps(error))
            self.assertEqual((type(copy), copy.status, str(copy)), (type(error), error.status, "text"))


if __name__ == "__main__":
    unittest.main()
