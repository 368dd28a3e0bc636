"""Tests the rule for turns (docs/tuning.md, "Which candidates get a turn") on recorded races. In its turn a candidate
is prepared, checked and timed for the first time:

    python3 bench/cuda/replay_turns.py bench/results/h200 [--calls 30000] [--slow] [--beside]

A row of offers.jsonl is a cell: one layer, direction, format and layout. It has the times of all candidates, by engine
and rewrite, in the order in which the engine offers them. The replay decides which candidates get a turn, as
src/tune/prospects.cpp does, with the experience of the cells of all other networks. Recorded races do not contain the
cost of a candidate's turn, so a turn is assumed to cost 20 ms plus the time of its executions. The program prints three
figures: the number of candidates with a turn, the time of their turns / the time of the turns of all candidates, and
the regret (how much slower the choice is than the best candidate).
"""

import argparse
import collections
import json
import math
import pathlib
import re

from figures import class_of

# The following constants of the rule for turns are the same as in src/tune/prospects.cpp, src/tune/contestant.hpp and
# src/conv/race/experience.cpp.
RACE, GROUP, SHARED, SPREAD = 3, 1, 0.9, 4
MEAN, DEVIATION, BY_PLACE = 0.3, 0.8, 0.15
WIDER, LEAST_VARIANCE = 4, 0.02
EXECUTIONS, HOPELESS = 6, 10

# The assumed seconds for a candidate's turn (without its executions), and for a batch of executions.
BESIDE, BATCH = 20e-3, 2e-4


def network_of(layer):
    return re.split(r"[_\d]", layer)[0]


def probability(z):
    return math.erfc(-z / math.sqrt(2)) / 2


def saving(mean, deviation):
    """Returns the expected saving of a call, as a fraction of the leader's time."""
    z = -mean / deviation
    return max(0, probability(z) - math.exp(mean + deviation**2 / 2) * probability(z - deviation))


def cost(seconds, leader):
    execution = min(seconds, HOPELESS * leader)
    return BESIDE + EXECUTIONS * execution + 2 * max(BATCH, execution)


class Cell:
    def __init__(self, row):
        self.row = row
        self.network = network_of(row["layer"])
        self.candidates = [(re.sub(r"@[^>(]*", "", chain), place, ms / 1e3)
                           for chain, times in row["offers_ms"].items() for place, ms in enumerate(times) if ms]
        first = [i for i, (chain, _, _) in enumerate(self.candidates) if chain == "cudnn"]
        self.default = first[0] if first else 0
        self.reference = self.candidates[self.default][2]

    def kind(self, chain):
        """Returns the kind of a candidate (the group of candidates whose times are averaged): its chain of rewrites and
        engine, with the class of the layer. The library also has a narrower kind for each engine within cuDNN, which
        the rows do not name."""
        row = self.row
        number_format = "bf16" if row["format"] == "fp16" else row["format"]
        return chain, row["op"].replace("-bias", ""), number_format, row["layout"], class_of(row)


def experience_of(cells):
    """Returns for each kind the number, mean and variance of log(candidate's time / default's time)."""
    values = collections.defaultdict(list)
    for cell in cells:
        for i, (chain, _, seconds) in enumerate(cell.candidates):
            if i != cell.default:
                values[cell.kind(chain)].append(math.log(seconds / cell.reference))
    moments = {}
    for kind, some in values.items():
        mean = sum(some) / len(some)
        moments[kind] = min(len(some), 64), mean, sum((value - mean)**2 for value in some) / len(some)
    return moments


def belief(cell, experience, chain, place):
    mean, variance = MEAN + BY_PLACE * math.log1p(place), DEVIATION**2
    if seen := experience.get(cell.kind(chain)):
        number, center, spread = seen
        shrunk = (WIDER * mean + number * center) / (WIDER + number)
        variance = (WIDER * variance + number * (spread + (center - shrunk)**2)) / (WIDER + number)
        mean = shrunk
    return mean, max(variance, LEAST_VARIANCE)


def expected(cell, beliefs, turns):
    """Returns the expected mean and variance of log(time / default's time) for each candidate, after these turns were
    measured."""
    means, variances = map(list, zip(*beliefs))
    off = {i: math.log(cell.candidates[i][2] / cell.reference) - means[i] for i in turns if i != cell.default}

    def gathered(group):
        values = collections.defaultdict(list)
        for i, value in off.items():
            values[group(i)].append(value)
        return values

    def shift(group, weight):
        values = gathered(group)
        for i in range(len(means)):
            if some := values.get(group(i)):
                by = sum(some) / (len(some) + weight)
                means[i] += by
                if i in off:
                    off[i] -= by

    def chain_of(i):
        return cell.candidates[i][0]

    shift(lambda _: 0, RACE)
    shift(chain_of, GROUP)
    for i in range(len(variances)):
        if some := gathered(chain_of).get(chain_of(i)):
            left = (1 - SHARED * len(some) / (len(some) + GROUP)) * variances[i]
            variances[i] = (SPREAD * left + sum(value**2 for value in some)) / (SPREAD + len(some))
    return means, variances


