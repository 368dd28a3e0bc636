"""Measures programs whose input shapes change, with LibTorch and with atc.

LibTorch runs with its heuristic and in its benchmark mode. The streams of shapes are those of shapes.py.

    python3 bench/streams/streams.py --libatc libatc.so.1 --bridge libatc_torch.so.1 --out streams.jsonl

A line of --out is a process: one stream, side and repetition. It runs only the convolutions of the stream's network,
one step for each shape, on random data. A step is forward and, if the network is trained, both gradients. The times of
the steps include the first calls of each shape. The program waits for the device after each step. Sides:

    heuristic    LibTorch's own choice
    benchmark    LibTorch's benchmark mode
    beside       atc, which begins with an empty store and tunes beside the running program (ATC_TUNE=beside)
    other_seed   atc with a store in which the shapes of another seed are tuned, and nothing measured
    tuned        atc with a store in which each shape of the stream is tuned

The stores of `other_seed` and `tuned` are filled by other processes before the measurement. `fill_s` is the time of
these processes in seconds.
"""

import argparse
import contextlib
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "cuda"))

from shapes import STREAMS, stream  # noqa: E402  (bench/streams)

SIDES = ["heuristic", "benchmark", "beside", "other_seed", "tuned"]
SEED, OTHER_SEED = 1, 2


def convolutions(network, shapes):
    """Returns, for each distinct shape, the convolutions of the network and the shapes of their inputs. The
    convolutions are found by a run on PyTorch's meta device, without data."""
    import torch
    model = network.make().to("meta")
    found = {}
    for shape in dict.fromkeys(shapes):
        calls = []
        hooks = [module.register_forward_hook(lambda module, inputs, _: calls.append((module, tuple(inputs[0].shape))))
                 for module in model.modules() if isinstance(module, torch.nn.modules.conv._ConvNd)]
        with torch.no_grad():
            model(torch.empty(shape, device="meta"))
        for hook in hooks:
            hook.remove()
        found[shape] = calls
    return model, found


class Steps:
    """The convolutions of each shape, with their operands. Steps with equal shapes share operands."""

    def __init__(self, one, shapes, last):
        import networks
        import torch
        self.torch, self.trains = torch, one.trains
        model, found = convolutions(networks.all_networks()[one.network], shapes)
        dtype = torch.bfloat16 if last else torch.float32
        self.layers = {}
        for module in model.modules():
            if isinstance(module, torch.nn.modules.conv._ConvNd):
                layer = module.to_empty(device="cuda").to(dtype)
                for parameter in layer.parameters():
                    torch.nn.init.normal_(parameter, 0, 0.02)
                self.layers[module] = networks.in_format(layer, last)
        self.calls, self.last, self.dtype, self.inputs = found, last, dtype, {}

    def operand(self, shape):
        """Returns a tensor of random numbers of this shape. The tensor is made once for each shape."""
        import networks
        if shape not in self.inputs:
            tensor = self.torch.randn(shape, device="cuda", dtype=self.dtype)
            kind = networks.memory_format(len(shape), self.last)
            self.inputs[shape] = tensor.contiguous(memory_format=kind).requires_grad_(self.trains)
        return self.inputs[shape]

    def prepare(self, shape):
        """Makes the operands of a step before the step, so that their allocation is not part of the time of the
        step."""
        for _, inputs in self.calls[shape]:
            self.operand(inputs)
        self.torch.cuda.synchronize()

    def run(self, shape):
        for module, inputs in self.calls[shape]:
            x = self.operand(inputs)
            with contextlib.nullcontext() if self.trains else self.torch.no_grad():
                y = self.layers[module](x)
            if self.trains:
                self.torch.autograd.grad(y, [x, self.layers[module].weight], y.detach())
        self.torch.cuda.synchronize()

    def forget(self):
        self.inputs.clear()


def tune_all(steps, shapes):
    """Runs each shape once with tuning, so that the store has the decisions of all shapes."""
    for shape in dict.fromkeys(shapes):
        steps.prepare(shape)
        steps.run(shape)
        steps.forget()


def measured(options):
    import torch
    from atc_abi import Atc, Bridge
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = options.side == "benchmark"
    torch.zeros(1, device="cuda")
    torch.backends.cudnn.version()
    one = STREAMS[options.stream]
    shapes = stream(options.stream, options.seed, options.steps, options.coco, options.librispeech)
    side = contextlib.nullcontext()
    if options.side not in ("heuristic", "benchmark"):
        side = Bridge(Atc(options.libatc), options.bridge)
    steps = Steps(one, shapes, options.set == "bf16-last")
    began = time.perf_counter()
    with side:
        if options.fill:
            tune_all(steps, shapes)
            return {"seconds": time.perf_counter() - began, "shapes": len(set(shapes))}
        times = []
        for shape in shapes:
            steps.prepare(shape)
            start = time.perf_counter()
            steps.run(shape)
            times.append(time.perf_counter() - start)
            steps.forget()
    return {"shapes": len(set(shapes)), "total_s": sum(times), "first_s": times[0], "median_ms": 1e3 * statistics.median(times),
            "p99_ms": 1e3 * sorted(times)[int(0.99 * len(times))], "longest_ms": 1e3 * max(times),
            "steps_ms": [round(1e3 * seconds, 3) for seconds in times]}


