"""Writes the row of one version of LibTorch into the table of scripts/torch-versions: python3 table.py FILE MINOR
VERSION C PACKAGE OPINFO"""

import pathlib
import platform
import subprocess
import sys

HEAD = """# The bridge on each LibTorch

Written by `scripts/torch-versions`, which tests on the CPU alone ({machine}). The torch of a row is PyTorch's wheel for Linux
and Python 3.11. Versions without a row were not tested.

* `tests/torch`: the bridge and its tests in C++, built with that LibTorch's headers and run with its libraries. Not run: with
  `--python-only`. (`make test` runs them with the LibTorch that `scripts/setup` brings.)
* Python package: `python/tests/test_torch.py`.
* OpInfo: PyTorch's samples of its six convolution functions, forward and gradients, and error inputs. Without tuning all bits,
  strides and texts equal LibTorch's own; tuned results lie within rounding errors of them.

| LibTorch | version | tests/torch | Python package | OpInfo |
|---|---|---|---|---|
"""


def main() -> None:
    file, minor, cells = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[2:]
    old = file.read_text().splitlines() if file.exists() else []
    rows = {line.split("|")[1].strip(): line for line in old if line.startswith("| 2.")}
    rows[minor] = "| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |"
    order = sorted(rows, key=lambda name: [int(part) for part in name.split(".")])
    compiler = subprocess.run(["c++", "-dumpfullversion"], capture_output=True, text=True, check=True).stdout.strip()
    file.write_text(HEAD.format(machine=f"{platform.system()} {platform.machine()}, c++ {compiler}") + "".join(f"{rows[name]}\n" for name in order))


if __name__ == "__main__":
    main()
