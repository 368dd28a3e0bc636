"""The cost of determinism: the time of atc's choice with deterministic_cudnn over that of its choice without.

    python3 bench/cuda/determinism.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --cells 96 --out file.jsonl

Both choices run in turn, as in against_torch.py; if they are the same, the cost is 1. If deterministic_cudnn refuses the
choice without it, the line of --out has atc's reason.
"""

import statistics

import record
from atc_abi import Plan
from timing import captured, milliseconds, rotation


def deterministic(atc, problem, choice=None):
    """A plan made while the switch is on."""
    atc.set("deterministic_cudnn", 1)
    try:
        return Plan(atc, problem, choice)
    finally:
        atc.set("deterministic_cudnn", 0)


def refusal(atc, problem, choice):
    """Why this choice is not deterministic, or nothing if it is."""
    try:
        deterministic(atc, problem, choice)
    except RuntimeError as error:
        return {"refused": str(error)[:300]}
    return {}


def measured(atc, cell, samples):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    plans = {"any": Plan(atc, problem), "deterministic": deterministic(atc, problem)}
    choices = {name: plan.choice() for name, plan in plans.items()}
    if choices["any"] == choices["deterministic"]:
        return {"choices": choices, "cost": 1.0}
    kept = {name: captured(plan.on_current_stream, sets) for name, plan in plans.items()}
    times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    return {"choices": choices, "ms": {name: statistics.median(values) for name, values in times.items()},
            "cost": statistics.median(a / b for a, b in zip(times["deterministic"], times["any"])),
            **refusal(atc, problem, choices["any"])}


def main():
    options = record.sample_parser(__doc__, cells=96, seed=7).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    record.write(atc, options, wanted, lambda cell: measured(atc, cell, options.samples))


if __name__ == "__main__":
    main()
