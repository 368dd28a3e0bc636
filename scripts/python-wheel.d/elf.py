"""Finds out which versions of the system's libraries shared libraries and programs need."""

import re
import subprocess

# The oldest glibc, 2.N, of the systems whose libstdc++ and libgcc have these versions (auditwheel's manylinux
# policies).
SINCE = {
    "GLIBCXX": {(3, 4, 19): 17, (3, 4, 22): 24, (3, 4, 24): 27, (3, 4, 28): 31, (3, 4, 29): 34, (3, 4, 30): 35,
                (3, 4, 33): 39},
    "CXXABI": {(1, 3, 7): 17, (1, 3, 10): 24, (1, 3, 11): 27, (1, 3, 12): 31, (1, 3, 13): 34, (1, 3, 15): 39},
    "GCC": {(4, 8, 0): 17, (7, 0, 0): 27, (12, 0, 0): 35, (14, 0, 0): 39},
}
OLDEST = 17
MACHINES = {62: "x86_64", 183: "aarch64"}


def is_elf(file):
    with open(file, "rb") as opened:
        return opened.read(4) == b"\x7fELF"


def machine(file):
    header = file.read_bytes()[:20]
    number = int.from_bytes(header[18:20], "little")
    return MACHINES.get(number) or exit(f"{file} is for a machine that is none of {', '.join(MACHINES.values())}")


def soname(file):
    """The name under which the dynamic linker asks for a library; its file's where it has none."""
    found = re.search(r"SONAME\s+(\S+)", _objdump("-p", file))
    return found[1] if found else file.name


def symbol_versions(file):
    """For each version that undefined symbols of the file require: (prefix of the library,
    version)."""
    for line in _objdump("-T", file).splitlines():
        if "*UND*" in line and (found := re.search(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_(\d[\d.]*)", line)):
            yield found[1], tuple(map(int, found[2].split(".")))


def manylinux(files):
    """(N of manylinux_2_N, the version that requires it) of the oldest systems on which the files run."""
    newest = (OLDEST, "nothing newer")
    for file in files:
        for name, version in symbol_versions(file):
            said = f"{name}_{'.'.join(map(str, version))} in {file.name}"
            newest = max(newest, (_glibc_with(name, version, said), said))
    return newest


def _glibc_with(name, version, said):
    if name == "GLIBC":
        return version[1]
    for known, glibc in sorted(SINCE[name].items()):
        if version <= known:
            return glibc
    raise SystemExit(f"{said} is newer than scripts/python-wheel.d/elf.py knows: add it from auditwheel's policies")


def _objdump(option, file):
    return subprocess.run(["objdump", option, file], capture_output=True, text=True, check=True).stdout
