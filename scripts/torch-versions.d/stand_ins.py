"""Give a torch of the package index, which is built for CUDA, what it needs to be imported on a machine without CUDA:
python3 stand_ins.py SITE_PACKAGES CUDA_FOLDER

torch's libraries name those of CUDA (3 GB), of which nothing is called where there is no device, but for libcudart and
libcupti, which are taken from CUDA_FOLDER, or lie in SITE_PACKAGES already. In place of the others stand libraries with their
names, and with empty functions for the symbols that torch's libraries want of them.
"""

import pathlib
import re
import subprocess
import sys
from collections import defaultdict


def read(*command) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def wanted(libraries: list) -> dict:
    """By library and version, the symbols that LIBRARIES want of it. Those without a version name no library: they stand at "any"."""
    symbols = defaultdict(lambda: defaultdict(set))
    for library in libraries:
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", read("readelf", "-dW", library)):
            symbols[name]  # without versions, it may be
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
    """One of the folders in which torch's libraries look for CUDA's: that of CUDA 13, if they look there."""
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
