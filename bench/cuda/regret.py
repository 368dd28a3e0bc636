"""How far atc's choice by default limits (10 candidates, 2 s) is behind the best candidate, on a seeded sample of cells.

    python3 bench/cuda/regret.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --cells 96 --out regret.jsonl

The best is found by a race of all candidates without a limit; then both races' choices of captured calls run in turn, as in
against_torch.py.
"""

import statistics
import time

import record
from atc_abi import Plan
from timing import captured, milliseconds, rotation


def measured(atc, cell, samples):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    races, seconds = {"default": atc.tune, "oracle": atc.tune_exhaustively}, {}
    choices = {}
    for name, race in races.items():
        start = time.perf_counter()
        choices[name] = race(problem).captured
        seconds[name] = time.perf_counter() - start
    row = {"choices": choices, "tuning_s": seconds, "regret": 0.0}
    if choices["default"] == choices["oracle"]:
        return row
    kept = {name: captured(Plan(atc, problem, choice).on_current_stream, sets) for name, choice in choices.items()}
    times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    row["ms"] = {name: statistics.median(values) for name, values in times.items()}
    row["regret"] = statistics.median(a / b for a, b in zip(times["default"], times["oracle"])) - 1
    return row


def main():
    options = record.sample_parser(__doc__, cells=96, seed=1).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    record.write(atc, options, wanted, lambda cell: measured(atc, cell, options.samples))


if __name__ == "__main__":
    main()
