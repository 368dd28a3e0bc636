"""Draws a roofline diagram for each class of layers, from the results of against_torch.py: python3
bench/cuda/roofline.py bench/results/h200

Writes roofline.svg into the same folder. A cell has two points, one for LibTorch's benchmark mode and one for atc. The
x axis is the flops of the direct method / the bytes of input, filter and output. The y axis is the flops / the measured
time with cold caches. The roofs are the measured rates in shapes.py. For depthwise layers the roof is the rate of fp32
multiply-adds, in every format.
"""

import math
import pathlib
import sys

from figures import class_of, geomean, layer_of, over_benchmark, over_floor
from rows import parted
from shapes import BYTES_PER_SECOND, ELEMENT_BYTES, FLOPS_PER_SECOND

# Size of a panel, its margins, and the number of panels in a row.
WIDTH, HEIGHT, LEFT, TOP, ACROSS = 300, 220, 44, 30, 3
INTENSITY, RATE = (0.4, 4000), (0.1, 1500)  # flops per byte, TFLOP/s
SIDES = (("benchmark", "#9a9a9a"), ("atc", "#0b62c4"))
ROOFS = (("fp16, bf16", "fp16"), ("TF32", "tf32"), ("fp32", "fp32"))


def on(span, value, length):
    """Returns the position of a value on a logarithmic axis of `length`, from the first to the last value of `span`."""
    low, high = map(math.log10, span)
    return length * (math.log10(min(max(value, span[0]), span[1])) - low) / (high - low)


class Panel:
    """Draws the diagram of one class of layers at its place in the picture: axes, roofs and points."""

    def __init__(self, name, rows, place):
        self.name, self.rows = name, rows
        self.left = LEFT + place % ACROSS * (WIDTH + LEFT)
        self.top = TOP + place // ACROSS * (HEIGHT + 2 * TOP)

    def at(self, intensity, tflops):
        return (round(self.left + on(INTENSITY, intensity, WIDTH), 1),
                round(self.top + HEIGHT - on(RATE, tflops, HEIGHT), 1))

    def axes(self):
        yield f'<rect x="{self.left}" y="{self.top}" width="{WIDTH}" height="{HEIGHT}" class="frame"/>'
        yield f'<text x="{self.left}" y="{self.top - 8}" class="title">{self.title()}</text>'
        for value in (1, 10, 100, 1000):
            x, _ = self.at(value, RATE[0])
            yield f'<text x="{x}" y="{self.top + HEIGHT + 12}" class="x">{value:g}</text>'
        for value in (1, 10, 100, 1000):
            _, y = self.at(INTENSITY[0], value)
            yield f'<path d="M{self.left} {y}h{WIDTH}" class="grid"/>'
            yield f'<text x="{self.left - 4}" y="{y + 3}" class="y">{value:g}</text>'

    def title(self):
        ours, theirs = ([over_floor(row) * factor(row) for row in self.rows]
                        for factor in (lambda row: 1, over_benchmark))
        return f"{self.name}: {len(self.rows)} cells; from the floor {geomean(theirs):.1f} x, atc {geomean(ours):.1f} x"

    def roofs(self):
        depthwise = self.name.startswith("depthwise")
        highest = FLOPS_PER_SECOND["fp32" if depthwise else "fp16"]
        x0, y0 = self.at(INTENSITY[0], INTENSITY[0] * BYTES_PER_SECOND * 1e-12)
        x1, y1 = self.at(highest / BYTES_PER_SECOND, highest * 1e-12)
        yield f'<path d="M{x0} {y0}L{x1} {y1}" class="roof"/>'
        for name, fmt in ROOFS[2:] if depthwise else ROOFS:
            rate = FLOPS_PER_SECOND[fmt]
            x, y = self.at(rate / BYTES_PER_SECOND, rate * 1e-12)
            yield f'<path d="M{x} {y}H{self.left + WIDTH}" class="roof"/>'
            yield f'<text x="{self.left + WIDTH - 3}" y="{y - 3}" class="y">{name}</text>'

    def points(self):
        for side, color in SIDES:
            marks = "".join("M{} {}h0".format(*self.at(*point(row, side))) for row in self.rows)
            yield f'<path d="{marks}" stroke="{color}" class="points"/>'

    def drawn(self):
        return [*self.axes(), *self.roofs(), *self.points()]


def point(row, side):
    """Returns the flops per byte of a cell, and the TFLOP/s of one side (atc or LibTorch) in this cell."""
    layer = layer_of(row)
    return (layer.flops() / (layer.elements(row["op"]) * ELEMENT_BYTES[row["format"]]),
            layer.flops() / row["ms"][side] * 1e-9)


STYLE = """text{font:10px sans-serif;fill:#333}.title{font-weight:bold}.x{text-anchor:middle}.y{text-anchor:end}
.frame{fill:none;stroke:#777}.grid{stroke:#e4e4e4}.roof{fill:none;stroke:#c03a2b}
.points{stroke-width:3.4;stroke-linecap:round;stroke-opacity:.65;fill:none}"""


def picture(folder):
    rows = [row for row in parted(folder / "against_torch.jsonl")[1] if layer_of(row)]
    names = list(dict.fromkeys(map(class_of, rows)))
    panels = [Panel(name, [row for row in rows if class_of(row) == name], place)
              for place, name in enumerate(sorted(names))]
    width = ACROSS * (WIDTH + LEFT) + LEFT // 2
    height = math.ceil(len(panels) / ACROSS) * (HEIGHT + 2 * TOP) + TOP
    yield f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}">'
    yield "<title>Rooflines of the classes of layers</title>"
    yield f"<style>{STYLE}</style>"
    yield f'<rect width="{width}" height="{height}" fill="#fff"/>'
    for panel in panels:
        yield from panel.drawn()
    x, y = LEFT, height - 10
    yield f'<text x="{x}" y="{y}">TFLOP/s over flops per byte</text>'
    for (side, color), name in zip(SIDES, ("LibTorch&#8217;s benchmark mode", "atc")):
        x += 165
        yield f'<path d="M{x} {y - 3}h0" stroke="{color}" class="points"/><text x="{x + 6}" y="{y}">{name}</text>'
    yield "</svg>"


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "roofline.svg").write_text("\n".join(picture(folder)) + "\n")
    print(folder / "roofline.svg")


if __name__ == "__main__":
    main()
