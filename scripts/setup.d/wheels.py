"""Functions of the unpack scripts: finding a wheel, and extracting a file."""

import os
import pathlib
import shutil
import time
import zipfile


def the_wheel(folder: pathlib.Path, name: str) -> pathlib.Path:
    found = sorted(folder.glob(f"{name}-*.whl"))
    if len(found) != 1:
        raise SystemExit(f"{len(found)} wheels of {name} in {folder}, expected one")
    return found[0]


def place(wheel: str, prefix: pathlib.Path, path: str) -> pathlib.Path:
    """The place of a wheel's PATH below PREFIX; makes its folder."""
    target = prefix / path
    if prefix not in target.resolve().parents:
        raise SystemExit(f"{wheel}: {path} leads out of the prefix")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def extract(archive: zipfile.ZipFile, info: zipfile.ZipInfo, target: pathlib.Path) -> None:
    with archive.open(info) as source, open(target, "wb") as sink:
        shutil.copyfileobj(source, sink, 1 << 20)
    # The file gets the date that it has in the wheel. With a new date, unpacking again would make object files out of
    # date.
    stamp = time.mktime((*info.date_time, 0, 0, -1))
    os.utime(target, (stamp, stamp))
