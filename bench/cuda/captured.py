"""The time of captured calls with atc's workspace over that with the caller's.

    python3 bench/cuda/captured.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out captured.jsonl

A line of --out is a cell whose choice needs workspace: its bytes, both medians in milliseconds, and their ratio (target:
at most 1.02).
"""

import statistics

import torch

import record
from atc_abi import Plan
from timing import captured, milliseconds, rotation


class WithWorkspace:
    """Executes a plan in workspace of the caller's."""

    def __init__(self, plan, size):
        self.plan, self.memory = plan, torch.empty(size, dtype=torch.uint8, device="cuda")

    def on_current_stream(self, operands):
        self.plan.on_current_stream(operands, self.memory)


def row(atc, cell, samples):
    cell.switch(atc)
    plan, sets = Plan(atc, cell.problem(atc)), rotation(cell.operands())
    size = plan.workspace_size()
    if size == 0:
        return {"choice": plan.choice(), "workspace": 0}
    given = WithWorkspace(plan, size)
    kept = {"atc": captured(plan.on_current_stream, sets), "caller": captured(given.on_current_stream, sets)}
    times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    medians = {name: statistics.median(values) for name, values in times.items()}
    ratio = medians["atc"] / medians["caller"]
    print(f"{ratio:.3f}  {size:12} bytes  {cell.key()}", flush=True)
    return {"choice": plan.choice(), "workspace": size, "atc_ms": medians["atc"], "caller_ms": medians["caller"],
            "ratio": ratio}


def main():
    options = record.sample_parser(__doc__, cells=20, seed=3).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    record.write(atc, options, wanted, lambda cell: row(atc, cell, options.samples))


if __name__ == "__main__":
    main()
