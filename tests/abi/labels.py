"""Every function carries its own label: atc_foo is ATC_SYM(foo), and no two share one.

A wrong label that is used consistently links and runs; nothing but this sees it.
Usage: labels.py HEADER INCLUDE_DIR COMPILER
"""

import sys

import headers


def main():
    functions = headers.read(sys.argv[2], sys.argv[3], sys.argv[1]).functions
    bad = [f for f in functions if f.name != f"atc_{f.label}"]
    for f in bad:
        print(f"{f.header}: {f.name} carries "
              + (f"ATC_SYM({f.label})" if f.label else "no ATC_SYM label"))
    print(f"{len(functions)} functions, {len(bad)} with a wrong label")
    return 1 if bad or not functions else 0


if __name__ == "__main__":
    sys.exit(main())
