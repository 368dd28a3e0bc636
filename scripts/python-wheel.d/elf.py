"""Determines which versions of the system's libraries (glibc, libstdc++, libgcc) an ELF file needs."""

import re
import subprocess

# Maps each symbol version of libstdc++ and libgcc to a number N: manylinux_2_N (systems with glibc 2.N) is the first
# policy in which this symbol version is allowed. The numbers are taken from the policies of auditwheel.
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
    """Returns the SONAME of a library, by which the dynamic linker finds it. If the library has no SONAME, returns the
    name of its file."""
    found = re.search(r"SONAME\s+(\S+)", _objdump("-p", file))
    return found[1] if found else file.name


def symbol_versions(file):
    """Yields (prefix of the library, version) for each symbol version that the undefined symbols of the file
    require."""
    for line in _objdump("-T", file).splitlines():
        if "*UND*" in line and (found := re.search(r"\b(GLIBC|GLIBCXX|CXXABI|GCC)_(\d[\d.]*)", line)):
            yield found[1], tuple(map(int, found[2].split(".")))


def manylinux(files):
    """Returns (N, reason) for the oldest manylinux_2_N on which all files run. The reason is the symbol version that
    requires this N."""
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
