"""Compares the first N training steps of LibTorch and atc.

bench/cuda/models.py has measured the steps with --curve N.

    python3 bench/cuda/models.py --libatc libatc.so.1 --bridge libatc_torch.so.1 --modes eager --curve 300 \\
        --sides heuristic benchmark atc atc-beside --out models.jsonl
    python3 bench/cuda/curves.py models.jsonl

A row is a model, format, mode and side. It has five columns: (1) the first step in seconds; (2) the time of all N
steps / the time of all N steps of the side `heuristic`; (3) the median of the last fifth of the steps in
milliseconds; (4) the longest step after the first / the median of all steps; (5) the 99th percentile of the steps
after the first / the median of all steps. If there are several repetitions, each column has the median over the
repetitions.
"""

import argparse
import collections
import statistics

from rows import read

COLUMNS = ["first_s", "all_ratio", "last_ms", "longest_ratio", "p99_ratio"]


def figures(curve, heuristic_seconds):
    """Returns the columns of the table for one process. `heuristic_seconds` is the time of all steps with LibTorch's
    heuristic, or None if the heuristic was not measured."""
    middle = statistics.median(curve)
    later = sorted(curve[1:])
    return {"first_s": curve[0], "all_ratio": sum(curve) / heuristic_seconds if heuristic_seconds else None,
            "last_ms": 1e3 * statistics.median(curve[-max(1, len(curve) // 5):]), "longest_ratio": later[-1] / middle,
            "p99_ratio": later[min(len(later) - 1, int(0.99 * len(later)))] / middle}


def table(rows):
    """Returns a dictionary from (model, set, mode, side) to the columns of the table, in the order of the rows."""
    curves = collections.defaultdict(list)
    for row in rows:
        if row.get("curve_s"):
            curves[row["model"], row["set"], row["mode"], row["side"]].append(row["curve_s"])
    result = {}
    for key, measured in curves.items():
        heuristic = [sum(curve) for curve in curves.get((*key[:3], "heuristic"), [])]
        seconds = statistics.median(heuristic) if heuristic else None
        each = [figures(curve, seconds) for curve in measured]
        result[key] = {name: statistics.median(one[name] for one in each) if each[0][name] is not None else None
                       for name in COLUMNS}
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("rows", help="the file that models.py wrote")
    options = parser.parse_args()
    _, rows = read(options.rows, of="model")
    print("| model | format | mode | side |", " | ".join(COLUMNS), "|")
    print("|" + "---|" * (4 + len(COLUMNS)))
    for key, columns in table([row for row in rows if "failed" not in row]).items():
        print("|", " | ".join(key), "|", " | ".join("-" if value is None else f"{value:.3f}" for value in columns.values()),
              "|")


if __name__ == "__main__":
    main()
