"""Measures how good atc's choices are and what they cost, on a random sample of cells.

SUBJECT is one of:

    regret       how much slower the choice by the default limits (10 candidates, 2 s) is than the best candidate.
                 The best candidate is found by a race of all candidates without a limit
    determinism  `cost`: the time of the choice with deterministic_cudnn / the time of the choice without it. If
                 deterministic_cudnn refuses the choice that was made without it, the row has atc's reason
    captured     the time of captured calls with atc's workspace / the time with the caller's workspace (target: at
                 most 1.02)
    limits       the times of all candidates in the order of the offers. A candidate that failed, was refused or was
                 dropped as hopeless has no time. report.py computes how much slower the best of the first N is than
                 the best of all
    noise        how much slower a choice is if matrix products in random bursts (loads.py) ran on another stream
                 while it was made. `behind`: atc's choice / the faster of atc's two choices (with and without the
                 bursts). `torch_behind`: LibTorch's choice / the best of all three choices. `lost`: the result of
                 the quiet choice in the race beside the bursts
    techniques   the choice of each technique on a quiet device, after a long load, and beside a load. `behind` is
                 how much slower a choice is than the best of all these choices

    python3 bench/cuda/measure.py regret --libatc libatc.so.1 --shapes bench/shapes/public.txt --out regret.jsonl

A line of --out is a cell (a layer, operation, format and layout). To compare choices, their calls are captured in
graphs. The graphs run in turn, with no other work on the device, as in against_torch.py.
"""

import concurrent.futures
import statistics
import sys

import torch

import record
from against_torch import CANDIDATES, first_seconds, short_search
from atc_abi import TECHNIQUES, Plan
from loads import Load, after_load, quiet
from timing import captured, milliseconds, rotation

# The subject `limits` leaves out these layers: a race of all their candidates takes a minute, because the operands are
# large or the candidates are slow.
TOO_LONG = ("videopatch_2x14x14", "qwen2vl_patch", "mamba_dw1d_k4")
BUDGET = 2.0  # the time budget in seconds for the race of each technique
CONDITIONS = {"quiet": quiet, "after load": after_load, "beside load": Load}


def timed(calls, sets, samples):
    """Returns the times of each call, measured in a graph, and their medians. The graphs of all calls run in turn."""
    kept = {name: captured(call, sets) for name, call in calls.items()}
    times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    return times, {name: statistics.median(values) for name, values in times.items()}


def planned(atc, problem, choices):
    return {name: Plan(atc, problem, choice).on_current_stream for name, choice in choices.items()}


def regret(atc, cell, options):
    problem, sets = cell.problem(atc), rotation(cell.operands())
    choices = {"default": atc.tune(problem).captured, "oracle": atc.tune_exhaustively(problem).captured}
    if choices["default"] == choices["oracle"]:
        return {"choices": choices, "regret": 0.0}
    times, median = timed(planned(atc, problem, choices), sets, options.samples)
    return {"choices": choices, "ms": median,
            "regret": statistics.median(a / b for a, b in zip(times["default"], times["oracle"])) - 1}


def deterministic(atc, problem, choice=None):
    """Makes a plan while the switch deterministic_cudnn is on."""
    atc.set("deterministic_cudnn", 1)
    try:
        return Plan(atc, problem, choice)
    finally:
        atc.set("deterministic_cudnn", 0)


def refusal(atc, problem, choice):
    """Returns the reason why this choice is not deterministic, or None if it is deterministic."""
    try:
        deterministic(atc, problem, choice)
    except RuntimeError as error:
        return {"refused": str(error)[:300]}
    return {}


def determinism(atc, cell, options):
    problem, sets = cell.problem(atc), rotation(cell.operands())
    plans = {"any": Plan(atc, problem), "deterministic": deterministic(atc, problem)}
    choices = {name: plan.choice() for name, plan in plans.items()}
    if choices["any"] == choices["deterministic"]:
        return {"choices": choices, "cost": 1.0}
    times, median = timed({name: plan.on_current_stream for name, plan in plans.items()}, sets, options.samples)
    return {"choices": choices, "ms": median,
            "cost": statistics.median(a / b for a, b in zip(times["deterministic"], times["any"])),
            **refusal(atc, problem, choices["any"])}


