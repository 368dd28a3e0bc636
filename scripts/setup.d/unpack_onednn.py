"""Unpack the oneDNN wheels into one prefix: python3 unpack_onednn.py FOLDER_OF_WHEELS PREFIX

A wheel keeps what belongs below the prefix in `<name>.data/data/`. It cannot hold links, so the library is
in it three times under three names; here the longest name is the file and the others are links to it.
"""

import os
import pathlib
import shutil
import sys
import time
import zipfile


def unpack(wheel: pathlib.Path, prefix: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = {
            name.split(".data/data/", 1)[1]: archive.getinfo(name)
            for name in archive.namelist()
            if ".data/data/" in name and not name.endswith("/")
        }
        for path, info in sorted(members.items()):
            target = prefix / path
            if prefix not in target.resolve().parents:
                raise SystemExit(f"{wheel.name}: {path} leads out of the prefix")
            target.parent.mkdir(parents=True, exist_ok=True)
            longer = [other for other in members if other.startswith(path + ".")]
            if ".so" in target.name and longer:
                target.symlink_to(pathlib.Path(min(longer, key=len)).name)
                continue
            with archive.open(info) as source, open(target, "wb") as sink:
                shutil.copyfileobj(source, sink)
            # The date inside the wheel: unpacking again does not make every object file out of date.
            stamp = time.mktime((*info.date_time, 0, 0, -1))
            os.utime(target, (stamp, stamp))


def main() -> None:
    wheels, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    found = sorted(wheels.glob("onednn*.whl"))
    if not found:
        raise SystemExit(f"no oneDNN wheel in {wheels}")
    for wheel in found:
        unpack(wheel, prefix)


if __name__ == "__main__":
    main()
