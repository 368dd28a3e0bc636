"""Checks that each library that is compiled into atc comes with its copyright notice: notices.py SOURCE_DIR NOTICES...

The sources include headers of other projects. This script must know each of them. If the code of a header is
compiled into the libraries, each of the files NOTICES must contain the copyright of the header's project. Otherwise the
header belongs to a library that is loaded at run time."""

import re
import sys
from pathlib import Path

COMPILED_IN = {
    "nlohmann/": ["nlohmann/json", "Niels Lohmann", "Florian Loitsch", "Bjoern Hoehrmann"],
    "fmt/": ["Victor Zverovich"],
    "xxhash.h": ["xxHash", "Yann Collet", "BSD-2-Clause"],
}
# Headers whose names begin like this belong to libraries that are not compiled into atc, but are loaded at run time:
# oneDNN, zlib, the CUDA toolkit and its libraries, and LibTorch.
LOADED = ("dnnl.hpp", "oneapi/dnnl/", "zlib.h", "cuda", "cudnn_", "cublasLt.h", "mma.h", "ATen/", "c10/", "caffe2/", "torch/")
SYSTEM = {"dirent.h", "dlfcn.h", "fcntl.h", "immintrin.h", "link.h", "malloc.h", "pthread.h", "sched.h", "unistd.h"}


def is_of_the_system(header):
    # The headers of the C++ library have no dot in their names.
    return "." not in header or header in SYSTEM or header.startswith("sys/")


def main():
    source, *notices = map(Path, sys.argv[1:])
    files = [file for folder in ("src", "ffi", "torch") for file in (source / folder).rglob("*")
             if file.suffix in (".cpp", ".hpp", ".cu", ".cuh", ".h", ".c")]
    headers = {header for file in files for header in re.findall(r"^\s*#\s*include <([^>]+)>", file.read_text(), re.M)}
    wanted, faults = [], []
    for header in sorted(headers):
        known = [names for start, names in COMPILED_IN.items() if header.startswith(start)]
        if known:
            wanted += [name for name in known[0] if name not in wanted]
        elif not is_of_the_system(header) and not header.startswith(LOADED):
            faults.append(f"<{header}>: whose is it? If its code ends up in the libraries, THIRD-PARTY-NOTICES has to name it")
    for file in notices:
        text = file.read_text() if file.exists() else ""
        faults += [f"{file} does not name {name}" for name in wanted if name not in text]
    print("\n".join(faults) or f"{len(headers)} headers, of which these are compiled in: {', '.join(COMPILED_IN)}")
    sys.exit(bool(faults) or not wanted or not notices)


if __name__ == "__main__":
    main()
