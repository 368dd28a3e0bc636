"""Measures each candidate of a cell in atc's race, and in a graph of calls as in against_torch.py.

A cell is a layer, operation, format and layout.

    python3 bench/cuda/candidates.py --libatc libatc.so.1 --bridge libatc_torch.so.1 --shapes bench/shapes/public.txt \\
        --of rn50_1x1_1024_256_b1,backward-weight,fp32,last --out candidates.jsonl

The two times may differ, which explains the result of a cell: in the race the operands are not in the cache, but in a
graph the ten operand sets of a small layer all fit into the cache.
"""

import statistics

import record
from against_torch import both_tuning
from atc_abi import Plan, choice_of
from layers import OPS, SETS, cells
from shapes import read_layers
from timing import captured, milliseconds, rotation


def measured(atc, way, cell, samples):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    with way.side():
        plan = Plan(atc, problem, front_end=way.front_end)
        found = {choice_of(one): one for one in plan.candidates()}
        kept, why_not = {}, {}
        for choice, one in found.items():
            try:
                call = (cell.torch_call if one.engine == way.front_end else
                        Plan(atc, problem, choice, way.front_end).on_current_stream)
                kept[choice] = (call, *captured(call, sets))
            except RuntimeError as error:
                why_not[choice] = str(error)
        times = milliseconds({choice: one[1] for choice, one in kept.items()}, samples)
    return {"choice": plan.choice(), "sets": len(sets), "candidates": [
        {"choice": choice, "race_ms": 1e3 * one.median, "host_ms": 1e3 * one.host, "launches": one.launches,
         "samples": one.samples, "reason": one.reason.decode(),
         **({"graph_ms": statistics.median(times[choice])} if choice in times else {"no_graph": why_not[choice]})}
        for choice, one in found.items()]}


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--bridge", required=True, metavar="LIBRARY")
    parser.add_argument("--of", nargs="+", required=True, metavar="LAYER,OP,FORMAT,LAYOUT")
    options = parser.parse_args()
    atc, way = both_tuning(options)
    every = cells(read_layers(options.shapes, options.layers), SETS, OPS)
    wanted = [cell for name in options.of for cell in every if ",".join(cell.key().values()) == name]
    record.write(atc, options, wanted, lambda cell: measured(atc, way, cell, options.samples), way=way.name)


if __name__ == "__main__":
    main()
