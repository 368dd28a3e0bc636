"""README's programs are the examples: readme.py SOURCE_DIR README

A fenced block after a line `<!-- PATH -->` equals the part of PATH between the comments [readme] and
[/readme], without its indentation.
"""

import re
import sys
import textwrap
from pathlib import Path


def region(path):
    text = path.read_text()
    match = re.search(r"^[^\n]*\[readme\][^\n]*\n(.*?)^[^\n]*\[/readme\]", text, re.S | re.M)
    if not match:
        raise SystemExit(f"{path}: no part between [readme] and [/readme]")
    return textwrap.dedent(match.group(1)).strip()


def main():
    source, readme = Path(sys.argv[1]), Path(sys.argv[2])
    blocks = re.findall(r"<!-- (\S+) -->\n+```\w+\n(.*?)```", readme.read_text(), re.S)
    bad = [path for path, block in blocks if block.strip() != region(source / path)]
    for path in bad:
        print(f"{readme.name} does not show what {path} has between its [readme] marks:")
        print(region(source / path))
    print(f"{len(blocks)} programs in {readme.name}, {len(bad)} differ")
    return 1 if bad or len(blocks) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
