"""Lists the kernels of LibTorch's benchmark mode and of atc's choices, for some cells of each class of layers.

    python3 bench/cuda/kernels.py --libatc libatc.so.1 --bridge libatc_torch.so.1 --shapes bench/shapes/public.txt \\
        --per-class 4 --out kernels.jsonl

A line of --out is a cell. It has the kernels of each side in the order in which they run, with the microseconds of each
kernel. CUPTI has measured these times in one call.
"""

import concurrent.futures

import torch

import record
from against_torch import both_tuning, searching, short_search
from atc_abi import Plan
from layers import OPS, SETS, cells, drawn
from shapes import class_by_shape, read_layers


def kernels(call):
    """Returns the kernels of the third call. The first call may tune, and the second call is a warm-up."""
    for _ in range(2):
        call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    events = sorted((e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA),
                    key=lambda e: e.time_range.start)
    return [[e.name[:300], round(e.time_range.end - e.time_range.start, 3)] for e in events]


def measured(atc, way, cell):
    cell.switch(atc)
    operands = cell.operands()
    with searching(short_search(cell)), concurrent.futures.ThreadPoolExecutor(1) as fresh:
        theirs = fresh.submit(kernels, lambda: cell.torch_call(operands)).result()
    with way.side():
        ours = kernels(lambda: cell.torch_call(operands))
        choice = Plan(atc, cell.problem(atc), front_end=way.front_end).choice()
    return {"torch": theirs, "atc": ours, "choice": choice}


def of_each_class(everything, count):
    """Returns the first `count` cells of each class. The order is: the first cell of every class, then the second cell
    of every class, and so on."""
    classes = {}
    for cell in everything:
        classes.setdefault(class_by_shape(cell.layer), []).append(cell)
    return [group[i] for i in range(count) for group in classes.values() if i < len(group)]


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--bridge", default="libatc_torch.so.1", metavar="LIBRARY")
    parser.add_argument("--per-class", type=int, default=4)
    parser.add_argument("--seed", type=int, default=9)
    options = parser.parse_args()
    atc, way = both_tuning(options)
    everything = cells(read_layers(options.shapes, options.layers), SETS, OPS)
    wanted = of_each_class(drawn(everything, options.seed, len(everything)), options.per_class)
    record.write(atc, options, record.shard(wanted, options.shard), lambda cell: measured(atc, way, cell), way=way.name)


if __name__ == "__main__":
    main()
