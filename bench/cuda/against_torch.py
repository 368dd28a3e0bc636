"""atc against LibTorch on a CUDA device, in one process: tuned atc, LibTorch's heuristic and its benchmark mode.

    python3 against_torch.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out results.json \\
        --sets f16-last f32-first --ops forward backward-data backward-weight

Each side's calls are captured into a graph of ten, over rotating operand sets that exceed the last-level cache three times
where they are small enough; the graphs are replayed in turn, the median of a side's samples counts. atc is captured twice:
the two differ by noise alone. LibTorch keeps its choices per thread and ignores its flag for shapes it has seen, so its two
modes have a thread each. `f32` lets both use TF32. Times are milliseconds per call.
"""

import argparse
import concurrent.futures
import ctypes
import json
import statistics
import sys
import time

import torch

CALLS = 10
OPS = {"forward": 1, "backward-data": 2, "backward-weight": 3}
DTYPES = {"f32": (1, torch.float32, (2, 32)), "bf16": (2, torch.bfloat16, (4, 16)), "f16": (3, torch.float16, (2, 16))}
LAYOUTS = {"first": 1, "last": 2}


class Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("index", ctypes.c_int32)]


class DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


class Problem(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32), ("direction", ctypes.c_int32), ("spatial_dims", ctypes.c_int32),
                 ("transposed", ctypes.c_int32)]
                + [(name, ctypes.c_int64) for name in ("batch", "in_channels", "out_channels", "groups")]
                + [(name, ctypes.c_int64 * 3) for name in ("input", "kernel", "stride", "dilation", "padding_low",
                                                           "padding_high", "output_padding")]
                + [(name, ctypes.c_int32) for name in ("x_dtype", "w_dtype", "y_dtype", "layout", "epilogue", "accumulate")]
                + [(name, ctypes.c_int64 * 5) for name in ("x_strides", "w_strides", "y_strides")])


class Options(ctypes.Structure):
    _fields_ = ([("struct_size", ctypes.c_uint32)]
                + [(name, ctypes.c_int32) for name in ("tune", "deterministic", "allow_tf32", "allow_reference",
                                                       "constant_weights", "technique")]
                + [("alignment", ctypes.c_uint32), ("workspace_limit", ctypes.c_uint64),
                   ("budget_seconds", ctypes.c_double), ("front_end", ctypes.c_char * 64)])


class Atc:
    def __init__(self, path):
        self.lib = ctypes.CDLL(path)
        self.lib.atc1_last_error.restype = ctypes.c_char_p

    def check(self, status):
        if status != 0:
            raise RuntimeError(self.lib.atc1_last_error().decode())

    def set(self, name, value):
        self.check(getattr(self.lib, "atc1_set_" + name)(value))

    def choice(self, problem):
        """What an eager call on memory of torch's takes: its addresses are multiples of 512."""
        plan, text = ctypes.c_void_p(), ctypes.c_char_p()
        options = Options(struct_size=ctypes.sizeof(Options), alignment=16)
        self.check(self.lib.atc1_conv_plan_create(ctypes.byref(plan), Device(2, 0), ctypes.byref(problem),
                                                  ctypes.byref(options)))
        self.check(self.lib.atc1_conv_plan_choice(ctypes.byref(text), plan))
        value = text.value.decode()
        self.lib.atc1_conv_plan_destroy(plan)
        return value


class Layer:
    def __init__(self, line):
        fields = line.split()
        self.name = fields[0]
        n, c, d, h, w, k, t, r, s, pad, stride, dil, groups = map(int, fields[1:])
        self.n, self.c, self.k, self.groups = n, c, k, groups
        self.input, self.kernel = ([d, h, w], [t, r, s]) if d else ([h, w], [r, s])
        spatial = len(self.input)
        flat = not d and h == 1 and r == 1
        self.pad = [0, pad] if flat else [pad] * spatial
        self.stride = [1, stride] if flat else [stride] * spatial
        self.dil = [1, dil] if flat else [dil] * spatial
        self.output = [(i + 2 * p - e * (m - 1) - 1) // q + 1
                       for i, m, p, q, e in zip(self.input, self.kernel, self.pad, self.stride, self.dil)]

    def problem(self, atc, op, dtype, layout):
        p = Problem()
        atc.check(atc.lib.atc1_conv_problem_init(ctypes.byref(p), len(self.input)))
        p.direction, p.layout = OPS[op], LAYOUTS[layout]
        p.x_dtype = p.w_dtype = p.y_dtype = DTYPES[dtype][0]
        p.batch, p.in_channels, p.out_channels, p.groups = self.n, self.c, self.k, self.groups
        for i, values in enumerate(zip(self.input, self.kernel, self.stride, self.dil, self.pad, self.pad)):
            p.input[i], p.kernel[i], p.stride[i], p.dilation[i], p.padding_low[i], p.padding_high[i] = values
        return p

    def flops(self):
        outputs = self.n * self.k
        for extent in self.output:
            outputs *= extent
        taps = self.c // self.groups
        for extent in self.kernel:
            taps *= extent
        return 2 * outputs * taps


