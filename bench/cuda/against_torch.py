"""Compares atc with LibTorch on a CUDA device, in one process.

Three sides are measured: tuned atc, LibTorch's heuristic, and LibTorch's benchmark mode.

    python3 bench/cuda/against_torch.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out cells.jsonl \\
        --sets fp16-last tf32-first --shard 1/2 --resume

A cell is one layer, operation, number format and layout. Ten calls of each side are captured into a CUDA graph, and
the graphs of all sides are replayed in turn. There are two graphs of each side. In the cold graph the calls use
several sets of operands in turn, which together are three times as large as the last-level cache. In the hot graph
all calls use one set. atc is captured twice, and the two times of atc differ only by noise. LibTorch keeps its
choices per thread, and ignores its benchmark flag for shapes that the thread has run. So each of its two modes has a
thread of its own.

A line of --out is a cell. Times are in milliseconds per call, and first calls in seconds. `--confirm FILE` measures
only the cells in which atc is slower in FILE. `--first-calls` measures only the first call of atc in this process,
with a store that another process has filled. With `--bridge libatc_torch.so.1` atc's side is LibTorch's own function
with atc installed, and LibTorch's own convolution is a candidate of atc's races, too.

With `--predict` atc measures nothing: it predicts its choices (ATC_TUNE_PREDICT) from the experience that is built
into the library. Set ATC_STORE to an empty folder.

`--queued` measures calls without a graph: ten calls, which are issued while a long kernel keeps the stream busy, and
the host's time to issue the calls. `--sample N --seed S` draws N of the cells. `--random N --seed S` draws N layers
outside the list, with one cell for each. `--last FILE` moves the cells that are in FILE to the end. LibTorch's search
takes up to 91 s in cells of video patches. With `--search-limit SECONDS` LibTorch tries only three candidates if, by
the times of these three, ten would take longer than SECONDS. The row then contains the number of candidates.
"""

import concurrent.futures
import contextlib
import os
import statistics

import torch

import record
from atc_abi import Bridge, Plan, TorchMemory
from layers import OPS, SETS, cells, drawn, one_of_each
from outside import random_layers
from rows import read
from shapes import class_by_shape, read_layers
from timing import Queue, captured, is_slower, milliseconds, rotation, seconds_of, turns

# The number of candidates that LibTorch's search tries by default, and the number if its search is limited.
CANDIDATES, FEW = 10, 3


@contextlib.contextmanager
def searching(limit):
    """Limits the number of candidates in LibTorch's search during the block. Only calls of LibTorch may run in the
    block, because atc would obey the limit, too."""
    torch.backends.cudnn.benchmark_limit = limit
    try:
        yield
    finally:
        torch.backends.cudnn.benchmark_limit = CANDIDATES


def first_seconds(benchmark, cell, operands, limit=CANDIDATES):
    """Returns the seconds of LibTorch's first call of the cell in this thread."""
    torch.backends.cudnn.benchmark = benchmark
    with searching(limit):
        return seconds_of(cell.torch_call, operands)


def short_search(cell):
    """Returns the number of candidates that LibTorch tries in a call whose search time is not measured."""
    return FEW if class_by_shape(cell.layer) == "video-patch" else CANDIDATES


def search_limit(cell, operands, seconds):
    """Returns how many candidates LibTorch's search may try in this cell: few if the search of all candidates would
    take more than `seconds`."""
    if not seconds or class_by_shape(cell.layer) != "video-patch":
        return CANDIDATES
    with concurrent.futures.ThreadPoolExecutor(1) as fresh:
        took = fresh.submit(first_seconds, True, cell, operands, FEW).result()
    return FEW if took * CANDIDATES / FEW > seconds else CANDIDATES


def torch_side(benchmark, cell, sets, limit):
    first = first_seconds(benchmark, cell, sets[0], limit)
    return first, captured(cell.torch_call, sets), captured(cell.torch_call, sets[:1])


class Direct:
    """One eager call of atc, whose operands are in LibTorch's memory."""

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
    """One call of LibTorch's convolution function, with atc installed in LibTorch."""

    name = "LibTorch's function with atc installed"
    front_end = b"aten"

    def __init__(self, atc, path):
        self.bridge = Bridge(atc, path)

    def call(self, cell, problem):
        return cell.torch_call

    def side(self):
        return self.bridge


def both_tuning(options):
    """Loads atc and installs it in LibTorch, with tuning on in both. Returns atc, and the side that calls LibTorch's
    function with atc installed. LibTorch's benchmark mode is on, so LibTorch's own candidate in atc's races is the
    choice of LibTorch's search."""
    atc = record.atc_beside_torch(options)
    atc.set("benchmark_cudnn", 1)
    torch.backends.cudnn.benchmark = True
    return atc, Installed(atc, options.bridge)


