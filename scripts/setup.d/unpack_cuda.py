"""Unpack the wheels of a CUDA compiler into one toolkit: python3 unpack_cuda.py FOLDER_OF_WHEELS PREFIX

What lies below nvidia/cu13 in the wheels goes below PREFIX. A wheel holds neither links nor, as pip reads it, the right
to be executed; find_package(CUDAToolkit) and nvcc expect both.
"""

import os
import pathlib
import shutil
import sys
import time
import zipfile

PACKAGES = ("nvidia_cuda_nvcc", "nvidia_nvvm", "nvidia_cuda_crt", "nvidia_cuda_runtime", "nvidia_cuda_cccl")
TOOLKIT = "nvidia/cu13/"
LINKS = {"lib64": "lib", "lib/libcudart.so": "libcudart.so.13"}


def the_wheel(folder: pathlib.Path, name: str) -> pathlib.Path:
    found = sorted(folder.glob(f"{name}-*.whl"))
    if len(found) != 1:
        raise SystemExit(f"{len(found)} wheels of {name} in {folder}, expected one")
    return found[0]


def unpack(wheel: pathlib.Path, prefix: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for info in archive.infolist():
            path = info.filename[len(TOOLKIT) :]
            if not info.filename.startswith(TOOLKIT) or path.startswith(".metadata/") or info.is_dir():
                continue
            target = prefix / path
            if prefix not in target.resolve().parents:
                raise SystemExit(f"{wheel.name}: {info.filename} leads out of the prefix")
            target.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(info) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink, 1 << 20)
            # The date inside the wheel: unpacking again does not make every object file out of date.
            stamp = time.mktime((*info.date_time, 0, 0, -1))
            os.utime(target, (stamp, stamp))


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
