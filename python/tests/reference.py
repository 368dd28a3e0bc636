"""Computes convolutions with numpy in double precision, and the largest error that a result may have."""

import itertools

import numpy

# For each type, half the distance between 1 and the next larger number of the type. This is the largest relative error
# of one rounding.
UNIT = {"f32": 2.0 ** -24, "f16": 2.0 ** -11, "bf16": 2.0 ** -8}


def compute(problem, x, w, y):
    """Returns three values for each element of the output: the result, the sum of the magnitudes of its products, and
    the number of its products."""
    result = _sums(problem, x, w, y)
    magnitude = _sums(problem, abs(x), abs(w), abs(y))
    return result, magnitude, _longest_sum(problem)


def tolerance(problem, result, magnitude, length):
    """Returns the largest error that a result may have. The operands have at most 24 bits, and the products are added
    up in f32, in any order. Each product and each addition has a relative error of at most UNIT["f32"]. So to first
    order the error of a sum of `length` products is at most (length + 1) * UNIT["f32"] * `magnitude`. Twice this bound
    covers the higher orders. Then the sum is rounded once to the type of the output, whose smallest numbers have a
    fixed distance."""
    dtype = problem.dtype
    smallest = {"f32": 2.0 ** -149, "f16": 2.0 ** -24, "bf16": 2.0 ** -133}[dtype]
    in_f32 = 2.0 * (length + 1) * UNIT["f32"] * magnitude
    return in_f32 + UNIT[dtype] * (abs(result) + in_f32) + smallest


def _longest_sum(problem):
    x, w, y = (problem.shape(name) for name in "xwy")
    taps = int(numpy.prod(w[2:]))
    if problem.direction == "backward-weight":
        return x[0] * int(numpy.prod(y[2:]))
    return (w[1] if (problem.direction == "forward") != problem.transposed else w[0] // problem.groups) * taps


def _sums(problem, x, w, y):
    """Returns the output by the definition of the convolution, one tap of the kernel after the other. A transposed
    convolution is the adjoint of the convolution from y to x."""
    wide, narrow = (y, x) if problem.transposed else (x, y)
    groups, output = problem.groups, {"forward": "y", "backward-data": "x", "backward-weight": "w"}[problem.direction]
    goal = "w" if output == "w" else "wide" if (output == "y") == problem.transposed else "narrow"
    low, high = zip(*problem.padding)
    reach = [max(extent + a + b, (out - 1) * s + (k - 1) * d + 1) for extent, a, b, out, s, k, d in
             zip(wide.shape[2:], low, high, narrow.shape[2:], problem.stride, w.shape[2:], problem.dilation)]
    padded = numpy.zeros((*wide.shape[:2], *reach))
    inner = (slice(None), slice(None), *[slice(a, a + extent) for a, extent in zip(low, wide.shape[2:])])
    if goal != "wide":
        padded[inner] = wide
    sums = numpy.zeros(narrow.shape if goal == "narrow" else w.shape)
    for group in range(groups):
        at_wide = slice(group * w.shape[1], (group + 1) * w.shape[1])
        per_group = narrow.shape[1] // groups
        at_narrow = slice(group * per_group, (group + 1) * per_group)
        for tap in itertools.product(*map(range, w.shape[2:])):
            window = (slice(None), at_wide, *[slice(t * d, t * d + (out - 1) * s + 1, s) for t, d, s, out in
                                              zip(tap, problem.dilation, problem.stride, narrow.shape[2:])])
            weights = w[(at_narrow, slice(None), *tap)]
            if goal == "narrow":
                sums[:, at_narrow] += numpy.einsum("nc...,kc->nk...", padded[window], weights)
            elif goal == "wide":
                padded[window] += numpy.einsum("nk...,kc->nc...", narrow[:, at_narrow], weights)
            else:
                axes = [0, *range(2, narrow.ndim)]
                products = numpy.tensordot(narrow[:, at_narrow], padded[window], (axes, axes))
                sums[(at_narrow, slice(None), *tap)] = products
    return padded[inner] if goal == "wide" else sums
