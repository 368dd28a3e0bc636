"""Copies the public headers to OUT_DIR, and adds a field at the end of each struct that begins with
struct_size: grow.py INCLUDE_DIR OUT_DIR
"""

import re
import sys
from pathlib import Path

STRUCT = re.compile(r"(typedef struct (atc_\w+) \{\n  uint32_t struct_size;\n.*?)(\} \2;)", re.DOTALL)


def grown(text):
    text, count = STRUCT.subn(r"\1  uint64_t appended;\n\3", text)
    if count != len(re.findall(r"\bstruct_size;", text)):
        raise ValueError("a struct with struct_size has another form than the ones known here")
    return text


def main():
    include, out = Path(sys.argv[1]), Path(sys.argv[2])
    for header in sorted((include / "atc").glob("*.h")):
        file = out / "atc" / header.name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(grown(header.read_text()))


if __name__ == "__main__":
    main()
