"""Tests that scripts/setup only uses files with the pinned hashes, and that it unpacks them only inside of its prefix.

    python3 test_setup.py SCRIPTS_FOLDER DEPS_FOLDER      (no network: the index address leads nowhere)

DEPS_FOLDER is the folder that an earlier run of scripts/setup has filled. The tests only read its stamp files.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

SCRIPTS = pathlib.Path(sys.argv.pop(1)).resolve()
DEPS = pathlib.Path(sys.argv.pop(1)).resolve()
UNPACK = SCRIPTS / "setup.d" / "unpack_onednn.py"
UNPACK_CUDA = SCRIPTS / "setup.d" / "unpack_cuda.py"
UNPACK_LIBTORCH = SCRIPTS / "setup.d" / "unpack_libtorch.py"


def pinned_libtorch(name: str) -> str:
    """Returns the version of LibTorch that the section `name` of the file setup.d/pinned.txt pins."""
    pins = (SCRIPTS / "setup.d" / "pinned.txt").read_text()
    return re.search(rf"^# \[{name}\].*?^torch==(\S+)", pins, re.DOTALL | re.MULTILINE)[1]


LIBTORCH, LIBTORCH_HEADERS, LIBTORCH_GPU = map(pinned_libtorch, ("libtorch", "libtorch_headers", "libtorch_gpu"))
NO_NETWORK = {
    "PIP_INDEX_URL": "http://127.0.0.1:9/", "PIP_RETRIES": "0", "PIP_FIND_LINKS": "", "PIP_CONFIG_FILE": os.devnull,
}  # fmt: skip


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


def write_plain_wheel(folder: pathlib.Path, name: str, members: dict) -> None:
    with zipfile.ZipFile(folder / f"{name}-py3-none-manylinux2014_x86_64.whl", "w") as archive:
        for path, text in members.items():
            archive.writestr(path, text)


class UnpackCuda(Folder):
    NVCC = ("bin/nvcc", "bin/ptxas", "bin/crt/link.stub")
    OTHERS = {
        "nvidia_nvvm-13.0.88": ("nvvm/bin/cicc",),
        "nvidia_cuda_crt-13.0.88": ("include/crt/mma.h",),
        "nvidia_cuda_runtime-13.0.96": ("include/cuda.h", "lib/libcudart.so.13"),
        "nvidia_cuda_cccl-13.0.85": ("include/cccl/nv/target", ".metadata/provenance.txt"),
    }

    def write_wheels(self, nvcc: tuple):
        for name, paths in {"nvidia_cuda_nvcc-13.0.88": nvcc, **self.OTHERS}.items():
            own = {f"nvidia/cu13/{path}": path for path in paths}
            write_plain_wheel(self.wheels, name, {**own, f"{name}.dist-info/METADATA": ""})

    def unpack(self) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, UNPACK_CUDA, self.wheels, self.prefix], capture_output=True, text=True, check=False
        )

    def test_the_wheels_become_one_toolkit(self):
        self.write_wheels(self.NVCC)
        done = self.unpack()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if path.is_file()},
            {*self.NVCC, "nvvm/bin/cicc", "include/crt/mma.h", "include/cuda.h", "include/cccl/nv/target",
             "lib/libcudart.so", "lib/libcudart.so.13"},
        )  # fmt: skip
        for program in ("bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"):
            self.assertTrue(os.access(self.prefix / program, os.X_OK), program)
        self.assertEqual(os.readlink(self.prefix / "lib64"), "lib")
        self.assertEqual((self.prefix / "lib64/libcudart.so").read_text(), "lib/libcudart.so.13")

    def test_a_path_out_of_the_prefix_is_refused(self):
        self.write_wheels((*self.NVCC, "../../../escaped"))
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("leads out of the prefix", done.stderr)
        self.assertFalse((self.folder / "escaped").exists())

    def test_wheels_without_the_compiler_are_an_error_that_names_it(self):
        self.write_wheels(("bin/nvcc",))
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("bin/ptxas is in none of the wheels", done.stderr)

    def test_no_wheel_is_an_error(self):
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("0 wheels of nvidia_cuda_nvcc", done.stderr)


class UnpackLibTorch(Folder):
    LIBRARIES = ("libtorch_cpu.so", "libc10.so", "libgomp.so.1")

    def write_wheels(self, torch: dict):
        write_plain_wheel(self.wheels, "torch-2.11.0", torch)
        for name, library in (("nvidia_cuda_runtime-13.0.96", "libcudart.so.13"), ("nvidia_cuda_cupti-13.0.85", "libcupti.so.13")):
            write_plain_wheel(self.wheels, name, {f"nvidia/cu13/lib/{library}": library, "nvidia/cu13/lib/other.so": ""})

    def unpack(self) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, UNPACK_LIBTORCH, self.wheels, self.prefix], capture_output=True, text=True, check=False
        )

    def test_headers_and_the_five_libraries_are_all_there_is(self):
        libraries = {f"torch/lib/{name}": name for name in self.LIBRARIES}
        others = {"torch/lib/libtorch.so": "needs CUDA", "torch/lib/libtorch_cuda.so": "CUDA", "torch/__init__.py": ""}
        self.write_wheels({**libraries, **others, "torch/include/ATen/ATen.h": "header"})
        done = self.unpack()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(
            {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()},
            {*libraries, "torch/lib/libtorch.so", "torch/include/ATen/ATen.h", "torch/build-version",
             "nvidia/cu13/lib/libcudart.so.13", "nvidia/cu13/lib/libcupti.so.13"},
        )  # fmt: skip
        self.assertEqual(os.readlink(self.prefix / "torch/lib/libtorch.so"), "libtorch_cpu.so")
        self.assertEqual((self.prefix / "torch/lib/libtorch.so").read_text(), "libtorch_cpu.so")
        self.assertEqual((self.prefix / "torch/build-version").read_text(), "2.11.0\n")

    def test_a_header_out_of_the_prefix_is_refused(self):
        libraries = {f"torch/lib/{name}": name for name in self.LIBRARIES}
        self.write_wheels({**libraries, "torch/include/../../../escaped": "text"})
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("leads out of the prefix", done.stderr)
        self.assertFalse((self.folder / "escaped").exists())

    def test_a_wheel_without_a_library_is_an_error_that_names_it(self):
        self.write_wheels({"torch/lib/libtorch_cpu.so": "", "torch/lib/libgomp.so.1": ""})
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("torch/lib/libc10.so is missing", done.stderr)

    def test_no_wheel_is_an_error(self):
        done = self.unpack()
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("0 wheels of torch", done.stderr)


def write_libtorch(folder: pathlib.Path, version: str) -> pathlib.Path:
    headers = folder / "include/torch/headeronly"
    headers.mkdir(parents=True)
    parts = zip(("MAJOR", "MINOR", "PATCH"), version.split("."))
    (headers / "version.h").write_text("".join(f"#define TORCH_VERSION_{name} {value}\n" for name, value in parts))
    (folder / "lib").mkdir()
    (folder / "lib/libtorch_cpu.so").touch()
    return folder


class SetUp(Folder):
    """A simulated machine that has all dependencies except those that a test removes."""

    BROUGHT = ("onednn", "cuda", "python", "clang_tidy", "libtorch", "libtorch_headers")
    LACKING = ""

    def setUp(self):
        super().setUp()
        self.deps = self.folder / "deps"
        for name in self.BROUGHT:
            if name != self.LACKING:
                (self.deps / name).mkdir(parents=True)
                if (DEPS / f"{name}.stamp").exists():
                    shutil.copy(DEPS / f"{name}.stamp", self.deps)
        self.tools = self.folder / "tools"
        self.tools.mkdir()

    def set_up(self, *arguments, **environment) -> subprocess.CompletedProcess:
        own = {
            "LIBTORCH": "", "PYTHONPATH": "", "CUDA_PATH": "", "CUDA_HOME": "", "CUDAToolkit_ROOT": "",
            "ATC_DEPS_DIR": str(self.deps), "ATC_DOWNLOAD_CACHE": str(self.wheels),
            "PATH": f"{self.tools}:{os.environ['PATH']}",
        }  # fmt: skip
        return subprocess.run(
            [SCRIPTS / "setup", *arguments], env={**os.environ, **NO_NETWORK, **own, **environment},
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def processor(self, name: str):
        (self.tools / "uname").write_text(f"#!/bin/sh\necho {name}\n")
        (self.tools / "uname").chmod(0o755)


def write_cuda(folder: pathlib.Path, version: str) -> pathlib.Path:
    for path in ("bin/nvcc", "include/cuda_runtime.h", "lib64/libcudart.so"):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).touch()
    (folder / "bin/nvcc").write_text(f"#!/bin/sh\necho Cuda compilation tools, release {version}, V{version}.1\n")
    (folder / "bin/nvcc").chmod(0o755)
    return folder


class Cuda(SetUp):
    LACKING = "cuda"

    def skip_where_there_is_one(self, done):
        if "is installed: nothing to bring" in done.stdout:
            self.skipTest("the CUDA toolkit of this machine is used: nothing is brought")

    def test_an_installed_one_is_used(self):
        installed = write_cuda(self.folder / "installed", "12.8")
        for environment in ({"CUDA_PATH": str(installed)}, {"CUDA_HOME": str(installed)},
                            {"PATH": f"{installed}/bin:{os.environ['PATH']}"}):  # fmt: skip
            done = self.set_up("build", **environment)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            if "PATH" in environment or not shutil.which("nvcc"):
                self.assertIn(f"CUDA 12.8.1: {installed} is installed: nothing to bring", done.stdout)
        self.assertFalse((self.deps / "cuda").exists())

    def test_one_that_is_too_old_is_not_used(self):
        installed = write_cuda(self.folder / "installed", "12.3")
        done = self.set_up("build", "--check", CUDA_PATH=str(installed), PATH=f"{installed}/bin:{os.environ['PATH']}")
        self.skip_where_there_is_one(done)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("CUDA 13.0 compiler -> ", done.stdout)

    def test_a_cached_file_with_the_right_name_and_other_bytes_is_not_used(self):
        for package in ("cuda_nvcc-13.0.88", "nvvm-13.0.88", "cuda_crt-13.0.88", "cuda_runtime-13.0.96", "cuda_cccl-13.0.85"):
            (self.wheels / f"nvidia_{package}-py3-none-manylinux_2_17_x86_64.whl").write_text("not CUDA")
        done = self.set_up("build")
        self.skip_where_there_is_one(done)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("downloading cuda failed", done.stderr)
        self.assertEqual([path.name for path in self.deps.glob("cuda*")], [])

    def test_another_processor_goes_without(self):
        self.processor("riscv64")
        done = self.set_up("build")
        self.skip_where_there_is_one(done)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no pinned CUDA compiler for riscv64: atc is built without its device kernels", done.stdout)

    def test_a_build_without_cuda_does_not_need_it(self):
        done = self.set_up("cpu", "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("CUDA", done.stdout)


class LibTorch(SetUp):
    LACKING = "libtorch"

    def python_has_it(self, done) -> bool:
        return "is installed in" in done.stdout

    def test_a_cached_file_with_the_right_name_and_other_bytes_is_not_used(self):
        for wheel in (f"torch-{LIBTORCH}-cp311-cp311-manylinux_2_28_x86_64", "nvidia_cuda_cupti-13.0.85-py3-none-manylinux_2_25_x86_64"):
            (self.wheels / f"{wheel}.whl").write_text("not LibTorch")
        done = self.set_up()
        if self.python_has_it(done):
            self.skipTest("the LibTorch in Python is used: nothing is brought")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("downloading libtorch failed", done.stderr)
        self.assertEqual([path.name for path in self.deps.glob("libtorch*") if "headers" not in path.name], [])
        self.assertEqual(list(self.deps.glob(".setup.*")), [])

    def test_an_installed_one_is_used(self):
        installed = write_libtorch(self.folder / "installed", LIBTORCH)
        done = self.set_up(LIBTORCH=str(installed))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"LibTorch {LIBTORCH} is installed in {installed}: nothing to bring", done.stdout)
        self.assertFalse((self.deps / "libtorch").exists())

    def test_the_one_in_python_is_used(self):
        package = write_libtorch(self.folder / "site/torch", LIBTORCH)
        (package / "__init__.py").write_text("raise SystemExit('torch was loaded')")
        done = self.set_up(PYTHONPATH=str(package.parent))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"LibTorch {LIBTORCH} is installed in {package}: nothing to bring", done.stdout)

    def test_one_of_another_version_is_named_and_not_used(self):
        installed = write_libtorch(self.folder / "installed", "2.9.1")
        done = self.set_up("--check", LIBTORCH=str(installed))
        self.assertIn(f"LIBTORCH={installed} holds LibTorch 2.9.1: not used, {LIBTORCH} is wanted", done.stdout)
        if not self.python_has_it(done):
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"LibTorch {LIBTORCH} -> ", done.stdout)

    def test_a_name_that_leads_nowhere_is_named(self):
        done = self.set_up("--check", LIBTORCH=str(self.folder / "nowhere"))
        self.assertIn(f"LIBTORCH={self.folder}/nowhere holds no LibTorch: not used, {LIBTORCH} is wanted", done.stdout)

    def test_a_build_does_not_need_it(self):
        done = self.set_up("build", "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("LibTorch", done.stdout)

    def test_another_processor_goes_without(self):
        self.processor("aarch64")
        done = self.set_up()
        if self.python_has_it(done):
            self.skipTest("the LibTorch in Python is used: nothing is brought")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("no pinned LibTorch for aarch64", done.stdout)


class LibTorchHeaders(SetUp):
    LACKING = "libtorch_headers"
    WHEEL = f"torch-{LIBTORCH_HEADERS}-cp311-cp311-macosx_11_0_arm64.whl"

    def test_a_cached_file_with_the_right_name_and_other_bytes_is_not_used(self):
        (self.wheels / self.WHEEL).write_text("not LibTorch")
        done = self.set_up()
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("downloading libtorch_headers failed", done.stderr)
        self.assertFalse((self.deps / "libtorch_headers").exists())

    def test_what_is_missing_is_named(self):
        done = self.set_up("--check")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(f"LibTorch {LIBTORCH_HEADERS}'s headers -> ", done.stdout)

    def test_a_build_does_not_need_them(self):
        done = self.set_up("build", "--check")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_the_headers_alone_are_unpacked(self):
        write_plain_wheel(self.wheels, f"torch-{LIBTORCH_HEADERS}", {"torch/include/ATen/ATen.h": "header", "torch/lib/libc10.dylib": "library"})
        unpack = SCRIPTS / "setup.d" / "unpack_libtorch_headers.py"
        done = subprocess.run([sys.executable, unpack, self.wheels, self.prefix], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = {str(path.relative_to(self.prefix)) for path in self.prefix.rglob("*") if not path.is_dir()}
        self.assertEqual(found, {"torch/include/ATen/ATen.h"})


class LibTorchOfTheGpuMachine(SetUp):
    WHEEL = f"torch-{LIBTORCH_GPU}-cp311-cp311-manylinux_2_28_x86_64.whl"

    def test_only_who_asks_for_it_needs_it(self):
        done = self.set_up("gpu", "--check", LIBTORCH=str(write_libtorch(self.folder / "installed", LIBTORCH)))
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn(f"LibTorch {LIBTORCH_GPU} of the machine with a GPU -> ", done.stdout)
        self.assertNotIn("of the machine with a GPU", self.set_up("--check").stdout)

    def test_a_cached_file_with_the_right_name_and_other_bytes_is_not_used(self):
        (self.wheels / self.WHEEL).write_text("not LibTorch")
        done = self.set_up("gpu")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("downloading libtorch_gpu failed", done.stderr)
        self.assertFalse((self.deps / "libtorch_gpu").exists())


class Pins(Folder):
    def test_a_cached_file_with_the_right_name_and_other_bytes_is_not_used(self):
        for name in ("onednn_cpu_gomp", "onednn_devel_cpu_gomp"):
            write_wheel(self.wheels, name, {"lib/libdnnl.so": "not oneDNN"})
        deps = self.folder / "deps"
        done = subprocess.run(
            [SCRIPTS / "setup", "build"],
            env={**os.environ, **NO_NETWORK, "ATC_DEPS_DIR": str(deps), "ATC_DOWNLOAD_CACHE": str(self.wheels)},
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
