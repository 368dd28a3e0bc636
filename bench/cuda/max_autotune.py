"""Compares forward convolutions of atc with torch.compile(mode="max-autotune").

torch.compile may choose kernels of ATen and of Triton.

    python3 bench/cuda/max_autotune.py --libatc libatc.so.1 --bridge libatc_torch.so.1 \\
        --shapes bench/shapes/public.txt --cells 60 --out max_autotune.jsonl --resume --budget 5

Both sides run in one process, in turn, from CUDA graphs with the same number of calls, as in against_torch.py. So the
mode of torch.compile is the one that makes no graphs ("max-autotune-no-cudagraphs"). While torch.compile compiles,
LibTorch's benchmark mode is on, and TF32 is allowed in matrix products if it is allowed in convolutions. atc's side is
LibTorch's function with atc installed. It is called in a thread of its own: in the thread of torch.compile, LibTorch
would use the result of its search as its own choice in atc's race.

--compile measures nothing. It only fills LibTorch's cache of compiled kernels, and an arbitrary kernel becomes the
choice. Several processes with --compile may run at the same time. The process that measures afterwards makes its own
choices, but has little to compile. Then the times of its first calls do not contain all of LibTorch's tuning time, and
each row has the mark `compiled_before`.
"""

import concurrent.futures
import statistics

import torch
import torch._dynamo
import torch._functorch.config
import torch._inductor.config
from torch._inductor.select_algorithm import AlgorithmSelectorCache

import record
from against_torch import both_tuning, searching, short_search
from atc_abi import Plan
from layers import sample, torch_forward
from timing import captured, is_slower, milliseconds, rotation, seconds_of

MODE, BACKENDS = "max-autotune-no-cudagraphs", "ATEN,TRITON"
OPS = ["forward", "forward-bias"]


def compiled(cell):
    """Returns the call of a cell. torch.compile compiles it anew when it first runs."""
    layer = cell.layer
    torch._dynamo.reset()

    def convolution(x, w, bias):
        return torch_forward(layer, x, w, bias)

    function = torch.compile(convolution, mode=MODE, dynamic=False, fullgraph=True)
    return lambda operands: function(operands.x, operands.w, operands.bias)


def keep_kernels_alone():
    """Sets LibTorch's caches so that only compiled kernels are kept for later processes. Choices, measurements and
    graphs are not kept."""
    torch._inductor.config.autotune_local_cache = torch._inductor.config.fx_graph_cache = False
    torch._functorch.config.enable_autograd_cache = False


def without_measuring():
    """Makes LibTorch compile all kernels of a choice, but measure none of them."""
    AlgorithmSelectorCache.benchmark_choices = classmethod(
        lambda cls, choices, *arguments, **named: {choice: 1.0 + i for i, choice in enumerate(choices)})


def compiled_alone(atc, cell):
    cell.switch(atc)
    torch.backends.cuda.matmul.allow_tf32 = cell.format != "fp32"
    return {"compile_s": seconds_of(compiled(cell), cell.operands())}


def atc_side(atc, way, problem, call, sets):
    with way.side():
        first = seconds_of(call, sets[0])
        graph, output = captured(call, sets), call(sets[0])
        return first, graph, output, Plan(atc, problem, front_end=way.front_end).choice()


def measured(atc, way, thread, cell, samples, before):
    cell.switch(atc)
    torch.backends.cuda.matmul.allow_tf32 = cell.format != "fp32"
    problem, sets = cell.problem(atc), rotation(cell.operands())
    call, first, kept = compiled(cell), {}, {}
    with searching(short_search(cell)):
        first["compiled"] = seconds_of(call, sets[0])
        kept["compiled"], expected = captured(call, sets), call(sets[0])
    ours = [operands.copy(output_alone=True) for operands in sets]
    first["atc"], kept["atc"], output, choice = thread.submit(
        atc_side, atc, way, problem, way.call(cell, problem), ours).result()
    error = ((output.double() - expected.double()).norm() / expected.double().norm()).item()
    times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    return {"sets": len(sets), "ms": {name: statistics.median(values) for name, values in times.items()},
            "slower": is_slower(times["atc"], times["compiled"]), "first_call_s": first, "choice": choice,
            "error_against_torch": error, "compiled_before": before}


def main():
    parser = record.sample_parser(__doc__, cells=60, seed=6)
    parser.add_argument("--bridge", default="libatc_torch.so.1", metavar="LIBRARY")
    parser.add_argument("--compile", action="store_true", help="fill LibTorch's cache of compiled kernels alone")
    parser.add_argument("--compiled-before", action="store_true", help="say that such processes ran before")
    parser.add_argument("--without", nargs="+", default=[], metavar="LAYER:OP", help="LibTorch alone can take minutes")
    options = parser.parse_args()
    atc, way = both_tuning(options)
    torch._inductor.config.max_autotune_gemm_backends = torch._inductor.config.max_autotune_conv_backends = BACKENDS
    keep_kernels_alone()
    thread = concurrent.futures.ThreadPoolExecutor(1)
    drawn = [cell for cell in sample(options.shapes, options.layers, options.seed, options.cells, OPS)
             if f"{cell.layer.name}:{cell.op}" not in options.without]

    def row(cell):
        if options.compile:
            return compiled_alone(atc, cell)
        return measured(atc, way, thread, cell, options.samples, options.compiled_before)

    if options.compile:
        without_measuring()
    record.write(atc, options, record.shard(drawn, options.shard), row, way=way.name, mode=MODE, backends=BACKENDS)


if __name__ == "__main__":
    main()
