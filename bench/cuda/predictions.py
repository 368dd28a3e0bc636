"""Tests the rule for predictions (docs/adr/0053-predictions.md) on recorded races (the measured times of all candidates
of a cell):

    python3 bench/cuda/predictions.py bench/results/h200 [--caution 0 0.5 1] [--narrow] [--slow]

A row of offers.jsonl is a cell: one layer, direction, format and layout. It has the times of all candidates, by engine
and rewrite, in the order in which the engine offers them. The choice of a cell is predicted from the times in the cells
of all other networks, as in src/conv/race/experience.cpp and src/tune/forecast.cpp. So the prediction does not use the
network on which it is tested. The default of a cell is cuDNN's first offer. The program prints two geometric means, and
the cells in which the prediction is slower than the default. The means are over the default's time / the time of the
prediction, and over the default's time / the time of the fastest candidate.
"""

import argparse
import collections
import json
import math
import pathlib

from figures import geomean, layer_of
from replay_turns import BY_PLACE, DEVIATION, LEAST_VARIANCE, MEAN, WIDER, Cell

CAUTION = 0.5  # the multiple of the standard deviation that is added to the expected time, as in src/tune/forecast.hpp
MOST_COUNTED = 64
SLOWER = 1.05  # a prediction that takes more than this multiple of the default's time counts as slower


def class_words(row):
    """Returns the part of a layer's class that does not depend on direction, format and layout: groups and kernel.
    layer_class() in src/conv/race/experience.cpp makes the same words."""
    layer = layer_of(row)
    groups = "dense" if layer.groups == 1 else "depthwise" if layer.groups == layer.c else "grouped"
    return groups, "1x1" if max(layer.kernel) == 1 else "wide"


def kinds_of(cell, chain):
    """Returns the kinds (groups of candidates whose times are averaged) of a candidate, from the widest to the
    narrowest. The library also has a narrower kind for each engine within cuDNN, which the rows do not name."""
    row, words = cell.row, class_words(cell.row)
    return [(chain, *words), (chain, row["op"].replace("-bias", ""), row["format"], len(layer_of(row).input), row["layout"],
                              *words)]


def moments_of(cells):
    """Returns for each kind the number, mean and variance of log(candidate's time / default's time)."""
    values = collections.defaultdict(list)
    for cell in cells:
        for i, (chain, _, seconds) in enumerate(cell.candidates):
            if i != cell.default:
                for kind in kinds_of(cell, chain):
                    values[kind].append(math.log(seconds / cell.reference))
    moments = {}
    for kind, some in values.items():
        mean = sum(some) / len(some)
        moments[kind] = min(len(some), MOST_COUNTED), mean, sum((value - mean)**2 for value in some) / len(some)
    return moments


def belief(cell, moments, chain, place, narrow=False):
    """Returns the expected value of log(candidate's time / default's time), and its standard deviation. With `narrow`,
    only cells of the same direction, format and layout are used."""
    mean, variance = MEAN + BY_PLACE * math.log1p(place), DEVIATION**2
    for kind in kinds_of(cell, chain)[1 if narrow else 0:]:
        if kind in moments:
            number, center, spread = moments[kind]
            shrunk = (WIDER * mean + number * center) / (WIDER + number)
            variance = (WIDER * variance + number * (spread + (center - shrunk)**2)) / (WIDER + number)
            mean = shrunk
    return mean, math.sqrt(max(variance, LEAST_VARIANCE))


def predicted(cell, moments, caution=CAUTION, narrow=False):
    """Returns the index of the candidate that is predicted for the cell."""
    best, least = cell.default, 0
    for i, (chain, place, _) in enumerate(cell.candidates):
        if i != cell.default:
            mean, deviation = belief(cell, moments, chain, place, narrow)
            if mean + caution * deviation < least:
                best, least = i, mean + caution * deviation
    return best


class Outcome:
    """Collects the results of the predictions for some cells."""

    def __init__(self):
        self.gains, self.possible, self.others, self.slower = [], [], 0, []

    def add(self, cell, choice):
        times = [seconds for _, _, seconds in cell.candidates]
        self.gains.append(cell.reference / times[choice])
        self.possible.append(cell.reference / min(times))
        self.others += choice != cell.default
        if times[choice] > SLOWER * cell.reference:
            self.slower.append((cell, cell.candidates[choice][0], times[choice] / cell.reference))

    def line(self, name):
        return (f"{name}: {len(self.gains)} cells, predicted another candidate in {self.others}, {geomean(self.gains):.3f} x the "
                f"default (fastest candidates: {geomean(self.possible):.3f}), slower by more than "
                f"{100 * SLOWER - 100:.0f} %: {len(self.slower)}, slowest {1 / min(self.gains):.2f} x the default's time")


def replayed(cells, caution=CAUTION, narrow=False):
    """Returns the outcome over all cells, and the outcome for each class. Each cell is predicted from the cells of the
    other networks."""
    fitted = {network: moments_of([cell for cell in cells if cell.network != network])
              for network in {cell.network for cell in cells}}
    whole, classes = Outcome(), collections.defaultdict(Outcome)
    for cell in cells:
        choice = predicted(cell, fitted[cell.network], caution, narrow)
        whole.add(cell, choice)
        classes[" ".join(class_words(cell.row))].add(cell, choice)
    return whole, dict(sorted(classes.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--caution", type=float, nargs="+", default=[CAUTION])
    parser.add_argument("--narrow", action="store_true", help="only cells of the same direction, format and layout count")
    parser.add_argument("--slow", action="store_true", help="list the cells in which the prediction is slower")
    arguments = parser.parse_args()
    rows = [json.loads(line) for line in (arguments.folder / "offers.jsonl").read_text().splitlines()]
    cells = [Cell(row) for row in rows if row.get("offers_ms")]
    if not cells:
        parser.exit(1, f"{arguments.folder / 'offers.jsonl'} has no cells\n")
    print(f"{rows[0].get('device', 'unknown device')}, races of atc at {rows[0].get('commit', 'an unknown commit')}, "
          f"{len({cell.network for cell in cells})} networks, each predicted by the others")
    for caution in arguments.caution:
        whole, classes = replayed(cells, caution, arguments.narrow)
        print(whole.line(f"caution {caution:g}"))
        for name, outcome in classes.items():
            print(outcome.line("  " + name))
        if arguments.slow:
            for cell, chain, ratio in whole.slower:
                row = cell.row
                print(f"  {row['layer']} {row['op']} {row['format']} {row['layout']}: {chain} takes {ratio:.2f} x the default's time")


if __name__ == "__main__":
    main()
