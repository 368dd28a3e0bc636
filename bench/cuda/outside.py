"""Draws random layers that are not in the public list. Equal seeds give equal layers. The layers are of kinds that
networks have, but kernels were not optimised for their sizes."""

import random

from shapes import Layer

# The largest number of elements that the tensors of a layer have together, and the largest number of its operations.
# With these limits, measuring a cell (a layer, operation, format and layout) takes less than a second.
MOST_ELEMENTS, MOST_FLOPS = 1 << 26, 2e11
LEAST_ELEMENTS = 1 << 17


def around(draw, low, high):
    """Draws a number of channels between `low` and `high` from a log-uniform distribution. A third of the numbers
    are not multiples of four."""
    value = round(low * (high / low) ** draw.random())
    return value if draw.random() < 1 / 3 else max(low, value // 4 * 4)


def dense(draw):
    kernel = draw.choice((1, 1, 3, 3, 3, 5, 7))
    return {"c": around(draw, 5, 1024), "k": around(draw, 4, 1024), "kernel": kernel,
            "dilation": draw.choice((1, 1, 1, 2, 3)) if kernel == 3 else 1}


def first(draw):
    kernel = draw.choice((3, 3, 5, 7, 11))
    return {"c": draw.choice((1, 2, 3, 3, 4)), "k": around(draw, 8, 128), "kernel": kernel, "extent": (64, 320)}


def grouped(draw):
    groups = around(draw, 2, 64)
    return {"c": groups * draw.choice((2, 3, 4, 8, 12, 16, 24, 32, 48, 64)), "groups": groups,
            "k": groups * draw.choice((2, 4, 8, 10, 16, 24, 32, 64)), "kernel": draw.choice((1, 3, 3, 3, 5))}


def depthwise(draw):
    channels = around(draw, 8, 1536)
    kernel = draw.choice((3, 3, 3, 5, 5, 7, 9, 11, 15))
    return {"c": channels, "k": channels * draw.choice((1, 1, 1, 1, 2)), "groups": channels, "kernel": kernel,
            "dilation": draw.choice((1, 1, 1, 1, 2)) if kernel <= 5 else 1}


def patch(draw):
    kernel = draw.choice((2, 2, 4, 8, 14, 16))
    return {"c": around(draw, 24, 512) if kernel == 2 else draw.choice((1, 3, 3, 4)), "k": around(draw, 32, 1024),
            "kernel": kernel, "extent": (32, 256), "tiled": True}


def line(draw, name):
    """Draws a layer, and returns its row in the format of public.txt. The layer may be invalid or too large; the
    caller has to check it."""
    made = draw.choices((dense, first, grouped, depthwise, patch), (7, 2, 4, 5, 2))[0]
    one = {"groups": 1, "dilation": 1, "extent": (5, 160), "tiled": False, **made(draw)}
    dimensions = draw.choices((1, 2, 3), (3, 14, 3))[0]
    low, high = one["extent"]
    if dimensions == 1:
        low, high = 16 * low, 32 * high
    elif dimensions == 3:
        low, high = min(low, 16), high // 4
    kernel, dilation = one["kernel"], one["dilation"]
    extents = [around(draw, low, high) for _ in range(dimensions)]
    if dimensions == 2 and draw.random() < 0.7:
        extents = extents[:1] * 2
    stride = kernel if one["tiled"] else draw.choice((1, 1, 1, 2))
    padding = 0 if one["tiled"] else draw.choice((dilation * (kernel - 1) // 2,) * 4 + (0,))
    d, h, w = ([0, 1] if dimensions == 1 else [0] if dimensions == 2 else []) + extents
    t, r, s = [kernel if dimensions == 3 else 0, 1 if dimensions == 1 else kernel, kernel]
    n = around(draw, 1, 64)
    return f"{name} {n} {one['c']} {d} {h} {w} {one['k']} {t} {r} {s} {padding} {stride} {dilation} {one['groups']}"


def fits(layer):
    elements = layer.elements("forward")
    return min(layer.output) >= 1 and LEAST_ELEMENTS <= elements <= MOST_ELEMENTS and layer.flops() <= MOST_FLOPS


def random_layers(count, seed):
    draw, layers = random.Random(seed), []
    while len(layers) < count:
        layer = Layer(line(draw, f"random_{len(layers)}"))
        if fits(layer):
            layers.append(layer)
    return layers
