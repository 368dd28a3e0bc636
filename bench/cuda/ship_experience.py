"""Builds the experience of stores into the library (docs/adr/0050-expected-benefit.md):

    python3 bench/cuda/ship_experience.py STORE...

The program reads the files experience-*.json in the folders of the stores. It merges the files of devices with the
same compute capability, and writes src/conv/race/shipped_experience.cpp. Files of CPUs are left out, because CPUs
have no compute capability. To get a store with such a file, tune a list of layers:

    atc tune bench/shapes/public.txt --store STORE

A kind is a group of candidates whose times are averaged. Kinds with fewer than two candidates are left out. Numbers
have four digits.
"""

import argparse
import json
import pathlib
import sys

TARGET = pathlib.Path(__file__).parents[2] / "src/conv/race/shipped_experience.cpp"
SCHEMA = 1
# MOST_KINDS and MOST_COUNTED are the same numbers as kMostKinds and kMostCounted in src/conv/race/experience.
MOST_KINDS, MOST_COUNTED, FEWEST = 1024, 64, 2
# The most bytes of a string literal in the written file. A compiler need not accept more than 65,536 bytes.
MOST_IN_LITERAL = 12_000

HEAD = """// Written by bench/cuda/ship_experience.py; not edited by hand.
#include "conv/race/shipped_experience.hpp"

namespace atc::conv {

"""


def joined(one, other):
    """Returns the moments (number, mean, variance) of two sets of numbers together, from the moments of each set."""
    number = one[0] + other[0]
    mean = (one[0] * one[1] + other[0] * other[1]) / number
    squares = sum(some[0] * (some[2] + (some[1] - mean)**2) for some in (one, other))
    return [number, mean, squares / number]


def merged(files):
    """Returns, for each compute capability (such as "[9,0]"), {"ratios": {kind: moments}, "turns": {...}}."""
    devices = {}
    for path in files:
        file = json.loads(path.read_text())
        if file["schema"] != SCHEMA:
            sys.exit(f"{path} has schema {file['schema']}, this script reads {SCHEMA}")
        capability = file["environment"].get("compute_capability")
        if capability is None:
            continue
        device = devices.setdefault(json.dumps(capability, separators=(",", ":")), {"ratios": {}, "turns": {}})
        for part, kinds in device.items():
            for kind, moments in file[part].items():
                kinds[kind] = joined(kinds[kind], moments) if kind in kinds else moments
    return devices


def shortened(kinds):
    """Returns the kinds with the most candidates, sorted by name."""
    seen = sorted((kind for kind, moments in kinds.items() if moments[0] >= FEWEST), key=lambda kind: -kinds[kind][0])
    return {kind: [min(kinds[kind][0], MOST_COUNTED)] + [float(f"{value:.4g}") for value in kinds[kind][1:]]
            for kind in sorted(seen[:MOST_KINDS])}


def literal(text):
    """Returns an expression of type std::string. Literals that stand side by side would count as one literal."""
    parts = [text[at:at + MOST_IN_LITERAL] for at in range(0, len(text), MOST_IN_LITERAL)]
    return "std::string()" + "".join(f'\n+ R"~({part})~"' for part in parts)


def source_of(devices):
    if not devices:
        return HEAD + 'std::string shipped_experience(std::string_view /*compute_capability*/) { return ""; }\n\n}  // namespace atc::conv\n'
    lines = ["// clang-format off", "std::string shipped_experience(std::string_view compute_capability) {"]
    for name, parts in sorted(devices.items()):
        text = json.dumps({part: shortened(kinds) for part, kinds in parts.items()}, separators=(",", ":"), sort_keys=True)
        lines.append(f"  if (compute_capability == {json.dumps(name)})\n    return {literal(text)};")
    lines += ['  return "";', "}", "// clang-format on"]
    return HEAD + "\n".join(lines) + "\n\n}  // namespace atc::conv\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("store", type=pathlib.Path, nargs="+")
    arguments = parser.parse_args()
    files = sorted(file for store in arguments.store for file in store.glob("experience-*.json"))
    if not files:
        sys.exit("no file experience-*.json in these folders: tune with --store first")
    devices = merged(files)
    TARGET.write_text(source_of(devices))
    for name, parts in devices.items():
        print(f"{name}: {len(shortened(parts['ratios']))} kinds, {len(shortened(parts['turns']))} costs")


if __name__ == "__main__":
    main()
