"""Tests three CMake modules. AtcCudaToolkit.cmake must find the right toolkit. FindCUDNN.cmake must find complete
headers. AtcKernels.cmake must embed nvcc's output.

    python3 test_find_cuda.py CMAKE MODULE_FOLDER [TOOLKIT]      (without a toolkit nothing is compiled)
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CMAKE, MODULES = sys.argv[1:3]
TOOLKIT = sys.argv[3] if len(sys.argv) > 3 else ""
del sys.argv[1:]


class Project(unittest.TestCase):
    TEXT = ""

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.write("CMakeLists.txt", self.TEXT)

    def write(self, name: str, text: str) -> pathlib.Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def cmake(self, *arguments, **environment) -> subprocess.CompletedProcess:
        own = {"CUDA_PATH": "", "CUDA_HOME": "", "CUDAToolkit_ROOT": "", "CUDNN_ROOT": "", "CMAKE_PREFIX_PATH": ""}
        return subprocess.run(
            [CMAKE, *arguments], env={**os.environ, **own, **environment}, cwd=self.folder,
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    def configure(self, *arguments, **environment) -> str:
        done = self.cmake("-S", ".", "-B", "build", f"-DCMAKE_MODULE_PATH={MODULES}", *arguments, **environment)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return " ".join(done.stderr.split())


class FindToolkit(Project):
    TEXT = """cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES NONE)
set_property(GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS TRUE)
include(AtcCudaToolkit)
if(ATC_CUDA_TOOLKIT_FOUND)
  message("found ${ATC_CUDA_TOOLKIT_FOUND} with ${CUDAToolkit_NVCC_EXECUTABLE} and ${CUDAToolkit_INCLUDE_DIRS}")
else()
  message("missing:${ATC_CUDA_TOOLKIT_SEEN}")
endif()
"""

    def toolkit(self, name: str, version: str = "13.0") -> pathlib.Path:
        nvcc = self.write(f"{name}/bin/nvcc", f"#!/bin/sh\necho Cuda compilation tools, release {version}, V{version}.7\n")
        nvcc.chmod(0o755)
        self.write(f"{name}/include/cuda_runtime.h", "")
        self.write(f"{name}/lib64/libcudart.so", "")
        return self.folder / name

    def test_nvcc_on_the_path_goes_before_the_variables(self):
        first, second = self.toolkit("first"), self.toolkit("second", "12.4")
        found = self.configure(PATH=f"{first}/bin:{os.environ['PATH']}", CUDA_PATH=str(second))
        self.assertIn(f"found 13.0.7: {first} with {first}/bin/nvcc", found)

    def test_one_that_is_too_old_is_passed_over(self):
        old, new = self.toolkit("old", "12.3"), self.toolkit("new", "12.4")
        found = self.configure(PATH=f"{old}/bin:{os.environ['PATH']}", CUDA_PATH=str(new))
        self.assertIn(f"found 12.4.7: {new} with {new}/bin/nvcc and {new}/include", found)

    def test_what_brings_no_headers_is_passed_over(self):
        bare, new = self.toolkit("bare"), self.toolkit("new")
        (bare / "include/cuda_runtime.h").unlink()
        found = self.configure(PATH=f"{bare}/bin:{os.environ['PATH']}", CUDA_PATH=str(new))
        self.assertIn(f"found 13.0.7: {new} with {new}/bin/nvcc and {new}/include", found)

    def test_a_root_that_is_named_goes_before_and_alone(self):
        named, other, old = self.toolkit("named"), self.toolkit("other"), self.toolkit("old", "11.8")
        path = f"{other}/bin:{os.environ['PATH']}"
        self.assertIn(f"found 13.0.7: {named}", self.configure(f"-DCUDAToolkit_ROOT={named}", PATH=path))
        self.assertIn(f"missing: {old}: CUDA 11.8.7.", self.configure(f"-DCUDAToolkit_ROOT={old}", PATH=path))
        nowhere = self.folder / "nowhere"
        self.assertIn(f"missing: {nowhere}: no bin/nvcc.", self.configure(f"-DCUDAToolkit_ROOT={nowhere}", PATH=path))

    def test_a_build_tree_stays_with_what_it_found_while_it_is_there(self):
        first, second = self.toolkit("first"), self.toolkit("second")
        self.configure(CUDA_PATH=str(first), PATH=f"{first}/bin:{os.environ['PATH']}")
        path = f"{second}/bin:{os.environ['PATH']}"
        self.assertIn(f"found 13.0.7: {first} with {first}/bin/nvcc", self.configure(PATH=path))
        (first / "bin/nvcc").unlink()
        self.assertIn(f"found 13.0.7: {second} with {second}/bin/nvcc and {second}/include", self.configure(PATH=path))


class FindCudnn(Project):
    TEXT = """cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES NONE)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)
set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
find_package(CUDNN 9.0 QUIET)
if(CUDNN_FOUND)
  get_target_property(folders CUDNN::headers INTERFACE_INCLUDE_DIRECTORIES)
  message("found ${CUDNN_VERSION} in ${folders}")
else()
  message("missing")
