"""What each technique chooses on a quiet device, after a long load, and beside a heavy kernel on another stream.

    python3 bench/cuda/techniques.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --cells 20 --out techniques.jsonl

A line of --out has for each condition and technique the choice, its clock (MHz) and whether the decision is provisional;
and the times of all these choices, in graphs that run in turn on the device alone. `behind` is how much slower than the
best of them a choice is there.
"""

import statistics

import record
from atc_abi import TECHNIQUES, Plan
from loads import Load, after_load, quiet
from timing import captured, milliseconds, rotation

BUDGET = 2.0  # seconds of a race
CONDITIONS = {"quiet": quiet, "after load": after_load, "beside load": Load}


def decided(atc, problem, technique):
    tuned = atc.tune(problem, technique=TECHNIQUES[technique], problem_budget_seconds=BUDGET)
    return {"choice": tuned.choice, "mhz": tuned.winner["mhz"] if tuned.winner else 0, "provisional": tuned.provisional,
            "why": tuned.why}


def measured(atc, cell, samples):
    cell.switch(atc)
    problem, sets, found = cell.problem(atc), rotation(cell.operands()), {}
    for condition, begin in CONDITIONS.items():
        with begin():
            found[condition] = {technique: decided(atc, problem, technique) for technique in TECHNIQUES}
    choices = sorted({one["choice"] for some in found.values() for one in some.values()})
    kept = {choice: captured(Plan(atc, problem, choice).on_current_stream, sets) for choice in choices}
    times = milliseconds({choice: one[0] for choice, one in kept.items()}, samples)
    median = {choice: statistics.median(values) for choice, values in times.items()}
    for some in found.values():
        for one in some.values():
            one["behind"] = median[one["choice"]] / min(median.values()) - 1
    return {"decided": found, "ms": median}


def main():
    options = record.sample_parser(__doc__, cells=20, seed=10).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    record.write(atc, options, wanted, lambda cell: measured(atc, cell, options.samples))


if __name__ == "__main__":
    main()
