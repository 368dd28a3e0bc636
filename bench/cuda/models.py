"""Measures training steps of the networks in bench/cuda/networks, with LibTorch and with atc installed.

LibTorch runs with its heuristic and in its benchmark mode.

    python3 bench/cuda/models.py --libatc libatc.so.1 --bridge libatc_torch.so.1 --out models.jsonl

A step is forward, backward and SGD on random data. In the mode `graph` forward and backward are one CUDA graph. In the
mode `compile` torch.compile compiles the model. A line of --out is a process: one model, format, mode, side and
repetition, on a device that no other process of this measurement uses. If the host limits a step, the wall time of the
step says nothing about kernels. So a line also has the time for which the device was busy, and the number of kernels.
Both come from CUPTI.

The sides of atc differ by their store and by the value of `tune`. `atc` tunes at the first call, and each of its
processes begins with an empty store. `atc-warm` uses the store that the preceding process of `atc` has filled. In
`atc-beside` the program's own calls are the measurements (ATC_TUNE_BESIDE), from an empty store. In `atc-predict`
nothing is measured (ATC_TUNE_PREDICT), and the store is empty.

The first step contains all tuning and searching. With --curve N a line also has the time of each of the first N steps,
and the program waits for the device after each step. `curves.py` compares these first steps.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

import networks
import record
from atc_abi import Atc, Bridge
from rows import read
from timing import seconds_of

MODELS = ["resnet50", "convnext_tiny", "efficientnet_b0", "resnext50_32x4d", "regnet_y_3_2gf", "mobilenet_v3_large",
          "densenet121", "r2plus1d_18", "fcos_resnet50", "nnunet_3d", "image_decoder", "hifigan"]
SETS = ["tf32-first", "bf16-last"]
MODES = ["eager", "graph", "compile"]
SIDES = ["heuristic", "benchmark", "atc"]
TUNE = {"atc-beside": "beside", "atc-predict": "predict"}  # the value of ATC_TUNE for each side of atc that sets it
KEY = ("model", "set", "mode", "side", "repetition")
WARM_UP, GROUPS, PROFILED = 5, 3, 3


class Training:
    """A model with its optimizer, and a batch that is used in each step."""

    def __init__(self, options):
        torch.manual_seed(0)
        network = networks.all_networks()[options.model]
        half = options.set == "bf16-last"
        self.inputs = network.inputs(options.batch)
        kind = networks.memory_format(self.inputs.dim(), half)
        self.inputs = self.inputs.to(memory_format=kind)
        self.model = networks.in_format(network.make().cuda().train(), half)
        self.called = torch.compile(self.model) if options.mode == "compile" else self.model
        self.loss = network.loss
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=1e-4, momentum=0.9)
        # In the mode `graph` autocast must not cache casts: if a cast was cached in an earlier call, it would not be
        # captured in the graph.
        self.cast = lambda: torch.autocast("cuda", torch.bfloat16, enabled=half, cache_enabled=options.mode != "graph")

    def gradients(self):
        with self.cast():
            loss = self.loss(self.called(self.inputs))
        loss.backward()

    def step(self):
        self.optimizer.zero_grad(set_to_none=True)
        self.gradients()
        self.optimizer.step()

    def captured(self):
        """Captures forward and backward of the step as one graph. First the step runs without a graph."""
        self.optimizer.zero_grad(set_to_none=True)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, capture_error_mode="thread_local"):
            self.gradients()

        def step():
            graph.replay()
            self.optimizer.step()
        return step


def on_side_stream(function, times):
    """Runs the step `times` times on a side stream. PyTorch requires such runs before a capture."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(times):
            function()
    torch.cuda.current_stream().wait_stream(stream)


def busy(step):
    """Returns the milliseconds of a step in which at least one kernel or copy runs, and the number
    of its kernels."""
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        for _ in range(PROFILED):
            step()
        torch.cuda.synchronize()
    events = [e for e in profile.events() if e.device_type == torch.autograd.DeviceType.CUDA
              and not getattr(e, "is_user_annotation", False)]
    kernels = sum(not e.name.startswith(("Memcpy", "Memset")) for e in events)
    return covered([(e.time_range.start, e.time_range.end) for e in events]) / 1e3 / PROFILED, kernels / PROFILED


