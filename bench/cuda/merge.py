"""Puts files of the same measurement together: python3 bench/cuda/merge.py OUT IN...

A cell has the row of the last file that measured it. The head of a run stays before the rows of that run, and is dropped
if none of them is left.
"""

import json
import sys

KEY = ("layer", "model", "op", "format", "layout", "set", "mode", "side", "repetition")


def key(row):
    return tuple(row.get(name) for name in KEY)


def runs(path):
    """Returns the heads of runs, each with its rows."""
    found = []
    with open(path) as file:
        for row in map(json.loads, file):
            if "layer" in row or "model" in row:
                found[-1][1].append(row)
            else:
                found.append((row, []))
    return found


def merged(paths):
    everything = [run for path in paths for run in runs(path)]
    place = {key(row): (i, row) for i, (_, rows) in enumerate(everything) for row in rows}
    for i, (head, rows) in enumerate(everything):
        kept = [row for row in rows if place[key(row)] == (i, row)]
        if kept:
            yield from [head, *kept]


def main():
    out, *paths = sys.argv[1:]
    lines = [json.dumps(line) for line in merged(paths)]
    with open(out, "w") as file:
        file.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
