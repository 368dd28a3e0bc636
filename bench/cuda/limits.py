"""What a race of fewer candidates misses: all of a sample of cells race, in the order in which they are offered.

    python3 bench/cuda/limits.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out limits.jsonl

A line of --out is a cell: the milliseconds that each candidate took, none where it failed, was refused or was given up
as hopeless. report.py reads from it how far the best of the first N is behind the best of all. Left out are layers
whose operands or candidates are so large that one race takes a minute.
"""

import record
from atc_abi import Plan, TorchMemory
from layers import sample

TOO_LONG = ("videopatch_2x14x14", "qwen2vl_patch", "mamba_dw1d_k4")


def times(atc, cell):
    cell.switch(atc)
    problem = cell.problem(atc)
    atc.tune_exhaustively(problem)
    plan = Plan(atc, problem)
    return {"choice": plan.choice(),
            "candidate_ms": [round(1e3 * one.median, 6) if one.samples else None for one in plan.candidates()]}


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--cells", type=int, default=400)
    parser.add_argument("--seed", type=int, default=11)
    options = parser.parse_args()

    atc = record.atc_beside_torch(options)
    memory = TorchMemory(atc)  # noqa: F841 -- for as long as atc may ask
    atc.set("benchmark_cudnn", 1)
    wanted = [cell for cell in sample(options.shapes, options.layers, options.seed, options.cells)
              if cell.layer.name not in TOO_LONG]
    record.write(atc, options, wanted, lambda cell: times(atc, cell))


if __name__ == "__main__":
    main()
