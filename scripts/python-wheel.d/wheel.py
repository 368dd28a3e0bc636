"""Writes the wheel: wheel.py REPOSITORY WORK OUT

WORK is a folder with stage/ (an installed tree) and perhaps bin/atc (the program). The script uses no package for building
wheels: a wheel is a zip archive with a list of its files.
"""

import base64
import hashlib
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import elf

NAME = "autotuned-convolution"
MOST_BYTES = 60_000_000
EPOCH = 315532800  # 1980-01-01, the earliest date that zip can store

METADATA = """\
Metadata-Version: 2.1
Name: {name}
Version: {version}
Summary: Tunes convolutions, records the decisions, and runs the fastest implementation
License: Apache-2.0 OR MIT
Requires-Python: >=3.9
Classifier: Operating System :: POSIX :: Linux
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Description-Content-Type: text/markdown

{description}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: atc scripts/python-wheel
Root-Is-Purelib: false
Tag: {tag}
"""

ENTRY_POINTS = """\
[console_scripts]
atc = atc._command:main
"""


def contents(repository, work):
    """Returns {path in the wheel: file} for the Python modules, the libraries and all other files of the wheel."""
    files = {}
    for file in sorted((repository / "python/atc").iterdir()):
        if file.suffix == ".py" or file.name == "py.typed":
            files[f"atc/{file.name}"] = file
    library, = (work / "stage").glob("**/libatc.so.1")
    for file in sorted(library.parent.rglob("*")):
        if file.is_file() and not file.is_symlink() and elf.is_elf(file):
            folder = file.parent.relative_to(library.parent)
            files[(Path("atc/lib") / folder / elf.soname(file)).as_posix()] = file
    command = work / "bin/atc"
    if command.exists():
        files["atc/bin/atc"] = command
    return files


def licences(repository, work):
    found = {file.name: file for file in sorted([*repository.glob("LICENSE*"), repository / "THIRD-PARTY-NOTICES"])}
    if (work / "bin/CRATE-NOTICES").exists():
        found["CRATE-NOTICES"] = work / "bin/CRATE-NOTICES"
    for folder in sorted((work / "stage").glob("**/doc/**/onednn")):
        found.update({f"onednn/{file.relative_to(folder).as_posix()}": file for file in sorted(folder.rglob("*"))
                      if file.is_file()})
    return found


def check(files, folder):
    """Copies the package into a folder and imports it. Returns the package's version, which is the version of
    libatc."""
    for name, file in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(file.read_bytes())
    code = "import atc; print(atc.__version__, atc.version(), atc._library.libatc().file)"
    environment = {name: value for name, value in os.environ.items() if name not in ("ATC_LIBRARY", "LD_LIBRARY_PATH")}
    done = subprocess.run([sys.executable, "-c", code], env={**environment, "PYTHONPATH": str(folder)}, cwd=folder,
                          stdout=subprocess.PIPE, text=True, check=True)
    package, library, file = done.stdout.split()
    if package != library or not file.startswith(str(folder)):
        sys.exit(f"python-wheel: the package is version {package}, {file} is version {library}: build the tree anew")
    return package


class Archive:
    """A wheel that is being written. Equal files make equal archives."""

    def __init__(self, file):
        self.zip = zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.date = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", EPOCH)))[:6]
        self.records = []

    def add(self, name, data, executable=False):
        info = zipfile.ZipInfo(name, self.date)
        info.external_attr = (0o100755 if executable else 0o100644) << 16
        self.zip.writestr(info, data, zipfile.ZIP_DEFLATED)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        self.records.append(f"{name},sha256={digest},{len(data)}\n")

    def close(self, record):
        self.add(record, ("".join(self.records) + f"{record},,\n").encode())
        self.zip.close()


def main():
    repository, work, out = map(Path, sys.argv[1:])
    files = contents(repository, work)
    version = check(files, work / "unpacked")
    binaries = [file for file in files.values() if elf.is_elf(file)]
    glibc, reason = elf.manylinux(binaries)
    tag = f"py3-none-manylinux_2_{glibc}_{elf.machine(files['atc/lib/libatc.so.1'])}"
    plain = NAME.replace("-", "_")
    info = f"{plain}-{version}.dist-info"
    wheel = out / f"{plain}-{version}-{tag}.whl"

    archive = Archive(wheel)
    for name, file in files.items():
        archive.add(name, file.read_bytes(), executable=name.startswith("atc/bin/"))
    for name, file in licences(repository, work).items():
        archive.add(f"{info}/licenses/{name}", file.read_bytes())
    description = (repository / "python/README.md").read_text()
    archive.add(f"{info}/METADATA", METADATA.format(name=NAME, version=version, description=description).encode())
    archive.add(f"{info}/WHEEL", WHEEL.format(tag=tag).encode())
    archive.add(f"{info}/entry_points.txt", ENTRY_POINTS.encode())
    archive.close(f"{info}/RECORD")

    size = wheel.stat().st_size
    packaged = ", ".join(name for name in files if name.startswith(("atc/lib/", "atc/bin/")))
    print(f"{wheel}: {size / 1e6:.1f} MB; {tag} because of {reason}; {packaged}")
    if size > MOST_BYTES:
        sys.exit(f"python-wheel: the wheel is larger than {MOST_BYTES / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
