"""Writes the samples with which PyTorch's own tests (OpInfo) test its six convolution functions. tests/opinfo.rs reads them.

    python make.py > cases.txt

Needs torch and the packages of torch's tests (scripts/torch-versions makes such environments). Each line is a case: the function;
the shapes of input, weight and bias ("-": none); stride; padding at the beginning and at the end; dilation; groups; output padding.
An input without a batch dimension gets a batch of 1.
"""

import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db  # this import needs the packages of torch's tests

warnings.filterwarnings("ignore")


def each(value, dims):
    return [value] * dims if isinstance(value, int) else list(value)


def padding_of(value, kernel, dilation):
    """Returns the padding at the beginning and at the end of each dimension. `value` may be a name: "valid" or "same"."""
    if value == "valid":
        value = 0
    if value == "same":
        whole = [d * (k - 1) for k, d in zip(kernel, dilation)]
        return [total // 2 for total in whole], [total - total // 2 for total in whole]
    sides = each(value, len(kernel))
    return sides, sides


def line_of(function, sample):
    dims = int(function[-2])
    names = (("bias", None), ("stride", 1), ("padding", 0), *(
        (("output_padding", 0), ("groups", 1), ("dilation", 1)) if "transpose" in function else
        (("dilation", 1), ("groups", 1))))
    weight, *rest = sample.args if sample.args else (sample.kwargs["weight"],)
    values = dict(names)
    values.update(zip((name for name, _ in names), rest))
    values.update({name: value for name, value in sample.kwargs.items() if name in values})
    x, w, bias = list(sample.input.shape), list(weight.shape), values["bias"]
    if len(x) == dims + 1:
        x.insert(0, 1)
    kernel, dilation = w[2:], each(values["dilation"], dims)
    low, high = padding_of(values["padding"], kernel, dilation)
    lists = (x, w, list(bias.shape) if bias is not None else None, each(values["stride"], dims), low, high, dilation,
             [values["groups"]], each(values.get("output_padding", 0), dims))
    return " ".join([function.rsplit(".", 1)[1]] + ["-" if entry is None else ",".join(map(str, entry)) for entry in lists])


def main():
    functions = [f"nn.functional.conv{kind}{dims}d" for kind in ("", "_transpose") for dims in (1, 2, 3)]
    lines = {}
    for operator in op_db:
        if operator.name in functions:
            for sample in operator.sample_inputs("cpu", torch.float32):
                lines[line_of(operator.name, sample)] = None
    print(f"# Samples of PyTorch {torch.__version__.split('+')[0]}, written by make.py.")
    print("\n".join(lines))
    return 0 if lines else f"make: torch {torch.__version__} has no samples of these functions"


if __name__ == "__main__":
    sys.exit(main())
