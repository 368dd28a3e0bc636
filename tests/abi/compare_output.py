"""Runs a program and compares its output with a golden file: compare_output.py [--update] GOLDEN
PROGRAM. --update writes the file anew."""

import difflib
import subprocess
import sys
from pathlib import Path


def main():
    golden, program = [a for a in sys.argv[1:] if a != "--update"]
    printed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    if "--update" in sys.argv[1:]:
        Path(golden).write_text(printed)
    wanted = Path(golden).read_text()
    difference = list(difflib.unified_diff(wanted.splitlines(), printed.splitlines(),
                                           Path(golden).name, "this build", lineterm="", n=0))
    print("\n".join(difference) or f"{len(printed.splitlines())} lines, all equal")
    return 1 if difference or not printed else 0


if __name__ == "__main__":
    sys.exit(main())
