"""Runs the command line `atc`, if the package contains it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import NoReturn

PROGRAM = Path(__file__).resolve().parent / "bin/atc"


def main() -> NoReturn:
    """Replaces this process by the program that the package contains, with the arguments of this
    process."""
    if not PROGRAM.exists():
        sys.exit(f"atc: this package was made without the command line ({PROGRAM} is missing): "
                 "build rust/atc-cli and run it, or take a wheel that contains it")
    os.execv(PROGRAM, [str(PROGRAM), *sys.argv[1:]])
