"""Measures the effect of the switches for benchmark mode and determinism in atc and in LibTorch.

    python3 bench/cuda/toggles.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out toggles.jsonl

Three things are measured for each cell of a sample. (1) The kernels that run if one thread calls the same shape
with benchmark mode off, then on, then off; and the kernels with benchmark mode on in a thread that has not run the
shape before. (2) The number of different results of 50 calls, with and without determinism. (3) The kernels that
other processes run with benchmark mode on. The processes of atc have a replay-only store. Kernels are identified
by their names, which CUPTI reports.
"""

import concurrent.futures
import contextlib
import json
import sys
import tempfile

import torch

import record

RUNS = 50


class AtcSide:
    name = "atc"

    def __init__(self, atc):
        self.atc = atc

    def call(self, cell):
        problem, operands = cell.problem(self.atc), cell.operands()

        def call():
            self.atc.convolution(problem, *operands.views(), torch.cuda.current_stream().cuda_stream)
            return operands.output()
        return call

    def benchmark(self, on):
        self.atc.set("benchmark_cudnn", int(on))

    def deterministic(self, on):
        self.atc.set("deterministic_cudnn", int(on))


class TorchSide:
    name = "torch"

    def call(self, cell):
        operands = cell.operands()
        return lambda: cell.torch_call(operands)

    def benchmark(self, on):
        torch.backends.cudnn.benchmark = on

    def deterministic(self, on):
        torch.backends.cudnn.deterministic = on


def kernels(call):
    """Returns the names of the kernels of the second call, because the first call may tune."""
    call()
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        call()
        torch.cuda.synchronize()
    events = sorted((e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA),
                    key=lambda e: e.time_range.start)
    return [e.name for e in events]


def different_results(call):
    seen = []
    for _ in range(RUNS):
        result = call()
        if not any(torch.equal(result, other) for other in seen):
            seen.append(result.clone())
    return len(seen)


def toggled(side, cell):
    """Returns the names of the kernels in four cases: benchmark mode off, on and off again in this thread, and on
    in a thread that has not run the shape before."""
    call, found = side.call(cell), {}
    for name, on in (("off", False), ("on", True), ("off again", False)):
        side.benchmark(on)
        found[name] = kernels(call)
    side.benchmark(True)
    with concurrent.futures.ThreadPoolExecutor(1) as fresh:
        found["on, a new thread"] = fresh.submit(kernels, call).result()
    side.benchmark(False)
    return found


def repeated(side, cell):
    found = {}
    for name, on in (("any", False), ("deterministic", True)):
        side.deterministic(on)
        found[name] = different_results(side.call(cell))
    side.deterministic(False)
    return found


def elsewhere(side, atc, cells):
    """Runs in another process. Returns the names of the kernels of each cell with benchmark mode on, or the reason
    why there are none. (If a race could not decide a problem, the problem is not stored, and replay-only mode
    refuses it.)"""
    side.benchmark(True)
    found = []
    for cell in cells:
        cell.switch(atc)
        try:
            found.append(kernels(side.call(cell)))
        except RuntimeError as error:
            found.append([f"refused: {error}"[:200]])
    return found


def main():
    parser = record.sample_parser(__doc__, cells=20, seed=3)
    parser.add_argument("--processes", type=int, default=5)
    parser.add_argument("--kernels-of", choices=["atc", "torch"], help="print those of this process")
    options = parser.parse_args()

    atc, wanted = record.atc_and_sample(options)
    sides = {side.name: side for side in (AtcSide(atc), TorchSide())}
    if options.kernels_of:
        with contextlib.redirect_stdout(sys.stderr):
            found = elsewhere(sides[options.kernels_of], atc, wanted)
        print(json.dumps(found))
        return
    with tempfile.TemporaryDirectory() as store:
        record.of_processes(1, "--kernels-of", "atc", ATC_STORE=store)
        runs = {"atc": record.of_processes(options.processes, "--kernels-of", "atc", ATC_STORE=store,
                                           ATC_MODE="replay-only"),
                "torch": record.of_processes(options.processes, "--kernels-of", "torch")}
    place = {cell: i for i, cell in enumerate(wanted)}

    def row(cell):
        cell.switch(atc)
        return {name: {"toggled": toggled(side, cell), "results": repeated(side, cell),
                       "processes": [run[place[cell]] for run in runs[name]]} for name, side in sides.items()}

    record.write(atc, options, wanted, row, processes=options.processes, runs=RUNS)


if __name__ == "__main__":
    main()