def with_workspace(atc, cell, options):
    plan, sets = Plan(atc, cell.problem(atc)), rotation(cell.operands())
    size = plan.workspace_size()
    if size == 0:
        return {"choice": plan.choice(), "workspace": 0}
    memory = torch.empty(size, dtype=torch.uint8, device="cuda")
    calls = {"atc": plan.on_current_stream, "caller": lambda operands: plan.on_current_stream(operands, memory)}
    _, median = timed(calls, sets, options.samples)
    return {"choice": plan.choice(), "workspace": size, "atc_ms": median["atc"], "caller_ms": median["caller"],
            "ratio": median["atc"] / median["caller"]}


def limits(atc, cell, _):
    problem = cell.problem(atc)
    atc.tune_exhaustively(problem)
    plan = Plan(atc, problem)
    return {"choice": plan.choice(),
            "candidate_ms": [round(1e3 * one.median, 6) if one.samples else None for one in plan.candidates()]}


def searched(cell, sets):
    """Returns a graph with LibTorch's choice. The thread has not run the shape before, so LibTorch searches anew."""
    first_seconds(True, cell, sets[0], short_search(cell))
    return cell.torch_call


def noise(atc, cell, options):
    problem, sets = cell.problem(atc), rotation(cell.operands())
    with concurrent.futures.ThreadPoolExecutor(1) as fresh:
        with Load(options.seed + cell.place):
            noisy = atc.tune(problem)
            torch_call = fresh.submit(searched, cell, sets).result()
        quiet_one = atc.tune(problem)
        choices = {"noisy": noisy.captured, "quiet": quiet_one.captured}
        kept = {name: captured(call, sets) for name, call in planned(atc, problem, choices).items()}
        kept["torch"] = fresh.submit(captured, torch_call, sets).result()
        times = milliseconds({name: one[0] for name, one in kept.items()}, options.samples)
    median = {name: statistics.median(values) for name, values in times.items()}
    lost = [one for one in noisy.candidates if one["choice"] == choices["quiet"] != choices["noisy"]]
    return {"choices": choices, "ms": median, "provisional": noisy.provisional, "lost": lost[0] if lost else None,
            "search_limit": short_search(cell) if short_search(cell) != CANDIDATES else None,
            "behind": median["noisy"] / min(median["noisy"], median["quiet"]) - 1,
            "torch_behind": median["torch"] / min(median.values()) - 1}


def decided(atc, problem, technique):
    tuned = atc.tune(problem, technique=TECHNIQUES[technique], problem_budget_seconds=BUDGET)
    return {"choice": tuned.choice, "mhz": tuned.winner["mhz"] if tuned.winner else 0, "provisional": tuned.provisional,
            "why": tuned.why}


def techniques(atc, cell, options):
    problem, sets, found = cell.problem(atc), rotation(cell.operands()), {}
    for condition, begin in CONDITIONS.items():
        with begin():
            found[condition] = {technique: decided(atc, problem, technique) for technique in TECHNIQUES}
    choices = sorted({one["choice"] for some in found.values() for one in some.values()})
    _, median = timed(planned(atc, problem, {choice: choice for choice in choices}), sets, options.samples)
    for some in found.values():
        for one in some.values():
            one["behind"] = median[one["choice"]] / min(median.values()) - 1
    return {"decided": found, "ms": median}


# For each subject (an argument of the program): the function that measures a cell, the number of cells that are drawn
# at random, and the seed of the draw. A cell is one layer in one operation, format and layout.
SUBJECTS = {"regret": (regret, 96, 1), "determinism": (determinism, 96, 7), "captured": (with_workspace, 20, 3),
            "limits": (limits, 400, 11), "noise": (noise, 96, 11), "techniques": (techniques, 20, 10)}


def main():
    subject = next((one for one in sys.argv[1:] if one in SUBJECTS), "regret")
    measured, cells, seed = SUBJECTS[subject]
    parser = record.sample_parser(__doc__, cells=cells, seed=seed)
    parser.add_argument("subject", choices=SUBJECTS)
    options = parser.parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    for place, cell in enumerate(wanted):
        cell.place = place
    if subject == "limits":
        wanted = [cell for cell in wanted if cell.layer.name not in TOO_LONG]

    def row_of(cell):
        cell.switch(atc)
        return measured(atc, cell, options)

    record.write(atc, options, wanted, row_of)


if __name__ == "__main__":
    main()
