"""Prints a table of a file of adopted.py: how much of the gain of a new race the adopted choices keep.

    python3 bench/cuda/adopted_summary.py adopted.jsonl
"""

import math
import sys

from rows import read

MOST_LOSS = 0.05  # if an adopted choice is slower than the default by more than this, other_versions stays off by default


def summary(rows):
    """Returns the figures of the table. `kept` is the sum of log(default / adopted) divided by the sum of
    log(default / raced), over all cells. It is None if the new races gain nothing."""
    times = [row["ms"] for row in rows if "failed" not in row]

    def gain(side):
        return sum(math.log(ms["default"] / ms[side]) for ms in times)

    return {"cells": len(times),
            "adopted": sum(row.get("adopted", False) for row in rows),
            "kept": gain("adopted") / gain("raced") if gain("raced") > 0 else None,
            "worst": max((ms["adopted"] / ms["default"] - 1 for ms in times), default=0.0),
            "losing": sum(ms["adopted"] > (1 + MOST_LOSS) * ms["default"] for ms in times)}


def main():
    figures = summary(read(sys.argv[1])[1])
    kept = "none to keep" if figures["kept"] is None else f"{figures['kept']:.0%}"
    print("| cells | with an adopted choice | share of the gain kept | worst cell against the default | cells more than "
          f"{MOST_LOSS:.0%} slower |")
    print("|---|---|---|---|---|")
    print(f"| {figures['cells']} | {figures['adopted']} | {kept} | {figures['worst']:+.1%} | {figures['losing']} |")


if __name__ == "__main__":
    main()