def tensors(layer, dtype, layout):
    """x, w, y of one operand set."""
    shapes = ([layer.n, layer.c, *layer.input], [layer.k, layer.c // layer.groups, *layer.kernel],
              [layer.n, layer.k, *layer.output])
    kind = torch.contiguous_format
    if layout == "last":
        kind = torch.channels_last if len(layer.input) == 2 else torch.channels_last_3d
    return [torch.randn(shape, device="cuda").to(DTYPES[dtype][1]).contiguous(memory_format=kind) for shape in shapes]


def strides(shape, layout):
    """What atc calls dense; torch writes other strides for extents of 1."""
    order = list(range(len(shape))) if layout == "first" else [0, *range(2, len(shape)), 1]
    result, step = [0] * len(shape), 1
    for dim in reversed(order):
        result[dim] = step
        step *= shape[dim]
    return result


def view(tensor, dtype, layout):
    shape = (ctypes.c_int64 * tensor.dim())(*tensor.shape)
    steps = (ctypes.c_int64 * tensor.dim())(*strides(list(tensor.shape), layout))
    result = View(tensor.data_ptr(), Device(2, 0), tensor.dim(), DataType(*DTYPES[dtype][2], 1), shape, steps, 0)
    result.owners = (tensor, shape, steps)
    return result


def torch_call(layer, op, x, w, y):
    if op == "forward":
        return torch.ops.aten.convolution(x, w, None, layer.stride, layer.pad, layer.dil, False, [0] * len(layer.input),
                                          layer.groups)
    mask = [op == "backward-data", op == "backward-weight", False]
    return torch.ops.aten.convolution_backward(y, x, w, None, layer.stride, layer.pad, layer.dil, False,
                                               [0] * len(layer.input), layer.groups, mask)


def captured(call, sets):
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for operands in sets:
            call(operands)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            kept = [call(sets[i % len(sets)]) for i in range(CALLS)]
    return graph, kept


def seconds_of_first(call, operands):
    torch.cuda.synchronize()
    start = time.perf_counter()
    call(operands)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def torch_side(benchmark, layer, op, sets):
    torch.backends.cudnn.benchmark = benchmark
    call = lambda operands: torch_call(layer, op, *operands)
    first = seconds_of_first(call, sets[0])
    return first, captured(call, sets)


def sample(graphs, samples):
    times = {name: [] for name in graphs}
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    names = list(graphs)
    for i in range(samples + 2):
        for name in names[i % len(names):] + names[:i % len(names)]:
            start.record()
            graphs[name].replay()
            end.record()
            end.synchronize()
            if i >= 2:
                times[name].append(start.elapsed_time(end) / CALLS)
    return times


def cell(atc, threads, layer, op, dtype, layout, options):
    first_set = tensors(layer, dtype, layout)
    size = sum(t.numel() * t.element_size() for t in first_set)
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(1, min(CALLS, 3 * cache // size + 1))
    sets = [first_set] + [[t.clone() for t in first_set] for _ in range(count - 1)]
    problem = layer.problem(atc, op, dtype, layout)

    def call(operands):
        views = [view(t, dtype, layout) for t in operands]
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        atc.check(atc.lib.atc1_convolution(ctypes.byref(problem), ctypes.byref(views[0]), ctypes.byref(views[1]), None,
                                           ctypes.byref(views[2]), stream))

    graphs, kept, first = {}, [], {}
    for name, benchmark in (("heuristic", False), ("benchmark", True)):
        first[name], (graphs[name], outputs) = threads[name].submit(torch_side, benchmark, layer, op, sets).result()
        kept.append(outputs)
    ours = [[t.clone() if i == OPS_OUTPUT[op] else t for i, t in enumerate(operands)] for operands in sets]
    first["atc"] = seconds_of_first(call, ours[0])
    expected = torch_call(layer, op, *sets[0])
    if op != "forward":
        expected = next(t for t in expected if t is not None)
    got = ours[0][OPS_OUTPUT[op]]
    error = ((got.double() - expected.double()).norm() / expected.double().norm()).item()
    for name in ("atc", "again"):
        graphs[name], outputs = captured(call, ours)
        kept.append(outputs)
    times = sample(graphs, options.samples)
    median = {name: statistics.median(values) for name, values in times.items()}
    spread = {name: statistics.quantiles(values, n=20)[-1] / statistics.quantiles(values, n=20)[0]
              for name, values in times.items()}
    return {"layer": layer.name, "op": op, "dtype": dtype, "layout": layout, "sets": count, "median_ms": median,
            "p95_over_p5": spread, "first_call_s": first, "choice": atc.choice(problem), "error_against_torch": error,
            "tflops": layer.flops() / median["atc"] * 1e-9}


OPS_OUTPUT = {"forward": 2, "backward-data": 0, "backward-weight": 1}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--libatc", default="libatc.so.1")
    parser.add_argument("--shapes", required=True)
    parser.add_argument("--layers", type=int, default=0, help="the first ones of the file; 0: all")
    parser.add_argument("--sets", nargs="+", default=["f16-last", "f32-first"])
    parser.add_argument("--ops", nargs="+", default=list(OPS), choices=list(OPS))
    parser.add_argument("--samples", type=int, default=21)
    parser.add_argument("--budget", type=float, default=float("inf"), help="seconds after which no cell is begun")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()

    torch.backends.cudnn.allow_tf32 = True
    torch.zeros(1, device="cuda")
    torch.backends.cudnn.version()
    atc = Atc(options.libatc)
    atc.set("benchmark_cudnn", 1)
    atc.set("benchmark_limit_cudnn", 0)
    atc.set("allow_tf32_cudnn", 1)
    with open(options.shapes) as file:
        layers = [Layer(line) for line in file if line.strip() and not line.startswith(("#", "tconv_"))]
    layers = layers[:options.layers or None]
    threads = {name: concurrent.futures.ThreadPoolExecutor(1) for name in ("heuristic", "benchmark")}
    version = ctypes.c_int64()
    atc.lib.atc1_cudnn_version(ctypes.byref(version))
    result = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": version.value,
              "command": " ".join(sys.argv), "cells": []}
    began = time.perf_counter()
    for chosen in options.sets:
        dtype, layout = chosen.split("-")
        for op in options.ops:
            for layer in layers:
                if time.perf_counter() - began > options.budget:
                    result["cut"] = True
                    break
                try:
                    result["cells"].append(cell(atc, threads, layer, op, dtype, layout, options))
                except Exception as error:  # a cell that fails is a result, too
                    result["cells"].append({"layer": layer.name, "op": op, "dtype": dtype, "layout": layout,
                                            "failed": str(error)[:400]})
                torch.cuda.empty_cache()
    with open(options.out, "w") as file:
        json.dump(result, file, indent=1)
    for row in result["cells"]:
        if "failed" in row:
            print(f"{row['dtype']:>4} {row['layout']:>5} {row['op']:<15} {row['layer']:<20} failed: {row['failed'][:120]}")
            continue
        ms = row["median_ms"]
        best = min(ms["heuristic"], ms["benchmark"])
        print(f"{row['dtype']:>4} {row['layout']:>5} {row['op']:<15} {row['layer']:<20} heur {ms['heuristic']:8.4f} bench "
              f"{ms['benchmark']:8.4f} atc {ms['atc']:8.4f} gain {best / ms['atc']:5.2f} A/A {ms['again'] / ms['atc']:5.3f} "
              f"first {row['first_call_s']['benchmark']:6.3f} {row['first_call_s']['atc']:6.3f} {row['choice'][:44]}")


if __name__ == "__main__":
    main()
