"""Unpack the wheels of a CUDA compiler into one toolkit: python3 unpack_cuda.py FOLDER_OF_WHEELS PREFIX

Files below nvidia/cu13 in the wheels go below PREFIX. A wheel has no links, and pip drops execute permissions;
find_package(CUDAToolkit) and nvcc need both, so this script makes them.
"""

import pathlib
import sys
import zipfile

from wheels import extract, place, the_wheel

PACKAGES = ("nvidia_cuda_nvcc", "nvidia_nvvm", "nvidia_cuda_crt", "nvidia_cuda_runtime", "nvidia_cuda_cccl")
TOOLKIT = "nvidia/cu13/"
LINKS = {"lib64": "lib", "lib/libcudart.so": "libcudart.so.13"}


def unpack(wheel: pathlib.Path, prefix: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            path = info.filename[len(TOOLKIT) :]
            if not info.filename.startswith(TOOLKIT) or path.startswith(".metadata/") or info.is_dir():
                continue
            extract(archive, info, place(wheel.name, prefix, path))


def main() -> None:
    wheels, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    for name in PACKAGES:
        unpack(the_wheel(wheels, name), prefix)
    for program in (*prefix.glob("bin/*"), *prefix.glob("nvvm/bin/*")):
        if program.is_file():
            program.chmod(0o755)
    for link, target in LINKS.items():
        (prefix / link).symlink_to(target)
    for program in ("bin/nvcc", "bin/ptxas", "nvvm/bin/cicc"):
        if not (prefix / program).exists():
            raise SystemExit(f"{program} is in none of the wheels")


if __name__ == "__main__":
    main()