def covered(spans):
    """Returns the total length that these intervals cover. Where intervals overlap, the length counts once."""
    total, until = 0, float("-inf")
    for start, end in sorted(spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def measured(options):
    torch.backends.cudnn.allow_tf32 = True
    searches = options.side not in ("heuristic", *TUNE)
    torch.backends.cudnn.benchmark = searches
    torch.zeros(1, device="cuda")
    torch.backends.cudnn.version()
    side = contextlib.nullcontext()
    if options.side.startswith("atc"):
        atc = Atc(options.libatc)
        atc.set("benchmark_cudnn", int(searches))
        side = Bridge(atc, options.bridge)
    training = Training(options)
    with side:
        first = seconds_of(training.step)
        curve = [first] + [seconds_of(training.step) for _ in range(options.curve - 1)]
        on_side_stream(training.step, WARM_UP)
        step = training.captured() if options.mode == "graph" else training.step
        for _ in range(WARM_UP):
            step()
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        groups = [1e3 * seconds_of(lambda: [step() for _ in range(options.steps)]) / options.steps
                  for _ in range(GROUPS)]
        peak = torch.cuda.max_memory_allocated()
        free, total = torch.cuda.mem_get_info()
        busy_ms, kernels = busy(step)
    return {"batch": len(training.inputs), "first_step_s": first, "curve_s": curve if options.curve else None,
            "step_ms": statistics.median(groups), "groups_ms": groups, "busy_ms": busy_ms, "kernels": kernels,
            "peak_mib": peak / 2**20, "device_used_mib": (total - free) / 2**20}


def in_process(row, store):
    """Makes one measurement in a new process. Returns the result of the measurement, or the reason why the process
    failed."""
    arguments = [item for name in KEY for item in (f"--{name}", str(row[name]))]
    try:
        result = subprocess.run([sys.executable, *sys.argv, "--one", *arguments], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, timeout=600,
                                env={**os.environ, "ATC_STORE": store,
                                     "ATC_TUNE": TUNE.get(row["side"], "")})
    except subprocess.TimeoutExpired:
        return {**row, "failed": "took more than 600 s"}
    if result.returncode != 0:
        why = (result.stderr.splitlines() or [f"ended with {result.returncode}"])[-1]
        return {**row, "failed": why[:400]}
    return {**row, **json.loads(result.stdout.splitlines()[-1])}


def wanted(options):
    """Yields the measurements in their order. All measurements of one repetition come before the next repetition, and
    the sides take turns. So a slow change of the device affects all sides alike."""
    parts = record.shard([(model, which) for model in options.models for which in options.sets], options.shard)
    return [dict(zip(KEY, (model, which, mode, side, repetition)))
            for repetition in range(options.repetitions) for model, which in parts for mode in options.modes
            for side in options.sides]


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--libatc", default="libatc.so.1")
    parser.add_argument("--bridge", default="libatc_torch.so.1", metavar="LIBRARY")
    parser.add_argument("--models", nargs="+", default=MODELS, choices=list(networks.all_networks()))
    parser.add_argument("--sets", nargs="+", default=SETS, choices=SETS)
    parser.add_argument("--modes", nargs="+", default=["eager", "graph"], choices=MODES)
    parser.add_argument("--sides", nargs="+", default=SIDES, choices=[*SIDES, "atc-warm", *TUNE])
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--batch", type=int, help="of every model; by default each has its own (bench/cuda/networks)")
    parser.add_argument("--curve", type=int, default=0, metavar="N", help="record the time of each of the first N steps")
    parser.add_argument("--steps", type=int, default=8, help=f"in each of {GROUPS} groups that are timed")
    parser.add_argument("--budget", type=float, default=float("inf"), help="minutes after which no process is begun")
    parser.add_argument("--resume", action="store_true", help="leave out what --out has already")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th model and format, from the I-th")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out", required=True)
    for name in ("--model", "--set", "--mode", "--side", "--repetition"):
        parser.add_argument(name, help=argparse.SUPPRESS)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args()


def main():
    options = parse()
    if options.one:
        with contextlib.redirect_stdout(sys.stderr):
            row = measured(options)
        print(json.dumps(row))
        return
    rows = wanted(options)
    if options.resume and os.path.exists(options.out):
        done = [tuple(row[name] for name in KEY) for row in read(options.out, of="model")[1] if "failed" not in row]
        rows = [row for row in rows if tuple(row[name] for name in KEY) not in done]
    head = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "commit": options.commit,
            "batch": options.batch or "of each network", "steps": options.steps,
            "command": record.command()}
    began = time.perf_counter()
    with open(options.out, "a" if options.resume else "w") as out, tempfile.TemporaryDirectory() as folder:
        print(json.dumps(head), file=out, flush=True)
        for row in rows:
            if time.perf_counter() - began > 60 * options.budget:
                break
            store = os.path.join(folder, "-".join(str(row[name]) for name in KEY if name != "side"))
            store += f"-{TUNE[row['side']]}" if row["side"] in TUNE else ""
            os.makedirs(store, exist_ok=True)
            print(json.dumps(in_process(row, store)), file=out, flush=True)


if __name__ == "__main__":
    main()
