"""Unpack the oneDNN wheels into one prefix: python3 unpack_onednn.py FOLDER_OF_WHEELS PREFIX

A wheel has the files for the prefix in `<name>.data/data/`. It cannot have links, so it contains the library three
times under three names; here the longest name is the file and the others are links to it.
"""

import pathlib
import sys
import zipfile

from wheels import extract, place


def unpack(wheel: pathlib.Path, prefix: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        members = {
            name.split(".data/data/", 1)[1]: archive.getinfo(name)
            for name in archive.namelist()
            if ".data/data/" in name and not name.endswith("/")
        }
        for path, info in sorted(members.items()):
            target = place(wheel.name, prefix, path)
            longer = [other for other in members if other.startswith(path + ".")]
            if ".so" in target.name and longer:
                target.symlink_to(pathlib.Path(min(longer, key=len)).name)
                continue
            extract(archive, info, target)


def main() -> None:
    wheels, prefix = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).resolve()
    found = sorted(wheels.glob("onednn*.whl"))
    if not found:
        raise SystemExit(f"no oneDNN wheel in {wheels}")
    for wheel in found:
        unpack(wheel, prefix)


if __name__ == "__main__":
    main()
