"""Computes figures from the rows of raw results, for the pages of results: gains over LibTorch, ratios to the
floor (the least time that the device allows), classes of layers, geometric means."""

import math
import statistics

from shapes import FOLDER, Layer, class_by_shape, floor_ms, read_classes, read_layers

LAYERS = {layer.name: layer for file in ("public.txt", "networks.txt") for layer in read_layers(FOLDER / file)}
CLASSES = read_classes()
HALF = ("fp16", "bf16")


def geomean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def gain(row, times="ms"):
    """Returns the time of the faster of LibTorch's two modes, divided by atc's time."""
    return min(row[times]["heuristic"], row[times]["benchmark"]) / row[times]["atc"]


def over_benchmark(row):
    """Returns the time of LibTorch's benchmark mode, divided by atc's time."""
    return row["ms"]["benchmark"] / row["ms"]["atc"]


def layer_of(row):
    """Returns the class of a row's layer. The class comes from the list of classes, or from the row if the layer is not
    in the list. If neither has a class, None is returned."""
    return Layer(f"{row['layer']} {row['shape']}") if "shape" in row else LAYERS.get(row["layer"])


def over_floor(row):
    """Returns atc's time divided by the least time that the device allows for the cell."""
    return row["ms"]["atc"] / floor_ms(layer_of(row), row["op"], row["format"])


def class_of(row):
    layer = layer_of(row)
    return class_by_shape(layer) if layer else "other"


def key(row):
    return row["layer"], row["op"], row["format"], row["layout"]


def span(values):
    return f"{geomean(values):.3f} ({min(values):.2f} to {max(values):.2f})"


def mean_or_none(values):
    return f"{geomean(values):.2f}" if values else "-"
