"""Tests whether results of depthwise convolutions change after layers of other sizes have run.

Measures a random sample of cells.

    python3 bench/cuda/other_sizes.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --out other_sizes.jsonl

Before cuDNN 9.24, a depthwise convolution could give wrong results if convolutions of other spatial sizes had run
before (cudnn-frontend#442). The test of a candidate of cuDNN has three steps. First the candidate runs twice on the
same operands. Then its configuration runs on the layer with half and with double the spatial extents. Then the
candidate runs once more on the first operands. A line of --out is a cell and counts its candidates. `changed` counts
the candidates whose third result differs although the first two are equal. `not_repeatable` counts the candidates whose
first two results differ; for them the test has no result. LibTorch's own convolution, without its search, is tested in
the same way (`torch`).
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
    """Returns "same", "changed" (the result changed after `between` ran), or "not_repeatable" (two runs in a row have
    different results)."""
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
    """Runs the convolutions of cells of other sizes. Cells that cannot run are left out. `ran` is the number of cells
    that ran."""

    def __init__(self, call_of, some):
        self.call_of, self.some, self.ran = call_of, some, 0

    def __call__(self):
        for cell in self.some:
            try:
                self.call_of(cell)(cell.operands())
                self.ran += 1
            except RuntimeError:
                continue  # the engine does not offer this configuration for this size, so the size is left out


def planned(atc, choice):
    """Returns a function that runs the convolution of a cell by this choice."""
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
