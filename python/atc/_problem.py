"""The description of a convolution: shapes, types, layout."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Dict, Optional, Sequence, Tuple, Union, cast

from . import _abi
from ._errors import InvalidArgument
from ._handle import read_bytes
from ._library import call
from ._names import (ACTIVATIONS, DIRECTIONS, DTYPES, EPILOGUES, LAYOUTS, OPERANDS, Activation, Direction, DType,
                     Epilogue, Layout, Operand, number)
from ._numbers import integer, real

Extents = Union[int, Sequence[int]]
Padding = Union[int, Sequence[Union[int, Tuple[int, int]]]]
Strides = Tuple[Sequence[int], Sequence[int], Sequence[int]]

_PARAMETERS = ("activation_low", "activation_high", "activation_slope")
_ALIASES = {"float32": "f32", "bfloat16": "bf16", "float16": "f16"}


@dataclass(frozen=True)
class Problem:
    """The description of a convolution: shapes, types and direction. Extents are numbers of elements. A list has one
    entry for each spatial dimension. A single number is used for every dimension.

        Problem(batch=8, in_channels=64, input=(56, 56), out_channels=128, kernel=3, padding=1, dtype="bf16")

    The shapes are x `[batch, in_channels, *input]`, y `[batch, out_channels, *output]`, w `[out_channels, in_channels
    / groups, *kernel]` (transposed: `[in_channels, out_channels / groups, *kernel]`), whatever the layout. If a list
    has a wrong length, or a number does not fit into 64 bits, the constructor raises `InvalidArgument`. libatc checks
    everything else when the problem is used, or in `validate`."""

    batch: int
    in_channels: int
    input: Sequence[int]  # spatial extents of x: W, (H, W) or (D, H, W)
    out_channels: int
    kernel: Extents = 1
    stride: Extents = 1
    # The number of zeros on each of the two sides of a dimension of x. Or a pair (low, high): the number of zeros
    # before the first element and after the last element of the dimension.
    padding: Padding = 0
    dilation: Extents = 1
    groups: int = 1
    # The operand that is computed: y ("forward"), x ("backward-data") or w ("backward-weight")
    direction: Direction = "forward"
    # One number type for all tensors, or a tuple with the types of x, w and y.
    dtype: Union[DType, Tuple[DType, DType, DType]] = "f32"
    layout: Layout = "channels-first"
    transposed: bool = False
    output_padding: Extents = 0  # elements added at the end of each output dimension; for transposed problems only
    epilogue: Epilogue = "none"  # a bias, or a bias and a ReLU, after the convolution; for forward problems only
    accumulate: bool = False  # True: the result is added to the old contents of the output
    # The strides of x, w and y in elements. If they are given, the layout is "strided".
    strides: Optional[Strides] = None
    # For forward problems only: y = activation(scale[k] * sum + bias[k] + residual). An `activation` other
    # than "none" needs the epilogue "none" or "bias".
    scale: bool = False  # True: the sum is multiplied by a number for each channel of the output
    residual: bool = False  # True: a tensor with y's shape, strides and type is added
    activation: Activation = "none"
    activation_low: float = 0.0  # the lower limit of "clamp", in the range of y's type; 0 for all other activations
    activation_high: float = 0.0
    activation_slope: float = 0.0  # the slope of "leaky-relu", 0 to 1; 0 for all other activations

    def __post_init__(self) -> None:
        shape = [self.input] if isinstance(self.input, int) else list(self.input)
        dims = len(shape)
        if not 1 <= dims <= 3:
            raise InvalidArgument(f"input has {dims} entries: a convolution has 1 to 3 spatial dims")
        self._set("input", tuple(integer("input", extent) for extent in shape))
        for name in ("batch", "in_channels", "out_channels", "groups"):
            self._set(name, integer(name, getattr(self, name)))
        for name in ("kernel", "stride", "dilation", "output_padding"):
            self._set(name, _extents(name, getattr(self, name), dims))
        self._set("padding", _padding(self.padding, dims))
        for name, names in (("direction", DIRECTIONS), ("layout", LAYOUTS), ("epilogue", EPILOGUES),
                            ("activation", ACTIVATIONS)):
            number(name, getattr(self, name), names)
        for name in ("transposed", "accumulate", "scale", "residual"):
            self._set(name, bool(getattr(self, name)))
        for name in _PARAMETERS:
            self._set(name, real(name, getattr(self, name)))
        given = self.dtype if isinstance(self.dtype, (tuple, list)) else (self.dtype,) * 3
        if len(given) != 3:
            raise InvalidArgument(f"dtype has {len(given)} entries: it is one type, or those of x, w and y")
        types = tuple(_dtype(one) for one in given)
        self._set("dtype", types[0] if len(set(types)) == 1 else types)
        if self.strides is not None:
            if len(self.strides) != 3:
                raise InvalidArgument(f"strides has {len(self.strides)} entries: they are those of x, w and y")
            self._set("strides", tuple(_extents(f"{name}_strides", tuple(one), dims + 2)
                                       for name, one in zip("xwy", self.strides)))
            self._set("layout", "strided")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def validate(self) -> None:
        """Checks every value of the problem. `InvalidArgument` names a wrong value."""
        self.shape("y")

    def describe(self) -> str:
        """Returns the problem in one line, as reports and messages show it."""
        return read_bytes("conv_problem_describe", ctypes.byref(self._raw())).decode()

    def shape(self, operand: Operand) -> Tuple[int, ...]:
        """Returns the shape of a tensor. The order of the dimensions does not depend on the layout."""
        return self._geometry(operand)[0]

    def strides_of(self, operand: Operand) -> Tuple[int, ...]:
        """Returns the strides of a tensor in elements, in the order of `shape`."""
        return self._geometry(operand)[1]

    def _geometry(self, operand: Operand) -> Tuple[Tuple[int, ...], Tuple[int, ...]]:
        shape, strides = (ctypes.c_int64 * 5)(), (ctypes.c_int64 * 5)()
        call("conv_operand_shape", shape, strides, ctypes.byref(self._raw()), number("operand", operand, OPERANDS))
        count = 1 if operand in ("bias", "scale") else len(self.input) + 2
        return tuple(shape[:count]), tuple(strides[:count])

    @classmethod
    def _from_raw(cls, raw: _abi.atc_conv_problem) -> Problem:
        dims = raw.spatial_dims
        # Each dictionary maps the numbers of one of libatc's enumerations to names. The names have the type Any here,
        # because mypy cannot know that they are the names in the types Direction, DType and so on.
        dtypes, epilogues, layouts, directions, activations = (
            cast(Dict[int, Any], {value: name for name, value in names.items()})
            for names in (DTYPES, EPILOGUES, LAYOUTS, DIRECTIONS, ACTIVATIONS))
        strides: Any = tuple(tuple(getattr(raw, f"{name}_strides")[:dims + 2]) for name in "xwy")
        layout = layouts[raw.layout]
        return cls(batch=raw.batch, in_channels=raw.in_channels, input=raw.input[:dims], out_channels=raw.out_channels,
                   kernel=raw.kernel[:dims], stride=raw.stride[:dims], dilation=raw.dilation[:dims], groups=raw.groups,
                   padding=tuple(zip(raw.padding_low[:dims], raw.padding_high[:dims])),
                   output_padding=raw.output_padding[:dims], direction=directions[raw.direction],
                   dtype=(dtypes[raw.x_dtype], dtypes[raw.w_dtype], dtypes[raw.y_dtype]),
                   transposed=bool(raw.transposed), epilogue=epilogues[raw.epilogue], accumulate=bool(raw.accumulate),
                   layout=layout, strides=strides if layout == "strided" else None, scale=bool(raw.scale),
                   residual=bool(raw.residual), activation=activations[raw.activation],
                   **{name: getattr(raw, name) for name in _PARAMETERS})

    def _raw(self) -> _abi.atc_conv_problem:
        dims = len(self.input)
        types = self.dtype if isinstance(self.dtype, tuple) else (self.dtype,) * 3
        low, high = zip(*cast(Tuple[Tuple[int, int], ...], self.padding))
        raw = _abi.atc_conv_problem(
            struct_size=ctypes.sizeof(_abi.atc_conv_problem), direction=DIRECTIONS[self.direction], spatial_dims=dims,
            transposed=self.transposed, batch=self.batch, in_channels=self.in_channels, out_channels=self.out_channels,
            groups=self.groups, x_dtype=DTYPES[types[0]], w_dtype=DTYPES[types[1]], y_dtype=DTYPES[types[2]],
            layout=LAYOUTS[self.layout], epilogue=EPILOGUES[self.epilogue], accumulate=self.accumulate,
            scale=self.scale, residual=self.residual, activation=ACTIVATIONS[self.activation],
            **{name: getattr(self, name) for name in _PARAMETERS})
        for field, values in (("input", self.input), ("kernel", self.kernel), ("stride", self.stride),
                              ("dilation", self.dilation), ("padding_low", low), ("padding_high", high),
                              ("output_padding", self.output_padding)):
            getattr(raw, field)[:dims] = values
        for name, values in zip("xwy", self.strides or ()):
            getattr(raw, f"{name}_strides")[:dims + 2] = values
        return raw


def _extents(name: str, given: Extents, dims: int) -> Tuple[int, ...]:
    values = tuple(given) if isinstance(given, (tuple, list)) else (given,) * dims
    if len(values) != dims:
        raise InvalidArgument(f"{name} has {len(values)} entries for a problem that needs {dims}")
    return tuple(integer(name, value) for value in values)


def _padding(given: Padding, dims: int) -> Tuple[Tuple[int, int], ...]:
    values = tuple(given) if isinstance(given, (tuple, list)) else (given,) * dims
    if len(values) != dims:
        raise InvalidArgument(f"padding has {len(values)} entries for a problem that needs {dims}")
    pairs = []
    for value in values:
        pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
        if len(pair) != 2:
            raise InvalidArgument(f"padding is {value!r} in a dimension: it is a number or a pair (low, high)")
        pairs.append((integer("padding", pair[0]), integer("padding", pair[1])))
    return tuple(pairs)


def _dtype(given: Any) -> str:
    """Returns atc's name of a number type. `given` may also be a type of torch or numpy, or the name of such a
    type."""
    name = given if isinstance(given, str) else getattr(given, "name", getattr(given, "__name__", str(given)))
    name = name.rpartition(".")[2]
    name = _ALIASES.get(name, name)
    number("dtype", name, DTYPES)
    return str(name)
