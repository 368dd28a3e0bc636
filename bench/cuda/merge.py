"""Merges files of the same measurement into one: python3 bench/cuda/merge.py OUT IN...

If several files have a cell, its row comes from the last of these files. The head of a run remains
before the rows of the run. If no row of the run remains, its head is dropped.
"""

import json
import sys

KEY = ("layer", "model", "op", "format", "layout", "set", "mode", "side", "repetition")


def key(row):
    return tuple(row.get(name) for name in KEY)


def runs(path):
    """Returns the runs of a file of results: for each run its head and its rows."""
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