def replay(cell, experience, calls):
    """Returns the candidates that get a turn, in order."""
    beliefs = [belief(cell, experience, chain, place) for chain, place, _ in cell.candidates]
    turns = [cell.default]
    while len(turns) < len(beliefs):
        leader = min(cell.candidates[i][2] for i in turns)
        ahead = math.log(cell.reference / leader)
        means, variances = expected(cell, beliefs, turns)
        best, best_ratio = None, 1
        for i in set(range(len(beliefs))) - set(turns):
            gain = leader * calls * saving(means[i] + ahead, math.sqrt(variances[i]))
            ratio = gain / cost(cell.reference * math.exp(means[i] + variances[i] / 2), leader)
            if ratio > best_ratio:
                best, best_ratio = i, ratio
        if best is None:
            break
        turns.append(best)
    return turns


def picks(cell, experience, calls, most, by_mean):
    """Returns the default, and the candidates that a worker checks beside a running program, at most `most`. With
    by_mean they are picked one after the other, as in src/tune/picks.cpp. Without by_mean they are picked all at once,
    by the median of the expected time."""
    beliefs = [belief(cell, experience, chain, place) for chain, place, _ in cell.candidates]
    checked, leader = [cell.default], cell.reference
    while len(checked) <= most:
        ratios = {}
        for i in set(range(len(beliefs))) - set(checked):
            mean, variance = beliefs[i]
            execution = cell.reference * math.exp(mean + (variance / 2 if by_mean else 0))
            price = BESIDE + (max(EXECUTIONS * min(execution, HOPELESS * leader), 2 * execution) if by_mean else
                              EXECUTIONS * execution)
            gain = leader * saving(mean + math.log(cell.reference / leader), math.sqrt(variance))
            if gain * calls > price:
                ratios[i] = gain / price
        if not ratios:
            break
        checked.append(max(ratios, key=ratios.get))
        if by_mean:
            leader = min(leader, cell.candidates[checked[-1]][2])
    return checked


def report_beside(cells, experiences, calls):
    for by_mean in (False, True):
        for most in (1, 2, 3, 6):
            count, gained, possible = 0, 0, 0
            for cell in cells:
                checked = picks(cell, experiences[cell.network], calls, most, by_mean)
                times = [seconds for _, _, seconds in cell.candidates]
                count += len(checked) - 1
                gained += math.log(cell.reference / min(times[i] for i in checked))
                possible += math.log(cell.reference / min(times))
            print(f"beside, by the {'mean' if by_mean else 'median'}, at most {most}: {count / len(cells):.1f} candidates of a layer, "
                  f"{100 * gained / possible:.0f} % of the gain")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--calls", type=float, nargs="+", default=[1e3, 1e4, 3e4, 1e5])
    parser.add_argument("--without-experience", action="store_true")
    parser.add_argument("--beside", action="store_true", help="the candidates that are checked beside a program")
    parser.add_argument("--slow", action="store_true", help="list the cells with a regret above 2 %%")
    arguments = parser.parse_args()
    rows = map(json.loads, (arguments.folder / "offers.jsonl").read_text().splitlines())
    cells = [Cell(row) for row in rows if row.get("offers_ms")]
    networks = {cell.network for cell in cells}
    experiences = {network: {} if arguments.without_experience else
                   experience_of([cell for cell in cells if cell.network != network]) for network in networks}
    print(f"{len(cells)} cells of {len(networks)} networks, {sum(len(cell.candidates) for cell in cells)} candidates")
    if arguments.beside:
        for calls in arguments.calls:
            print(f"{calls:g} calls")
            report_beside(cells, experiences, calls)
        return
    for calls in arguments.calls:
        count, spent, whole, regrets = 0, 0, 0, []
        for cell in cells:
            turns = replay(cell, experiences[cell.network], calls)
            times = [seconds for _, _, seconds in cell.candidates]
            regrets.append(min(times[i] for i in turns) / min(times) - 1)
            count += len(turns)
            spent += sum(cost(times[i], min(times)) for i in turns)
            whole += sum(cost(seconds, min(times)) for seconds in times)
            if arguments.slow and regrets[-1] > 0.02:
                row = cell.row
                print(f"  {row['layer']} {row['op']} {row['format']} {row['layout']}: {100 * regrets[-1]:.1f} % of {1e6 * min(times):.1f} us")
        above = [sum(regret > limit for regret in regrets) for limit in (0.02, 0.03)]
        print(f"{calls:g} calls: {count} turns, {spent / whole:.2f} of the time, regret above 2 %: {above[0]}, above 3 %: {above[1]}, "
              f"largest {100 * max(regrets):.1f} %, mean {100 * sum(regrets) / len(regrets):.2f} %")


if __name__ == "__main__":
    main()
