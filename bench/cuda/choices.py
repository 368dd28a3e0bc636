"""What atc chooses in a fresh process, and what two processes that chose differently are apart.

    python3 bench/cuda/choices.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --processes 5 --out f.json
"""

import argparse
import json
import random
import statistics
import subprocess
import sys

import torch

from atc_abi import Atc, Plan, TorchMemory
from layers import FORMATS, OPS, cells, read_layers
from timing import captured, milliseconds, rotation


def apart(atc, cell, choices, samples=21):
    """The slowest of these choices over the fastest, - 1."""
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    plans = {choice: Plan(atc, problem, choice) for choice in choices}
    kept = {choice: captured(plan.on_current_stream, sets) for choice, plan in plans.items()}
    times = milliseconds({choice: one[0] for choice, one in kept.items()}, samples)
    medians = [statistics.median(values) for values in times.values()]
    return max(medians) / min(medians) - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--libatc", default="libatc.so.1")
    parser.add_argument("--shapes", required=True)
    parser.add_argument("--cells", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--choose", action="store_true", help="only choose, and print the choices")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out")
    options = parser.parse_args()

    atc = Atc(options.libatc)
    memory = TorchMemory(atc)  # noqa: F841 -- for as long as atc may ask
    sets = [f"{fmt}-{layout}" for fmt in FORMATS for layout in ("first", "last")]
    sample = cells(read_layers(options.shapes, 21), sets, OPS)
    random.Random(options.seed).shuffle(sample)
    sample = sample[:options.cells]
    torch.zeros(1, device="cuda")
    torch.backends.cudnn.version()
    if options.choose:
        atc.set("benchmark_cudnn", 1)
        chosen = []
        for cell in sample:
            cell.switch(atc)
            chosen.append(Plan(atc, cell.problem(atc)).choice())
        print(json.dumps(chosen))
        return
    runs = [json.loads(subprocess.run([sys.executable, *sys.argv, "--choose"], check=True, capture_output=True,
                                      text=True).stdout) for _ in range(options.processes)]
    rows = []
    for i, cell in enumerate(sample):
        choices = sorted({run[i] for run in runs})
        row = {**cell.key(), "choices": choices}
        if len(choices) > 1:
            row["apart"] = apart(atc, cell, choices)
        rows.append(row)
    with open(options.out, "w") as out:
        json.dump({"device": torch.cuda.get_device_name(), "torch": torch.__version__,
                   "cudnn": atc.cudnn_version(), "commit": options.commit, "processes": options.processes,
                   "command": " ".join(["python3", *sys.argv]), "cells": rows}, out, indent=1)


if __name__ == "__main__":
    main()