endif()
"""

    def cudnn(self, name: str, version: str = "9.19.0") -> pathlib.Path:
        parts = zip(("MAJOR", "MINOR", "PATCHLEVEL"), version.split("."))
        lines = [f"#define CUDNN_{part} {value}\n" for part, value in parts]
        self.write(f"{name}/cudnn_version.h", "".join(lines) + "#define CUDNN_VERSION (CUDNN_MAJOR * 10000 + CUDNN_MINOR)\n")
        self.write(f"{name}/cudnn.h", "")
        self.write(f"{name}/cudnn_graph.h", "")
        return self.folder / name

    def test_a_root_that_is_named_goes_first(self):
        named, other = self.cudnn("named/include"), self.cudnn("cuda/include", "9.1.2")
        found = self.configure(f"-DCUDNN_ROOT={named.parent}", f"-DCUDAToolkit_INCLUDE_DIRS={other}")
        self.assertIn(f"found 9.19.0 in {named}", found)

    def test_those_of_the_toolkit_go_before_those_in_python(self):
        toolkit, python = self.cudnn("cuda/include"), self.cudnn("site/nvidia/cudnn/include", "9.1.2")
        site = str(self.folder / "site")
        found = self.configure(f"-DCUDAToolkit_INCLUDE_DIRS={toolkit}", PYTHONPATH=site)
        self.assertIn(f"found 9.19.0 in {toolkit}", found)
        (toolkit / "cudnn_graph.h").unlink()
        self.assertIn(f"found 9.1.2 in {python}", self.configure(PYTHONPATH=site))

    def test_old_ones_are_refused(self):
        self.assertIn("missing", self.configure(f"-DCUDNN_ROOT={self.cudnn('old/include', '8.9.7').parent}"))

    def test_half_of_them_is_refused(self):
        folder = self.cudnn("half/include")
        (folder / "cudnn.h").unlink()
        self.assertIn("missing", self.configure(f"-DCUDNN_ROOT={folder.parent}"))


@unittest.skipUnless(TOOLKIT, "no CUDA toolkit, or one that does not work with this compiler: atc is built without kernels")
class Kernels(Project):
    """A project with a library whose kernels are in a folder of their own, as atc's kernels are."""

    TEXT = """cmake_minimum_required(VERSION 3.25)
project(probe LANGUAGES CXX)
include(AtcCudaToolkit)
include(AtcKernels)
atc_nvcc_objection(objection)
message("objection: ${objection}")
add_library(library STATIC empty.cpp)
add_subdirectory(kernels)
add_executable(program program.cpp)
target_link_libraries(program library)
"""
    PROGRAM = """#include <cstddef>
#include <cstdio>
namespace atc::cuda {
extern const unsigned char kTwo[];
extern const std::size_t kTwo_size;
}
int main() { std::fwrite(atc::cuda::kTwo, 1, atc::cuda::kTwo_size, stdout); }
"""

    def setUp(self):
        super().setUp()
        self.write("empty.cpp", "")
        self.write("program.cpp", self.PROGRAM)
        self.write("src/value.hpp", "#define VALUE 1\n")
        self.write("kernels/CMakeLists.txt", "atc_embed_kernels(library kTwo one.cu other.cu)\n")
        for name in ("one", "other"):
            kernel = f'extern "C" __global__ void {name}(int* x) {{ x[threadIdx.x] = VALUE; }}\n'
            self.write(f"kernels/{name}.cu", '#include "value.hpp"\n' + kernel)

    def configure(self, *arguments, **environment) -> str:
        return super().configure("-G", "Ninja", f"-DCUDAToolkit_ROOT={TOOLKIT}", *arguments, **environment)

    def build(self) -> str:
        done = self.cmake("--build", "build")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def embedded(self) -> bytes:
        return subprocess.run(self.folder / "build/program", capture_output=True, check=True).stdout

    def test_the_program_holds_what_nvcc_made_and_follows_the_headers(self):
        self.assertEqual(self.configure("-DATC_CUDA_ARCHITECTURES=80-virtual;90-real"), "objection:")
        self.build()
        fatbin = self.folder / "build/kernels/kTwo.fatbin"
        first = self.embedded()
        self.assertEqual(first[:4], bytes.fromhex("50ed55ba"))  # the first four bytes of each fatbin
        self.assertEqual(first, fatbin.read_bytes())
        self.assertIn("no work to do", self.build())
        self.write("src/value.hpp", "#define VALUE 2\n")
        self.build()
        self.assertNotEqual(self.embedded(), first)
        self.assertEqual(self.embedded(), fatbin.read_bytes())

    def test_what_is_no_architecture_is_named(self):
        for value, reason in (("80;sm_90", '"sm_90" is none'), ("", "is empty")):
            done = self.cmake("-S", ".", "-B", "build", "-G", "Ninja", f"-DCMAKE_MODULE_PATH={MODULES}",
                              f"-DCUDAToolkit_ROOT={TOOLKIT}", f"-DATC_CUDA_ARCHITECTURES={value}")  # fmt: skip
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(reason, " ".join(done.stderr.split()))

    def test_a_compiler_that_nvcc_does_not_take_is_named(self):
        finding = self.TEXT.split("add_library", maxsplit=1)[0]
        self.write("CMakeLists.txt", finding.replace("include(AtcKernels)", "set(CMAKE_CXX_COMPILER /bin/false)\ninclude(AtcKernels)"))
        said = self.configure("-DATC_CUDA_ARCHITECTURES=80-real")
        self.assertIn(f"objection: {TOOLKIT}/bin/nvcc does not work with /bin/false:", said)


if __name__ == "__main__":
    unittest.main()
