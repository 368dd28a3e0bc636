"""scripts/setup uses nothing but the pinned bytes, and unpacks them inside its prefix.

    python3 test_setup.py SCRIPTS_FOLDER      (no network: the index address leads nowhere)
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile

SCRIPTS = pathlib.Path(sys.argv.pop(1)).resolve()
UNPACK = SCRIPTS / "setup.d" / "unpack_onednn.py"


def write_wheel(folder: pathlib.Path, name: str, members: dict) -> pathlib.Path:
    wheel = folder / f"{name}-2023.2.0-py2.py3-none-manylinux1_x86_64.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in members.items():
            archive.writestr(f"{name}-2023.2.0.data/data/{path}", text)
        archive.writestr(f"{name}-2023.2.0.dist-info/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 2023.2.0\n")
        archive.writestr(f"{name}-2023.2.0.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-manylinux1_x86_64\n")
    return wheel


class Folder(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.wheels = self.folder / "wheels"
        self.wheels.mkdir()
        self.prefix = self.folder / "prefix"


class Unpack(Folder):
    def unpack(self) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, UNPACK, self.wheels, self.prefix], capture_output=True, text=True, check=False
        )

    def test_three_copies_become_one_file_and_two_links(self):
        copies = {f"lib/libdnnl.so{suffix}": "library" for suffix in ("", ".3", ".3.2")}
        write_wheel(self.wheels, "onednn_cpu_gomp", {**copies, "include/dnnl.h": "header"})
        done = self.unpack()
        self.assertEqual(done.returncode, 0, done.stderr)
        lib = self.prefix / "lib"
        self.assertEqual(os.readlink(lib / "libdnnl.so"), "libdnnl.so.3")
        self.assertEqual(os.readlink(lib / "libdnnl.so.3"), "libdnnl.so.3.2")
        self.assertFalse((lib / "libdnnl.so.3.2").is_symlink())
        self.assertEqual((lib / "libdnnl.so").read_text(), "library")
        self.assertEqual((self.prefix / "include/dnnl.h").read_text(), "header")

    def test_a_path_out_of_the_prefix_is_refused(self):
        write_wheel(self.wheels, "onednn_cpu_gomp", {"../escaped": "text"})
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("leads out of the prefix", done.stderr)
        self.assertFalse((self.folder / "escaped").exists())

    def test_no_wheel_is_an_error(self):
        self.assertNotEqual(self.unpack().returncode, 0)


class Pins(Folder):
    def test_a_cached_file_with_the_right_name_and_other_bytes_is_not_used(self):
        for name in ("onednn_cpu_gomp", "onednn_devel_cpu_gomp"):
            write_wheel(self.wheels, name, {"lib/libdnnl.so": "not oneDNN"})
        deps = self.folder / "deps"
        nowhere = {"PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull}
        done = subprocess.run(
            [SCRIPTS / "setup", "build"],
            env={**os.environ, **nowhere, "ATC_DEPS_DIR": str(deps), "ATC_DOWNLOAD_CACHE": str(self.wheels)},
            capture_output=True, text=True, check=False,
        )
        if "oneDNN 3 is installed" in done.stdout:
            self.skipTest("an installed oneDNN is used: nothing is brought")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("downloading onednn failed", done.stderr)
        self.assertEqual([path.name for path in deps.iterdir()], [".lock"])

    def test_every_pin_has_an_exact_version_and_a_hash(self):
        for file in (SCRIPTS / "setup.d" / "pinned.txt", SCRIPTS / "networks.d" / "requirements.txt"):
            joined = re.sub(r"\\\n", " ", re.sub(r"(?m)^#.*$", "", file.read_text()))
            requirements = [line for line in joined.splitlines() if line.strip()]
            self.assertTrue(requirements)
            for line in requirements:
                self.assertRegex(line, r"^[a-z0-9-]+==[0-9][0-9a-z.]*( +--hash=sha256:[0-9a-f]{64})+$")


if __name__ == "__main__":
    unittest.main()
