"""Layers of bench/shapes/public.txt as problems of atc and as tensors of LibTorch."""

import ctypes
import random

import torch

from atc_abi import CUDA, DIRECTIONS, DTYPES, LAYOUTS, _abi
from shapes import read_layers

# The number formats in which layers are measured, each with the data type of its tensors. `tf32` means f32 tensors with
# TF32 allowed. A format and a layout together name a set of measurements, such as fp16-last.
FORMATS = {"fp32": "f32", "tf32": "f32", "fp16": "f16", "bf16": "bf16"}
TORCH_DTYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
OPS = list(DIRECTIONS)
SETS = [f"{fmt}-{layout}" for layout in LAYOUTS for fmt in FORMATS]


def problem(atc, layer, op, dtype, layout):
    p = _abi.atc_conv_problem()
    atc.check(atc.lib.atc1_conv_problem_init_sized(ctypes.byref(p), ctypes.c_size_t(ctypes.sizeof(p)), len(layer.input)))
    p.direction, p.layout = DIRECTIONS[op], LAYOUTS[layout]
    if op == "forward-bias":
        p.epilogue = _abi.ATC_EPILOGUE_BIAS
    p.x_dtype = p.w_dtype = p.y_dtype = DTYPES[dtype][0]
    p.batch, p.in_channels, p.out_channels, p.groups = layer.n, layer.c, layer.k, layer.groups
    for i, values in enumerate(zip(layer.input, layer.kernel, layer.stride, layer.dil, layer.pad, layer.pad)):
        p.input[i], p.kernel[i], p.stride[i], p.dilation[i], p.padding_low[i], p.padding_high[i] = values
    return p


class Operands:
    """The tensors x, w, bias and y of a layer."""

    def __init__(self, layer, op, dtype, layout):
        shapes = {"x": [layer.n, layer.c, *layer.input], "w": [layer.k, layer.c // layer.groups, *layer.kernel],
                  "y": [layer.n, layer.k, *layer.output]}
        kind = torch.contiguous_format
        if layout == "last":
            kind = torch.channels_last if len(layer.input) == 2 else torch.channels_last_3d
        self.op, self.dtype, self.layout = op, dtype, layout
        for name, shape in shapes.items():
            tensor = torch.randn(shape, device="cuda").to(TORCH_DTYPES[dtype]).contiguous(memory_format=kind)
            setattr(self, name, tensor)
        self.bias = torch.randn([layer.k], device="cuda").to(TORCH_DTYPES[dtype]) if op == "forward-bias" else None

    def copy(self, output_alone=False):
        """Returns a copy with the same values in other memory. With `output_alone` only the output is in other
        memory."""
        other = object.__new__(Operands)
        other.op, other.dtype, other.layout, other.bias = self.op, self.dtype, self.layout, self.bias
        for name in ("x", "w", "y"):
            tensor = getattr(self, name)
            setattr(other, name, tensor if output_alone and name != self.output_name() else tensor.clone())
        return other

    def output_name(self):
        return {"backward-data": "x", "backward-weight": "w"}.get(self.op, "y")

    def output(self):
        return getattr(self, self.output_name())

    def bytes(self):
        return sum(t.numel() * t.element_size() for t in (self.x, self.w, self.y))

    def views(self):
        return [view(t, self.dtype, self.layout) for t in (self.x, self.w)] + [
            None if self.bias is None else view(self.bias, self.dtype, "first"), view(self.y, self.dtype, self.layout)]


def strides(shape, layout):
    """Returns the strides that atc treats as dense. If an extent is 1, torch may have other strides for this
    dimension."""
    order = list(range(len(shape))) if layout == "first" else [0, *range(2, len(shape)), 1]
    result, step = [0] * len(shape), 1
    for dim in reversed(order):
        result[dim] = step
        step *= shape[dim]
    return result


def view(tensor, dtype, layout):
    shape = (ctypes.c_int64 * tensor.dim())(*tensor.shape)
    steps = (ctypes.c_int64 * tensor.dim())(*strides(list(tensor.shape), layout))
    element = _abi.atc_data_type(*DTYPES[dtype][1], 1)
    result = _abi.atc_tensor_view(tensor.data_ptr(), CUDA, tensor.dim(), element, shape, steps, 0)
    result.owners = (tensor, shape, steps)
    return result


def torch_forward(layer, x, w, bias):
    return torch.ops.aten.convolution(x, w, bias, layer.stride, layer.pad, layer.dil, False, [0] * len(layer.input),
                                      layer.groups)


def torch_call(layer, op, o):
    """Runs LibTorch's own convolution on the operands `o`."""
    if op in ("forward", "forward-bias"):
        return torch_forward(layer, o.x, o.w, o.bias)
    no_output_padding = [0] * len(layer.input)
    mask = [op == "backward-data", op == "backward-weight", False]
    results = torch.ops.aten.convolution_backward(o.y, o.x, o.w, None, layer.stride, layer.pad, layer.dil, False,
                                                  no_output_padding, layer.groups, mask)
    return next(t for t in results if t is not None)


class Cell:
    """A cell of a measurement: one layer, operation, number format and layout."""

    def __init__(self, layer, op, fmt, layout):
        self.layer, self.op, self.format, self.layout = layer, op, fmt, layout
        self.dtype = FORMATS[fmt]

    def key(self):
        return {"layer": self.layer.name, "op": self.op, "format": self.format, "layout": self.layout}

    def switch(self, atc):
        torch.backends.cudnn.allow_tf32 = self.format != "fp32"
        atc.set("allow_tf32_cudnn", int(self.format != "fp32"))

    def problem(self, atc):
        return problem(atc, self.layer, self.op, self.dtype, self.layout)

    def operands(self):
        return Operands(self.layer, self.op, self.dtype, self.layout)

    def torch_call(self, operands):
        return torch_call(self.layer, self.op, operands)


def cells(layers, sets, ops):
    """Returns the cells of the layers in these sets (such as fp16-last) and operations."""
    return [Cell(layer, op, *chosen.split("-")) for chosen in sets for op in ops for layer in layers]


def drawn(everything, seed, count):
    """Returns a random sample of these cells. Equal seeds give equal samples."""
    random.Random(seed).shuffle(everything)
    return everything[:count]


def sample(path, layers, seed, count, ops=OPS):
    """Returns a random sample of all cells. Equal seeds give equal samples."""
    return drawn(cells(read_layers(path, layers), SETS, ops), seed, count)


def one_of_each(layers, seed):
    """Returns one random cell for each of these layers. Equal seeds give equal cells."""
    draw = random.Random(seed)
    return [Cell(layer, draw.choice(OPS), *draw.choice(SETS).split("-")) for layer in layers]
