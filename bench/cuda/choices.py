"""Compares the choices that atc makes in several new processes.

If processes made different choices, measures how much the choices differ in time.

    python3 bench/cuda/choices.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --processes 5 --out f.jsonl"""

import json
import statistics

import record
from atc_abi import Plan
from timing import captured, milliseconds, rotation


def chosen(atc, cell):
    cell.switch(atc)
    return Plan(atc, cell.problem(atc)).choice()


def apart(atc, cell, choices, samples):
    """Returns the time of the slowest of these choices divided by the time of the fastest, minus 1."""
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    plans = {choice: Plan(atc, problem, choice) for choice in choices}
    kept = {choice: captured(plan.on_current_stream, sets) for choice, plan in plans.items()}
    times = milliseconds({choice: one[0] for choice, one in kept.items()}, samples)
    medians = [statistics.median(values) for values in times.values()]
    return max(medians) / min(medians) - 1


def main():
    parser = record.sample_parser(__doc__, cells=40, seed=2)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--choose", action="store_true", help="only choose, and print the choices")
    options = parser.parse_args()

    atc, wanted = record.atc_and_sample(options)
    if options.choose:
        atc.set("benchmark_cudnn", 1)
        print(json.dumps([chosen(atc, cell) for cell in wanted]))
        return
    runs = record.of_processes(options.processes, "--choose")
    choices_of = dict(zip(wanted, (sorted(set(choices)) for choices in zip(*runs))))

    def row(cell):
        choices = choices_of[cell]
        return {"choices": choices,
                "apart": apart(atc, cell, choices, options.samples) if len(choices) > 1 else 0.0}

    record.write(atc, options, wanted, row, processes=options.processes)


if __name__ == "__main__":
    main()
