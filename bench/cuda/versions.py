"""Compares two builds of libatc in one process, on randomly drawn cells of each class of layers.

    python3 bench/cuda/versions.py --libatc old/libatc.so.1 --other new/libatc.so.1 \\
        --shapes bench/shapes/public.txt --each 3 --seed 7 --out versions.jsonl

Each build tunes a cell by itself. Ten calls of each build are captured into a CUDA graph, and the graphs of both builds
are replayed in turn. The calls use several sets of operands in turn, which together are three times as large as the
last-level cache. A line of --out is a cell. Times are in milliseconds per call. Both builds use LibTorch's cuDNN and
cuBLASLt.
"""

import collections
import statistics

import torch

import record
from atc_abi import Atc, Plan, TorchMemory
from layers import OPS, SETS, cells, drawn
from shapes import class_by_shape, read_layers
from timing import captured, milliseconds, rotation


def chosen(options):
    """Returns random cells: as many of each class as --each says. Equal values of --seed give equal cells."""
    by_class = collections.defaultdict(list)
    for cell in cells(read_layers(options.shapes, options.layers), SETS, OPS):
        by_class[class_by_shape(cell.layer)].append(cell)
    return [cell for name in sorted(by_class) for cell in drawn(by_class[name], options.seed, options.each)]


def measured(builds, cell, options):
    graphs, kept, choices = {}, [], {}
    sets = rotation(cell.operands())
    for name, atc in builds.items():
        cell.switch(atc)
        problem = cell.problem(atc)
        ours = [operands.copy(output_alone=True) for operands in sets]

        def call(operands, atc=atc, problem=problem):
            atc.convolution(problem, *operands.views(), torch.cuda.current_stream().cuda_stream)
            return operands.output()
        kept.append(captured(call, ours))
        graphs[name] = kept[-1][0]
        choices[name] = Plan(atc, problem).choice()
    times = milliseconds(graphs, options.samples)
    spread = {name: statistics.quantiles(values, n=20) for name, values in times.items()}
    return {"class": class_by_shape(cell.layer), "ms": {name: statistics.median(v) for name, v in times.items()},
            "p95_over_p5": {name: s[-1] / s[0] for name, s in spread.items()}, "choice": choices}


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--other", required=True, metavar="LIBRARY", help="the second build")
    parser.add_argument("--each", type=int, default=3, help="cells of each class")
    parser.add_argument("--seed", type=int, default=7, help="by which they are drawn")
    options = parser.parse_args()
    builds = {"first": record.atc_beside_torch(options), "second": Atc(options.other)}
    for atc in builds.values():
        atc.memory = TorchMemory(atc)
        atc.set("benchmark_cudnn", 1)
    record.write(builds["first"], options, record.shard(chosen(options), options.shard),
                 lambda cell: measured(builds, cell, options))


if __name__ == "__main__":
    main()
