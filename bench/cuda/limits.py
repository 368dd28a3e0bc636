"""The loss by a race of fewer candidates: for a sample of cells all candidates race, in the order of the offers.

    python3 bench/cuda/limits.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out limits.jsonl

A line of --out is a cell: the milliseconds of each candidate, none if it failed, was refused or was dropped as hopeless.
report.py computes from it how far the best of the first N is behind the best of all. Layers whose operands or candidates
are so large that a race takes a minute are left out.
"""

import record
from atc_abi import Plan

TOO_LONG = ("videopatch_2x14x14", "qwen2vl_patch", "mamba_dw1d_k4")


def times(atc, cell):
    cell.switch(atc)
    problem = cell.problem(atc)
    atc.tune_exhaustively(problem)
    plan = Plan(atc, problem)
    return {"choice": plan.choice(),
            "candidate_ms": [round(1e3 * one.median, 6) if one.samples else None for one in plan.candidates()]}


def main():
    options = record.sample_parser(__doc__, cells=400, seed=11).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    record.write(atc, options, [cell for cell in wanted if cell.layer.name not in TOO_LONG],
                 lambda cell: times(atc, cell))


if __name__ == "__main__":
    main()