def measured(atc, way, threads, cell, options):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    call, limit = way.call(cell, problem), search_limit(cell, sets[0], options.search_limit)
    cold, hot, kept, first = {}, {}, [], {}
    for name, benchmark in (("heuristic", False), ("benchmark", True)):
        first[name], cold_one, hot_one = threads[name].submit(torch_side, benchmark, cell, sets, limit).result()
        cold[name], hot[name] = cold_one[0], hot_one[0]
        kept += [cold_one, hot_one]
    ours = [operands.copy(output_alone=True) for operands in sets]
    # The expected result is computed in the thread of LibTorch's heuristic. LibTorch keeps its choices per thread, so a
    # call of LibTorch in this thread would determine the choice with which LibTorch takes part in atc's race below.
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
    times, hot_times = milliseconds(cold, options.samples), milliseconds(hot, options.samples)
    median = {name: statistics.median(values) for name, values in times.items()}
    best = min(("heuristic", "benchmark"), key=median.get)
    slower = is_slower(times["atc"], times[best])
    return {"groups": cell.layer.groups, "sets": len(sets), "ms": median, **mark(limit),
            "hot_ms": {name: statistics.median(values) for name, values in hot_times.items()},
            "p95_over_p5": {name: statistics.quantiles(v, n=20)[-1] / statistics.quantiles(v, n=20)[0]
                            for name, v in times.items()},
            "slower": slower, **({"refused": plan.refused()} if slower else {}), "first_call_s": first,
            "choice": plan.choice(), "error_against_torch": error,
            "tflops": cell.layer.flops() / median["atc"] * 1e-9}


def mark(limit):
    return {} if limit == CANDIDATES else {"search_limit": limit}


def queued(atc, way, threads, cell, options):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    limit, stream = search_limit(cell, sets[0], options.search_limit), torch.cuda.Stream()
    queues = {name: Queue(cell.torch_call, sets) for name in ("heuristic", "benchmark")}
    ours = [operands.copy(output_alone=True) for operands in sets]
    queues["atc"] = Queue(way.call(cell, problem), ours)
    first = {name: threads[name].submit(first_seconds, name == "benchmark", cell, sets[0], limit).result()
             for name in ("heuristic", "benchmark")}

    def sample(name):
        torch.backends.cudnn.benchmark = name != "heuristic"
        if name != "atc":
            return threads[name].submit(queues[name].sample, stream).result()
        with way.side():
            return queues[name].sample(stream)

    torch.backends.cudnn.benchmark = True
    with way.side():
        first["atc"] = seconds_of(queues["atc"].call, ours[0])
        choice = Plan(atc, problem, front_end=way.front_end).choice()
    samples = {name: [] for name in queues}
    for name, counts in turns(list(queues), options.samples):
        taken = sample(name)
        if counts:
            samples[name].append(taken)
    times = {name: [ms for ms, _ in taken] for name, taken in samples.items()}
    median = {name: statistics.median(values) for name, values in times.items()}
    best = min(("heuristic", "benchmark"), key=median.get)
    return {"groups": cell.layer.groups, "sets": len(sets), "ms": median, **mark(limit),
            "issue_us": {name: statistics.median(us for _, us in taken) for name, taken in samples.items()},
            "late": {name: queue.late for name, queue in queues.items()},
            "slower": is_slower(times["atc"], times[best]), "first_call_s": first, "choice": choice}


def first_call(atc, way, cell):
    cell.switch(atc)
    torch.backends.cudnn.benchmark = True
    operands = cell.operands()
    with way.side():
        return {"first_call_s": {"atc": seconds_of(way.call(cell, cell.problem(atc)), operands)}}


def chosen(options):
    if options.random:
        all_of = one_of_each(random_layers(options.random, options.seed), options.seed)
    else:
        all_of = cells(read_layers(options.shapes, options.layers), options.sets, options.ops)
        all_of = [cell for cell in all_of if f"{cell.layer.name}:{cell.op}" not in options.without]
    if options.sample:
        all_of = drawn(all_of, options.seed, options.sample)
    wanted = record.shard(all_of, options.shard)
    if options.confirm:
        slower = [row for row in read(options.confirm)[1] if row.get("slower")]
        wanted = [cell for cell in wanted if record.has(slower, cell)]
    if options.last:
        known = read(options.last)[1]
        wanted.sort(key=lambda cell: record.has(known, cell))
    return wanted


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--ops", nargs="+", default=OPS, choices=OPS)
    parser.add_argument("--without", nargs="+", default=[], metavar="LAYER:OP",
                        help="LibTorch's search alone can take minutes")
    parser.add_argument("--sample", type=int, metavar="N", help="of these cells")
    parser.add_argument("--random", type=int, metavar="N", help="a cell of each of so many layers outside the list")
    parser.add_argument("--seed", type=int, default=5, help="by which they are drawn")
    parser.add_argument("--search-limit", type=float, metavar="SECONDS")
    parser.add_argument("--queued", action="store_true")
    parser.add_argument("--predict", action="store_true", help="atc predicts its choices and measures nothing")
    parser.add_argument("--confirm", metavar="FILE")
    parser.add_argument("--last", metavar="FILE", help="whose cells come after all others")
    parser.add_argument("--first-calls", action="store_true")
    parser.add_argument("--bridge", metavar="LIBRARY")
    options = parser.parse_args()

    if options.predict:
        os.environ["ATC_TUNE"] = "predict"
    atc = record.atc_beside_torch(options)
    wanted = chosen(options)
    atc.set("benchmark_cudnn", int(not options.predict))
    way = Installed(atc, options.bridge) if options.bridge else Direct(atc)
    threads = {name: concurrent.futures.ThreadPoolExecutor(1) for name in ("heuristic", "benchmark")}
    if options.first_calls and wanted:  # the first call of cuDNN in the process is a warm-up and is not measured
        first_call(atc, way, wanted.pop(0))

    def row_of(cell):
        if options.first_calls:
            return first_call(atc, way, cell)
        shape = {"shape": cell.layer.shape} if options.random else {}
        return {**shape, **(queued if options.queued else measured)(atc, way, threads, cell, options)}

    record.write(atc, options, wanted, row_of, way=way.name)


if __name__ == "__main__":
    main()
