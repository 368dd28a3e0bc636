"""Whether results of depthwise convolutions change after layers of other sizes have run, on a seeded sample of cells.

    python3 bench/cuda/other_sizes.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out other_sizes.jsonl

cuDNN 9.24 mends wrong results of depthwise convolutions that run after others of other spatial sizes (cudnn-frontend#442).
Each candidate of cuDNN's in a cell's race runs twice on the same operands; then its configuration runs on the layer with
half and with double the spatial extents, and then once more on the operands of before. A line of --out counts the
candidates, those that changed their result only then (`changed`), and those whose first two results differ, which tells
nothing (`not_repeatable`). LibTorch's own convolution, without its search, is held against the same (`torch`).
"""

import torch

import record
from atc_abi import Plan, choice_of
from layers import OPS, SETS, Cell, cells, drawn
from shapes import class_by_shape, read_layers

FACTORS = (0.5, 2)


def others(cell):
    layers = [cell.layer.resized(factor) for factor in FACTORS]
    return [Cell(layer, cell.op, cell.format, cell.layout) for layer in layers if layer]


def verdict(call, operands, between):
    """Returns "same", "changed" (by the cells that ran in between), or "not_repeatable"."""
    results = []
    for step in (None, None, between):
        if step:
            step()
        operands.output().zero_()
        results.append(call(operands).clone())
    if not torch.equal(results[0], results[1]):
        return "not_repeatable"
    return "same" if torch.equal(results[0], results[2]) else "changed"


class Elsewhere:
    """Runs other cells, as far as they can be run. `ran` counts how many were run."""

    def __init__(self, call_of, some):
        self.call_of, self.some, self.ran = call_of, some, 0

    def __call__(self):
        for cell in self.some:
            try:
                self.call_of(cell)(cell.operands())
                self.ran += 1
            except RuntimeError:
                continue  # the engine does not offer the configuration for that size


def planned(atc, choice):
    """Returns the convolution of a cell by one choice."""
    def call_of(cell):
        plan = Plan(atc, cell.problem(atc), choice)

        def call(operands):
            plan.on_current_stream(operands)
            return operands.output()
        return call
    return call_of


def measured(atc, cell):
    cell.switch(atc)
    operands, found = cell.operands(), {"candidates": 0, "ran_elsewhere": 0, "changed": [], "not_repeatable": []}
    torch.backends.cudnn.benchmark = False
    found["torch"] = verdict(cell.torch_call, operands, Elsewhere(lambda one: one.torch_call, others(cell)))
    for one in Plan(atc, cell.problem(atc)).candidates():
        if one.engine != b"cudnn" or one.rewrites or not one.samples:
            continue
        choice = choice_of(one)
        call_of = planned(atc, choice)
        elsewhere = Elsewhere(call_of, others(cell))
        said = verdict(call_of(cell), operands, elsewhere)
        found["candidates"] += 1
        found["ran_elsewhere"] += elsewhere.ran
        if said != "same":
            found[said].append(choice)
    return found


def main():
    parser = record.parser(__doc__)
    parser.add_argument("--cells", type=int, default=120)
    parser.add_argument("--seed", type=int, default=8)
    options = parser.parse_args()
    atc = record.atc_beside_torch(options)
    atc.set("benchmark_cudnn", 1)
    depthwise = [layer for layer in read_layers(options.shapes, options.layers)
                 if class_by_shape(layer).startswith("depthwise")]
    wanted = record.shard(drawn(cells(depthwise, SETS, OPS), options.seed, options.cells), options.shard)
    record.write(atc, options, wanted, lambda cell: measured(atc, cell))


if __name__ == "__main__":
    main()
