"""How far what atc takes by default (10 candidates, 2 s) is behind the best of all, on a seeded sample of cells.

    python3 bench/cuda/regret.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --cells 96 --out regret.jsonl

The oracle races every candidate without a limit; then both choices run in turn, as against_torch.py has it.
"""

import argparse
import json
import random
import statistics
import sys
import time

import torch

from atc_abi import Atc, Plan, TorchMemory
from layers import FORMATS, OPS, cells, read_layers
from timing import captured, milliseconds, rotation


def measured(atc, cell, samples):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    start = time.perf_counter()
    plans = {"default": Plan(atc, problem)}
    seconds = {"default": time.perf_counter() - start}
    start = time.perf_counter()
    atc.tune_exhaustively(problem)
    plans["oracle"] = Plan(atc, problem)
    seconds["oracle"] = time.perf_counter() - start
    choices = {name: plan.choice() for name, plan in plans.items()}
    row = {"choices": choices, "tuning_s": seconds, "regret": 0.0}
    if choices["default"] == choices["oracle"]:
        return row
    kept = {name: captured(plan.on_current_stream, sets) for name, plan in plans.items()}
    times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    row["ms"] = {name: statistics.median(values) for name, values in times.items()}
    row["regret"] = statistics.median(a / b for a, b in zip(times["default"], times["oracle"])) - 1
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--libatc", default="libatc.so.1")
    parser.add_argument("--shapes", required=True)
    parser.add_argument("--layers", type=int, default=21, help="the first ones of the file; 0: all")
    parser.add_argument("--cells", type=int, default=96)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--samples", type=int, default=21)
    parser.add_argument("--budget", type=float, default=float("inf"), help="minutes after which no cell is begun")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()

    atc = Atc(options.libatc)
    memory = TorchMemory(atc)  # noqa: F841 -- for as long as atc may ask
    sets = [f"{fmt}-{layout}" for fmt in FORMATS for layout in ("first", "last")]
    sample = cells(read_layers(options.shapes, options.layers), sets, OPS)
    random.Random(options.seed).shuffle(sample)
    torch.zeros(1, device="cuda")
    torch.backends.cudnn.version()
    atc.set("benchmark_cudnn", 1)
    began = time.perf_counter()
    with open(options.out, "w") as out:
        print(json.dumps({"device": torch.cuda.get_device_name(), "torch": torch.__version__,
                          "cudnn": atc.cudnn_version(), "commit": options.commit,
                          "command": " ".join(["python3", *sys.argv])}), file=out)
        for cell in sample[:options.cells]:
            if time.perf_counter() - began > 60 * options.budget:
                break
            try:
                row = measured(atc, cell, options.samples)
            except Exception as error:
                row = {"failed": str(error)[:400]}
            print(json.dumps({**cell.key(), **row}), file=out, flush=True)
            torch.cuda.empty_cache()


if __name__ == "__main__":
    main()
