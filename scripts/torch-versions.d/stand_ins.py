"""Makes a torch that is built for CUDA importable on a machine without CUDA, by stand-ins for CUDA's libraries: python3
stand_ins.py SITE_PACKAGES CUDA_FOLDER

torch's libraries are linked with CUDA's libraries (3 GB). On a machine without a device, torch calls functions of only
two of these: libcudart and libcupti. The two are taken from CUDA_FOLDER, unless SITE_PACKAGES already has them. Each of
the other libraries is replaced by a stand-in: a library with the same name, and with an empty function for each symbol
that torch's libraries need.
"""

import pathlib
import re
import subprocess
import sys
from collections import defaultdict


def read(*command) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wanted(libraries: list) -> dict:
    """Returns {library: {version: symbols}}: the symbols that LIBRARIES need from other libraries. If a symbol has no
    version, its library is unknown, and the symbol is listed under "any"."""
    symbols = defaultdict(lambda: defaultdict(set))
    for library in libraries:
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", read("readelf", "-dW", library)):
            symbols[name]  # creates the entry, because the library may have no symbols with versions
        file_of = {}
        for line in read("readelf", "-VW", library).splitlines():
            if found := re.search(r"File: (\S+)", line):
                file = found[1]
            elif found := re.search(r"Name: (\S+)\s+Flags:.*Version: \d", line):
                file_of[found[1]] = file
        undefined = read("nm", "-D", "--undefined-only", library)
        for name, version in re.findall(r" [UVWw] (\w+)@(\S+)", undefined):
            symbols[file_of[version]][version].add(name)
        symbols["any"][""].update(re.findall(r" U ((?:cu(?!pti)|nccl)\w+)$", undefined, re.MULTILINE))
    return symbols


def stand_in(target: pathlib.Path, versions: dict) -> None:
    script = target.with_suffix(".map")
    script.write_text("".join(f"{version} {{ global: {'; '.join(sorted(names))}; }};\n" for version, names in versions.items() if version))
    code = "".join(f"void {name}(void) {{}}\n" for name in sorted(set().union(*versions.values())))
    options = [f"-Wl,--version-script={script}"] if script.stat().st_size else []
    subprocess.run(["cc", "-shared", "-fPIC", "-fno-builtin", f"-Wl,-soname,{target.name}", *options, "-x", "c", "-", "-o", target],
                   input=code, text=True, check=True)
    script.unlink()


def folder_of_cuda(site: pathlib.Path) -> pathlib.Path:
    """Returns a folder in which torch's libraries search for CUDA's libraries: the folder of CUDA 13 if they search
    there, else the first folder."""
    searched = re.findall(r"(nvidia/\w+/lib)", read("readelf", "-dW", site / "torch/lib/libtorch_cpu.so"))
    return site / ("nvidia/cu13/lib" if "nvidia/cu13/lib" in searched else searched[0])


def main() -> None:
    site, cuda = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    libraries = sorted((site / "torch/lib").glob("*.so*"))
    folder = folder_of_cuda(site)
    folder.mkdir(parents=True, exist_ok=True)
    installed = {library.name for library in site.glob("nvidia/*/lib/*.so*") if library.parent != folder}
    there = {library.name for library in libraries} | installed | set(re.findall(r"^\s+(\S+) ", read("/sbin/ldconfig", "-p"), re.MULTILINE))
    symbols = wanted(libraries)
    symbols["libcudnn.so.9"][""] = symbols.pop("any")[""]
    for name, versions in symbols.items():
        target = folder / name
        target.unlink(missing_ok=True)
        if (cuda / name).exists():
            target.symlink_to((cuda / name).resolve())
        elif name not in there:
            stand_in(target, versions)


if __name__ == "__main__":
    main()
