"""Measures the same randomly drawn cells with two installed versions of cuDNN.

For each cell it measures the time of the heuristic's choice, the time of the tuned choice, and the difference of the
results.

    python3 bench/cuda/cudnns.py --atc atc --cudnn OLD --cudnn NEW --shapes bench/shapes/public.txt --out cudnns.jsonl

Each version of cuDNN is measured in processes of its own (`atc compare`), with the engine `cudnn` alone. Cells in
fp32 are left out, because TF32 is allowed in them. A line of --out is a cell. Its lists of milliseconds and choices
have the order of `versions` in the head. It also has the largest difference between the tuned results of the two
versions, divided by the root mean square of the results.
"""

import json
import os
import subprocess
import tempfile
import time

import torch

import record
from layers import OPS, SETS, cells, drawn
from rows import read
from shapes import read_layers

DIRECTIONS = {"forward-bias": "forward"}
LAYOUTS = {"first": "channels-first", "last": "channels-last"}
TOGETHER = 20  # the number of cells of one call of `atc compare`; more cells in a call share the time to open CUDA
               # and cuDNN


def problem(cell):
    """Returns the cell as a row of a problem file, which `atc compare` reads."""
    layer, columns = cell.layer, {}
    for place, axis in enumerate("DHW"[-len(layer.input):]):
        kernel = {"D": "T", "H": "R", "W": "S"}[axis]
        columns.update({axis: layer.input[place], kernel: layer.kernel[place], f"pad{axis}": layer.pad[place],
                        f"stride{axis}": layer.stride[place], f"dil{axis}": layer.dil[place]})
    columns.update(N=layer.n, C=layer.c, K=layer.k, groups=layer.groups)
    return {"name": layer.name, "columns": columns, "bias": cell.op == "forward-bias", "dtype": cell.dtype,
            "op": DIRECTIONS.get(cell.op, cell.op), "layout": LAYOUTS[cell.layout]}


def compared(options, some, folder):
    """Runs `atc compare` on the cells of the list `some`, and returns the JSON value that the command writes."""
    problems, results = os.path.join(folder, "problems.json"), os.path.join(folder, "results.json")
    with open(problems, "w") as file:
        json.dump({"schema": "atc-tune", "version": 1, "problems": list(map(problem, some))}, file)
    folders = [word for one in options.cudnn for word in ("--cudnn", one)]
    # Exit code 3 means that `atc compare` could not decide some problems. The results name these problems.
    code = subprocess.run([options.atc, "compare", *folders, problems, "--problem-budget", options.problem_budget,
                           "--quiet", "--json", results]).returncode
    if code not in (0, 3):
        raise SystemExit(f"{options.atc} compare ended with {code}")
    with open(results) as file:
        return json.load(file)


def row(decisions, difference):
    """Returns the line of a cell, with the figures of the decision for each version of cuDNN."""
    def ms(one, name):
        """Returns the milliseconds of the winner or of the default. Returns None if there is no winner, or if the
        default was refused."""
        timing = None if one.get(name) is None else one["candidates"][one[name]].get("timing")
        return 1e3 * timing["median"] if timing else None

    for one in decisions:
        if ms(one, "winner") is None:
            return {"failed": one.get("why") or "no candidate of cuDNN's was timed"}
    return {"ms": {name: [ms(one, name) for one in decisions] for name in ("default", "winner")},
            "choices": [one["choice"] for one in decisions], "differs": difference}


def main():
    parser = record.sample_parser(__doc__, cells=200, seed=9)
    parser.add_argument("--atc", required=True, help="the command line")
    parser.add_argument("--cudnn", action="append", required=True, metavar="FOLDER")
    parser.add_argument("--problem-budget", default="500ms")
    options = parser.parse_args()
    sets = [one for one in SETS if not one.startswith("fp32")]
    wanted = record.shard(drawn(cells(read_layers(options.shapes, options.layers), sets, OPS), options.seed, options.cells),
                          options.shard)
    if len(options.cudnn) != 2:
        parser.error("two --cudnn, no more and no fewer")
    if options.resume and os.path.exists(options.out):
        done = read(options.out)[1]
        wanted = [cell for cell in wanted if not record.has(done, cell)]
    began, headed = time.perf_counter(), False
    with open(options.out, "a" if options.resume else "w") as out, tempfile.TemporaryDirectory() as folder:
        for first in range(0, len(wanted), TOGETHER):
            if time.perf_counter() - began > 60 * options.budget:
                break
            some = wanted[first:first + TOGETHER]
            found = compared(options, some, folder)
            if not headed:
                print(json.dumps({"device": torch.cuda.get_device_name(), "commit": options.commit,
                                  "versions": [side["version"] for side in found["sides"]], "command": record.command()}),
                      file=out)
                headed = True
            for place, cell in enumerate(some):
                line = row([side["run"]["problems"][place] for side in found["sides"]],
                           found["differences"][1][place]["tuned"])
                print(json.dumps({**cell.key(), **line}), file=out, flush=True)


if __name__ == "__main__":
    main()
