"""Forward beside torch.compile(mode="max-autotune"), which may take ATen's and Triton's kernels.

    python3 bench/cuda/max_autotune.py --libatc libatc.so.1 --bridge libatc_torch.so.1 \\
        --shapes bench/shapes/public.txt --cells 60 --out max_autotune.jsonl --resume --budget 5

Both sides run in one process, in turn, from graphs of as many calls, as against_torch.py has it; so what is compiled
is the mode without graphs of its own. LibTorch's benchmark mode is on while it is compiled, and TF32 allowed to
products of matrices where it is to convolutions. atc is installed in LibTorch's function, which its own thread calls:
what LibTorch has searched for in a thread would run as LibTorch's choice in atc's race.
"""

import concurrent.futures
import statistics

import torch
import torch._dynamo
import torch._inductor.config

import record
from against_torch import both_tuning, searching, short_search
from atc_abi import Plan
from layers import sample, torch_forward
from timing import captured, is_slower, milliseconds, rotation, seconds_of

MODE, BACKENDS = "max-autotune-no-cudagraphs", "ATEN,TRITON"
OPS = ["forward", "forward-bias"]


def compiled(cell):
    """The call of a cell, compiled anew at its first run."""
    layer = cell.layer
    torch._dynamo.reset()

    def convolution(x, w, bias):
        return torch_forward(layer, x, w, bias)

    function = torch.compile(convolution, mode=MODE, dynamic=False, fullgraph=True)
    return lambda operands: function(operands.x, operands.w, operands.bias)


def atc_side(atc, way, problem, call, sets):
    with way.side():
        first = seconds_of(call, sets[0])
        graph, output = captured(call, sets), call(sets[0])
        return first, graph, output, Plan(atc, problem, front_end=way.front_end).choice()


def measured(atc, way, thread, cell, samples):
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
            "error_against_torch": error}


def main():
    parser = record.sample_parser(__doc__, cells=60, seed=6)
    parser.add_argument("--bridge", default="libatc_torch.so.1", metavar="LIBRARY")
    options = parser.parse_args()
    atc, way = both_tuning(options)
    torch._inductor.config.max_autotune_gemm_backends = torch._inductor.config.max_autotune_conv_backends = BACKENDS
    thread = concurrent.futures.ThreadPoolExecutor(1)
    drawn = sample(options.shapes, options.layers, options.seed, options.cells, OPS)
    record.write(atc, options, record.shard(drawn, options.shard),
                 lambda cell: measured(atc, way, thread, cell, options.samples), way=way.name, mode=MODE,
                 backends=BACKENDS)


if __name__ == "__main__":
    main()
