"""Reads the layers of bench/shapes/public.txt and their classes, and computes the floor of a cell: the least time that
the device needs for the cell's bytes and flops."""

import copy
import math
import pathlib

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "shapes"

# The rates of the H200 in bench/results/h200, as measured by a copy, and by a matrix product of 8192 x 8192 x 8192 in
# each format. A depthwise layer has sums of few products, so it cannot use the tensor cores. Its rate is the rate of
# fp32 multiply-adds, in every format.
BYTES_PER_SECOND = 4.26e12
FLOPS_PER_SECOND = {"fp32": 51e12, "tf32": 368e12, "fp16": 776e12, "bf16": 775e12}
ELEMENT_BYTES = {"fp32": 4, "tf32": 4, "fp16": 2, "bf16": 2}


class Layer:
    def __init__(self, line):
        fields = line.split("#")[0].split()
        self.name, self.shape = fields[0], " ".join(fields[1:])
        n, c, d, h, w, k, t, r, s = map(int, fields[1:10])
        pad, stride, dil = ([int(value) for value in field.split(",")] for field in fields[10:13])
        groups = int(fields[13])
        self.n, self.c, self.k, self.groups = n, c, k, groups
        self.input, self.kernel = ([d, h, w], [t, r, s]) if d else ([h, w], [r, s])
        spatial = len(self.input)
        flat = not d and h == 1 and r == 1
        self.pad, self.stride, self.dil = (
            values if len(values) > 1 else [neutral, *values] if flat else values * spatial
            for values, neutral in ((pad, 0), (stride, 1), (dil, 1)))
        self.output = self.output_of(self.input)

    def output_of(self, extents):
        return [(i + 2 * p - e * (m - 1) - 1) // q + 1
                for i, m, p, q, e in zip(extents, self.kernel, self.pad, self.stride, self.dil)]

    def resized(self, factor):
        """Returns the layer with its spatial extents multiplied by `factor`. If the layer becomes larger, the batch is
        reduced, to at least 1, so that x has about as many elements as before. Returns None if the new layer has no
        output."""
        other = copy.copy(self)
        other.name = f"{self.name}_x{factor:g}"
        other.input = [i if i == 1 else max(1, int(i * factor)) for i in self.input]
        other.n = max(1, int(self.n * min(1, math.prod(self.input) / math.prod(other.input))))
        other.output = self.output_of(other.input)
        return other if min(other.output) > 0 else None

    def flops(self):
        """Returns the number of floating-point operations of the direct method."""
        return 2 * self.n * self.k * math.prod(self.output) * self.c // self.groups * math.prod(self.kernel)

    def elements(self, op):
        """Returns one sum: the number of elements of the input, plus those of the filter, plus those of the output. If
        the operation has a bias, the elements of the bias are included in the sum."""
        return (self.n * self.c * math.prod(self.input) + self.k * self.c // self.groups * math.prod(self.kernel)
                + self.n * self.k * math.prod(self.output) + (self.k if op == "forward-bias" else 0))


def read_layers(path, first=0):
    """Returns the layers of a file. A transposed convolution is the backward-data of another convolution, and its row
    describes this other convolution."""
    with open(path) as file:
        layers = [Layer(line) for line in file if line.strip() and not line.startswith("#")]
    return layers[:first or None]


def read_classes(path=FOLDER / "classes.txt"):
    """Returns the class of each layer, by the layer's name."""
    with open(path) as file:
        return dict(line.split() for line in file if line.strip() and not line.startswith("#"))


def class_by_shape(layer):
    """Returns the class of any layer, by the rules at the beginning of classes.txt."""
    spatial = len([extent for extent in layer.input if extent > 1])
    if layer.groups > 1:
        return "grouped" if layer.groups < layer.c else "depthwise-1d" if spatial == 1 else "depthwise"
    if max(layer.kernel) > 1 and all(kernel <= stride for kernel, stride in zip(layer.kernel, layer.stride)):
        return "video-patch" if len(layer.input) == 3 else "patch"
    if layer.c <= 4:
        return "first"
    if len(layer.input) == 3:
        return "3d"
    return "batch-1" if layer.n == 1 else "dense"


def floor_ms(layer, op, fmt):
    """Returns the floor in milliseconds. It is the longer of two times: the time of the cell's bytes at the rate of a
    copy, and the time of its flops at the rate of a matrix product."""
    depthwise = layer.groups == layer.c and layer.groups > 1
    rate = FLOPS_PER_SECOND["fp32" if depthwise else fmt]
    return 1e3 * max(layer.elements(op) * ELEMENT_BYTES[fmt] / BYTES_PER_SECOND, layer.flops() / rate)
