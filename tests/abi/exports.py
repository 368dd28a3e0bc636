"""Compares the names that a shared library exports with a golden list: exports.py [--update] NM
LIBRARY GOLDEN. --update writes the list anew."""

import re
import subprocess
import sys
from pathlib import Path


def exported(nm, library):
    output = subprocess.run([nm, "-D", "--defined-only", library], capture_output=True, text=True,
                            check=True).stdout
    names = set()
    for line in output.splitlines():
        kind, name = line.split()[-2:]
        if kind == "A" and re.fullmatch(r"ATC_(TORCH_)?\d+(@@ATC_(TORCH_)?\d+)?", name):
            continue  # skips the symbol that stands for the symbol version itself
        names.add(name.split("@")[0])
    return names


def main():
    arguments = [a for a in sys.argv[1:] if a != "--update"]
    nm, library, golden = arguments
    names = exported(nm, library)
    foreign = sorted(name for name in names if not re.fullmatch(r"atc1_[a-z0-9_]+", name))
    if "--update" in sys.argv[1:]:
        Path(golden).write_text("".join(f"{name}\n" for name in sorted(names)))
    wanted = set(Path(golden).read_text().split())
    for name in foreign:
        print(f"exported, but not an atc1_* name: {name}")
    for name in sorted(names - wanted):
        print(f"exported, but not in {Path(golden).name}: {name}")
    for name in sorted(wanted - names):
        print(f"in {Path(golden).name}, but not exported: {name}")
    print(f"{len(names)} names exported, {len(wanted)} in the list")
    return 1 if foreign or names != wanted or not names else 0


if __name__ == "__main__":
    sys.exit(main())
