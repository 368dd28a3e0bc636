"""atc against LibTorch on a CUDA device, in one process: tuned atc, LibTorch's heuristic, its benchmark mode.

    python3 bench/cuda/against_torch.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out cells.jsonl \\
        --sets fp16-last tf32-first --shard 1/2 --resume

Each side's calls are captured into a graph of ten, over rotating operand sets that exceed the last-level cache
three times (cold), and over one set (hot); the graphs are replayed in turn. atc is captured twice: the two differ
by noise alone. LibTorch keeps its choices per thread and ignores its flag for shapes it has seen, so its two modes
have a thread each. A line of --out is a cell; times are milliseconds per call, first calls seconds. `--confirm FILE`
measures only the cells that FILE holds as slower; `--first-calls` only the first call of atc in this process, with
a store that another has filled. With `--bridge libatc_torch.so.1` atc's side is LibTorch's own function with atc
installed, where LibTorch's choice races, too.
"""

import concurrent.futures
import contextlib
import statistics

import torch

import record
from atc_abi import Bridge, Plan, TorchMemory
from layers import OPS, SETS, cells, read_layers
from rows import read
from timing import captured, is_slower, milliseconds, rotation, seconds_of


def torch_side(benchmark, cell, sets):
    torch.backends.cudnn.benchmark = benchmark
    first = seconds_of(cell.torch_call, sets[0])
    return first, captured(cell.torch_call, sets), captured(cell.torch_call, sets[:1])


class Direct:
    """atc's eager call, on memory of LibTorch's."""

    name = "atc's eager call"
    front_end = b""

    def __init__(self, atc):
        self.atc, self.memory = atc, TorchMemory(atc)

    def call(self, cell, problem):
        def call(operands):
            self.atc.convolution(problem, *operands.views(), torch.cuda.current_stream().cuda_stream)
            return operands.output()
        return call

    def side(self):
        return contextlib.nullcontext()


class Installed:
    """LibTorch's function with atc installed."""

    name = "LibTorch's function with atc installed"
    front_end = b"aten"

    def __init__(self, atc, path):
        self.bridge = Bridge(atc, path)

    def call(self, cell, problem):
        return cell.torch_call

    def side(self):
        return self.bridge


def measured(atc, way, threads, cell, samples):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    call = way.call(cell, problem)
    cold, hot, kept, first = {}, {}, [], {}
    for name, benchmark in (("heuristic", False), ("benchmark", True)):
        first[name], cold_one, hot_one = threads[name].submit(torch_side, benchmark, cell, sets).result()
        cold[name], hot[name] = cold_one[0], hot_one[0]
        kept += [cold_one, hot_one]
    ours = [operands.copy(output_alone=True) for operands in sets]
    # Not in this thread: what LibTorch's search found there would run as LibTorch's choice in atc's race.
    expected = threads["heuristic"].submit(lambda: cell.torch_call(sets[0]).double()).result()
    torch.backends.cudnn.benchmark = True
    with way.side():
        first["atc"] = seconds_of(call, ours[0])
        error = ((call(ours[0]).double() - expected).norm() / expected.norm()).item()
        del expected
        for name in ("atc", "again"):
            kept.append(captured(call, ours))
            cold[name] = kept[-1][0]
        kept.append(captured(call, ours[:1]))
        hot["atc"] = kept[-1][0]
        plan = Plan(atc, problem, front_end=way.front_end)
    times, hot_times = milliseconds(cold, samples), milliseconds(hot, samples)
    median = {name: statistics.median(values) for name, values in times.items()}
    best = min(("heuristic", "benchmark"), key=median.get)
    slower = is_slower(times["atc"], times[best])
    return {"groups": cell.layer.groups, "sets": len(sets), "ms": median,
            "hot_ms": {name: statistics.median(values) for name, values in hot_times.items()},
            "p95_over_p5": {name: statistics.quantiles(v, n=20)[-1] / statistics.quantiles(v, n=20)[0]
                            for name, v in times.items()},
            "slower": slower, **({"refused": plan.refused()} if slower else {}), "first_call_s": first,
            "choice": plan.choice(), "error_against_torch": error,
            "tflops": cell.layer.flops() / median["atc"] * 1e-9}


def first_call(atc, way, cell):
    cell.switch(atc)
    torch.backends.cudnn.benchmark = True
    operands = cell.operands()
    with way.side():
        return {"first_call_s": {"atc": seconds_of(way.call(cell, cell.problem(atc)), operands)}}


def chosen(options):
    all_of = cells(read_layers(options.shapes, options.layers), options.sets, options.ops)
    all_of = [cell for cell in all_of if f"{cell.layer.name}:{cell.op}" not in options.without]
    index, count = map(int, options.shard.split("/"))
    if not 1 <= index <= count:
        raise SystemExit(f"--shard {options.shard}: give i/n with i from 1 to n")
    wanted = all_of[index - 1::count]
    if options.confirm:
        slower = [row for row in read(options.confirm)[1] if row.get("slower")]
        wanted = [cell for cell in wanted if any(cell.key().items() <= row.items() for row in slower)]
    return wanted


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--ops", nargs="+", default=OPS, choices=OPS)
    parser.add_argument("--without", nargs="+", default=[], metavar="LAYER:OP",
                        help="LibTorch's search alone can take minutes")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th cell, from the I-th")
    parser.add_argument("--confirm", metavar="FILE")
    parser.add_argument("--first-calls", action="store_true")
    parser.add_argument("--bridge", metavar="LIBRARY")
    options = parser.parse_args()

    atc = record.atc_beside_torch(options)
    wanted = chosen(options)
    atc.set("benchmark_cudnn", 1)
    way = Installed(atc, options.bridge) if options.bridge else Direct(atc)
    threads = {name: concurrent.futures.ThreadPoolExecutor(1) for name in ("heuristic", "benchmark")}
    if options.first_calls and wanted:  # the process's first call of cuDNN is not counted
        first_call(atc, way, wanted.pop(0))
    record.write(atc, options, wanted,
                 lambda cell: (first_call(atc, way, cell) if options.first_calls
                               else measured(atc, way, threads, cell, options.samples)), way=way.name)


if __name__ == "__main__":
    main()