def run(arguments, environment, timeout):
    """Runs this program with further arguments in a new process, and returns its row. If the process fails, the row
    has the reason."""
    try:
        result = subprocess.run([sys.executable, *sys.argv, "--one", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                text=True, timeout=timeout, env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return {"failed": f"took more than {timeout} s"}
    if result.returncode != 0:
        return {"failed": (result.stderr.splitlines() or [f"ended with {result.returncode}"])[-1][:400]}
    return json.loads(result.stdout.splitlines()[-1])


def row_of(name, side, options, folder):
    """Fills the store of the side, if the side needs a filled store. Then measures the stream and returns the row."""
    arguments = ["--stream", name, "--side", side]
    if side in ("heuristic", "benchmark"):
        return run([*arguments, "--seed", str(SEED)], {}, options.timeout)
    store = os.path.join(folder, f"{name}-{side}")
    os.makedirs(store, exist_ok=True)
    environment = {"ATC_STORE": store}
    if side == "beside":
        return run([*arguments, "--seed", str(SEED)], {**environment, "ATC_TUNE": "beside"}, options.timeout)
    seed = OTHER_SEED if side == "other_seed" else SEED
    filled = run([*arguments, "--seed", str(seed), "--fill"], {**environment, "ATC_TUNE": "on"}, options.timeout)
    if "failed" in filled:
        return {"failed": f"filling its store: {filled['failed']}"}
    row = run([*arguments, "--seed", str(SEED)], {**environment, "ATC_TUNE": "off", "ATC_MODE": "read"}, options.timeout)
    return {**row, "fill_s": filled["seconds"], "fill_shapes": filled["shapes"]}


def table(rows):
    """Yields the lines of a table. For each side it has the total seconds, and the time of LibTorch's faster mode / the
    time of the side."""
    yield "| stream | shapes | " + " | ".join(SIDES) + " |"
    yield "|---" * (len(SIDES) + 2) + "|"
    for name in dict.fromkeys(row["stream"] for row in rows):
        totals = {}
        for row in rows:
            if row["stream"] == name and "failed" not in row:
                totals.setdefault(row["side"], []).append(row["total_s"])
        medians = {side: statistics.median(values) for side, values in totals.items()}
        better = min((medians[side] for side in ("heuristic", "benchmark") if side in medians), default=None)
        shapes = next((row["shapes"] for row in rows if row["stream"] == name and "shapes" in row), "-")
        cells = [f"{medians[side]:.2f} s" + (f" ({better / medians[side]:.3f})" if better else "") if side in medians else "-"
                 for side in SIDES]
        yield f"| {name} | {shapes} | {' | '.join(cells)} |"


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--libatc", default="libatc.so.1")
    parser.add_argument("--bridge", default="libatc_torch.so.1", metavar="LIBRARY")
    parser.add_argument("--streams", nargs="+", default=list(STREAMS), choices=list(STREAMS))
    parser.add_argument("--sides", nargs="+", default=SIDES, choices=SIDES)
    parser.add_argument("--set", default="bf16-last", choices=["bf16-last", "tf32-first"])
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--coco", metavar="FILE", help="an annotation file of COCO, whose sizes of images are taken")
    parser.add_argument("--librispeech", metavar="FILE", help="a length in seconds a line")
    parser.add_argument("--timeout", type=float, default=1800, help="seconds for a process")
    parser.add_argument("--budget", type=float, default=float("inf"), help="minutes after which no process is begun")
    parser.add_argument("--resume", action="store_true", help="leave out what --out has already")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--table", action="store_true", help="print the table of --out and measure nothing")
    parser.add_argument("--out", required=True)
    for name in ("--stream", "--side"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--seed", type=int, default=SEED, help=argparse.SUPPRESS)
    parser.add_argument("--fill", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.steps < 1 or options.repetitions < 1:
        parser.error("--steps and --repetitions take a number from 1 on")
    return options


def read(path):
    with open(path) as file:
        return [row for row in map(json.loads, file) if "stream" in row]


def main():
    options = parse()
    if options.table:
        print("\n".join(table(read(options.out))))
        return
    if options.one:
        with contextlib.redirect_stdout(sys.stderr):
            row = measured(options)
        print(json.dumps(row))
        return
    done = [(row["stream"], row["side"], row["repetition"]) for row in read(options.out) if "failed" not in row] \
        if options.resume and os.path.exists(options.out) else []
    began = time.perf_counter()
    with open(options.out, "a" if options.resume else "w") as out:
        print(json.dumps({"set": options.set, "steps": options.steps, "seed": SEED, "other_seed": OTHER_SEED,
                          "commit": options.commit}), file=out, flush=True)
        for repetition in range(options.repetitions):
            for name in options.streams:
                for side in options.sides:
                    if (name, side, repetition) in done or time.perf_counter() - began > 60 * options.budget:
                        continue
                    with tempfile.TemporaryDirectory() as folder:
                        row = row_of(name, side, options, folder)
                    print(json.dumps({"stream": name, "side": side, "repetition": repetition, **row}), file=out, flush=True)


if __name__ == "__main__":
    main()
