"""Generates all files that are derived from the table of options (fields.toml): generate.py [--check]

With --check no file is written. The script then compares the existing files, and the public headers, with the table. If one of
them differs, the script prints the differences and fails.
"""

import difflib
import sys
from pathlib import Path

try:
    import tomllib  # noqa: F401
except ImportError:
    print("skipped: needs Python 3.11 or newer (tomllib)")
    sys.exit(77)

import cpp
import header
import page
import python_types
import rust
import table

ROOT = Path(__file__).resolve().parents[1]
FILES = {
    "docs/options.md": page.generate,
    "src/conv/option_fields.hpp": cpp.of_core,
    "ffi/read_plain_options.cpp": cpp.of_ffi,
    "torch/switches.hpp": cpp.of_torch,
    "python/atc/_option_fields.py": python_types.generate,
    "rust/atc/src/safe/options/setters.rs": rust.of_plan,
    "rust/atc/src/safe/tuner/setters.rs": rust.of_tuner,
    "rust/atc-cli/src/cli/option_flags.rs": rust.of_flags,
    "rust/atc-tch/src/options/setters.rs": rust.of_bridge,
}


def compared(file, fresh):
    path = ROOT / file
    known = path.read_text() if path.exists() else ""
    return list(difflib.unified_diff(known.splitlines(), fresh.splitlines(), file, "abi/fields.toml gives", lineterm="",
                                     n=0))


def main():
    options = table.read()
    fresh = {file: write(options) for file, write in FILES.items()}
    wrong = header.differences(options, ROOT)
    if "--check" in sys.argv[1:]:
        stale = [line for file, text in fresh.items() for line in compared(file, text)]
        if stale:
            stale.append("python3 abi/generate.py writes these files anew")
        wrong += stale
    else:
        for file, text in fresh.items():
            (ROOT / file).parent.mkdir(exist_ok=True)
            (ROOT / file).write_text(text)
    print("\n".join(wrong) or f"{len(options)} options, {len(fresh)} files and the headers agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except table.BadTable as error:
        sys.exit(f"abi/fields.toml: {error}")
