"""Measures choices of a store that was tuned with another version of cuDNN (the option other_versions).

Run the program twice with the same cells. The first run, with one cuDNN, tunes the cells into the store. The second
run, with another cuDNN, times three sides of each cell: the default, the adopted choice (that of the store), and the
choice of a new race.

    ATC_STORE=tuned python3 bench/cuda/adopted.py --fill --shapes bench/shapes/public.txt --out filled.jsonl
    ATC_STORE=tuned python3 bench/cuda/adopted.py --shapes bench/shapes/public.txt --out adopted.jsonl
    python3 bench/cuda/adopted_summary.py adopted.jsonl

Each run uses the cuDNN that LibTorch has loaded: start each run in an environment with another cuDNN. Ten calls of each
side are captured into a CUDA graph, and the graphs are replayed in turn. A line of --out is a cell. Times are in
milliseconds per call. If no choice of the store exists with this cuDNN, the default stands for the adopted choice, and
`adopted` is false.
"""

import statistics

import record
from atc import _abi
from atc_abi import Plan
from timing import captured, milliseconds, rotation

NOTHING_MEASURED = {"tune": _abi.ATC_OFF, "near_shapes": _abi.ATC_OFF}


def filled(atc, cell):
    cell.switch(atc)
    decision = atc.tune(cell.problem(atc))
    return {"choice": decision.choice, "provisional": decision.provisional}


def measured(atc, cell, samples):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    raced = atc.tune(problem, use_store=_abi.ATC_OFF).choice
    plans = {"default": Plan(atc, problem, **NOTHING_MEASURED, use_store=_abi.ATC_OFF),
             "adopted": Plan(atc, problem, **NOTHING_MEASURED, other_versions=_abi.ATC_ON),
             "raced": Plan(atc, problem, raced)}
    graphs = {side: captured(plan.on_current_stream, sets) for side, plan in plans.items()}
    times = milliseconds({side: graph for side, (graph, _) in graphs.items()}, samples)
    return {"adopted": plans["adopted"].source() == _abi.ATC_SOURCE_ADOPTED,
            "choice": {side: plan.choice() for side, plan in plans.items()},
            "ms": {side: statistics.median(values) for side, values in times.items()}}


def main():
    parser = record.sample_parser(__doc__, cells=96, seed=3)
    parser.add_argument("--fill", action="store_true", help="only tune the cells into the store")
    options = parser.parse_args()
    atc, cells = record.atc_and_sample(options)
    record.write(atc, options, cells,
                 lambda cell: filled(atc, cell) if options.fill else measured(atc, cell, options.samples))


if __name__ == "__main__":
    main()
