"""Unpack the parts of LibTorch that a program without a GPU needs: python3 unpack_libtorch.py FOLDER_OF_WHEELS PREFIX

    PREFIX/torch/include, PREFIX/torch/lib     headers, libtorch_cpu.so, libc10.so, libgomp.so.1
    PREFIX/torch/build-version                 what torch-sys compares with the version it was made for
    PREFIX/nvidia/cu13/lib                     what libtorch_cpu.so looks for in $ORIGIN/../../nvidia/cu13/lib

The wheel's own libtorch.so needs libtorch_cuda.so and so two more gigabytes; here libtorch.so, which `-ltorch`
finds, is a link to libtorch_cpu.so.
"""

import pathlib
import sys
import zipfile

from wheels import extract, place, the_wheel

HEADERS = "torch/include/"
LIBRARIES = {
    "torch": ("torch/lib/libtorch_cpu.so", "torch/lib/libc10.so", "torch/lib/libgomp.so.1"),
    "nvidia_cuda_runtime": ("nvidia/cu13/lib/libcudart.so.13",),
    "nvidia_cuda_cupti": ("nvidia/cu13/lib/libcupti.so.13",),
}


def unpack(wheel: pathlib.Path, libraries: tuple, prefix: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = [name for name in archive.namelist() if name.startswith(HEADERS) and not name.endswith("/")]
        for name in (*members, *libraries):
            try:
                info = archive.getinfo(name)
            except KeyError:
                raise SystemExit(f"{wheel.name}: {name} is missing") from None
            extract(archive, info, place(wheel.name, prefix, name))


def main() -> None:
    wheels, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    found = {name: the_wheel(wheels, name) for name in LIBRARIES}
    for name, wheel in found.items():
        unpack(wheel, LIBRARIES[name], prefix)
    (prefix / "torch/lib/libtorch.so").symlink_to("libtorch_cpu.so")
    (prefix / "torch/build-version").write_text(found["torch"].name.split("-")[1] + "\n")


if __name__ == "__main__":
    main()
