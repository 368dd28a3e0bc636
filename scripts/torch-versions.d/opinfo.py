"""Compares PyTorch's own samples (OpInfo) of its six convolution functions with and without the bridge, on the CPU: python opinfo.py

Compares the outputs, the gradients and the errors for invalid inputs, in each dtype for which PyTorch has samples. If
the bridge is installed without tuning, it must change no bit, no stride and no text of an error. With tuning, results
must stay within the bound of rounding errors. The script needs the package atc, and a torch that the bridge has a build
for. It prints one line, and exits with 1 if a comparison fails.
"""

import sys
import warnings

import torch

import atc
# This import needs the packages of PyTorch's tests, and must come after the import of torch.
from torch.testing._internal.common_methods_invocations import op_db

warnings.filterwarnings("ignore")
FUNCTIONS = {f"nn.functional.conv{kind}{dims}d" for kind in ("", "_transpose") for dims in (1, 2, 3)}
TUNED = (torch.float32, torch.bfloat16)
failures = []


def results(function, sample, grad=None):
    """Returns the output, and the gradients of all operands that require a gradient."""
    y = function(sample.input, *sample.args, **sample.kwargs)
    operands = [t for t in (sample.input, *sample.args, *sample.kwargs.values()) if isinstance(t, torch.Tensor) and t.requires_grad]
    if not operands:
        return [y]
    if grad is None:
        torch.manual_seed(1)
        grad = torch.randn(y.shape, dtype=y.dtype)
    return [y.detach(), *torch.autograd.grad(y, operands, grad)]


def mapped(sample, change):
    """Returns the sample in float64, with its values changed by `change`."""
    return sample.transform(
        lambda t: change(t.detach().double()).requires_grad_(t.requires_grad) if isinstance(t, torch.Tensor) else t)


def bounds(function, sample, dtype):
    """Returns the largest allowed difference between two sums of the same products. Each sum has an error of at most
    n*u times the sum of the products' magnitudes. Here n is the number of operations of an element (its terms, and the
    rounding of the result), and u is the unit roundoff. The factor n*u is limited to 1."""
    torch.manual_seed(1)
    grad = torch.randn(function(sample.input, *sample.args, **sample.kwargs).shape, dtype=dtype).double()
    sums = results(function, mapped(sample, torch.abs), grad.abs())
    terms = results(function, mapped(sample, torch.ones_like), torch.ones_like(grad))
    unit = torch.finfo(dtype).eps / 2
    return [2 * total * ((count + 1) * unit).clamp(max=1) for total, count in zip(sums, terms)]


def message(error_input):
    sample = error_input.sample_input
    try:
        operator.op(sample.input, *sample.args, **sample.kwargs)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "no error"


def same(ours, theirs):
    return ours.dtype == theirs.dtype and ours.stride() == theirs.stride() and torch.equal(ours, theirs)


samples = errors = values = 0
operators = [o for o in op_db if o.name in FUNCTIONS]
if {o.name for o in operators} != FUNCTIONS:
    sys.exit(f"opinfo: this torch has samples for {sorted(o.name for o in operators)} alone")
for operator in operators:
    for dtype in sorted(operator.supported_dtypes("cpu"), key=str):
        gradients = dtype in operator.supported_backward_dtypes("cpu")
        for sample in operator.sample_inputs("cpu", dtype, requires_grad=gradients):
            samples += 1
            where = f"{operator.name} {dtype} {sample.summary()}"
            theirs = results(operator.op, sample)
            atc.torch.install()
            atc.torch.reset_statistics()
            ours = results(operator.op, sample)
            seen = atc.torch.statistics()
            if not all(map(same, ours, theirs)):
                failures.append(f"{where}: other bits or strides")
            if seen.taken or sum(seen.passed.values()) < 1 + (len(theirs) > 1):
                failures.append(f"{where}: not every convolution was seen, or one was taken: {seen}")
            if dtype in TUNED:
                atc.torch.install(tune=True, budget=0.05)
                atc.torch.reset_statistics()
                ours = results(operator.op, sample)
                values += atc.torch.statistics().taken
                atc.torch.uninstall()
                for our, their, bound in zip(ours, theirs, bounds(operator.op, sample, dtype)):
                    if not ((our.double() - their.double()).abs() <= bound).all():
                        failures.append(f"{where}: tuned, further apart than rounding errors")
            atc.torch.uninstall()
    for error_input in operator.error_inputs("cpu") if operator.error_inputs_func else ():
        errors += 1
        theirs = message(error_input)
        for tune in (False, True):
            atc.torch.install(tune=tune)
            ours = message(error_input)
            atc.torch.uninstall()
            if ours != theirs:
                failures.append(f"{operator.name}: {ours!r} in place of {theirs!r}")
if values == 0:
    failures.append("no convolution ran in atc's implementations, tuned or not")
for failure in failures[:20]:
    print(f"opinfo: {failure}", file=sys.stderr)
print(f"{samples} samples, {errors} error inputs" + (f", {len(failures)} FAILED" if failures else ""))
sys.exit(bool(failures))
