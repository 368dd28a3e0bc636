"""Measures how good the choices of tuning are on the CPU, and how long tuning takes. The layers are in the 14-column
text format of the built-in networks:

    bench/tuned.py warm-start LAYERS BATCH STORE
    bench/tuned.py choice LAYERS BATCH first|last ROUNDS SECONDS_PER_PROBLEM

`warm-start` tunes the layers with a store and prints the time. The second run on the same store measures the warm
start. `choice` tests whether the tuned choice is the best choice. It tunes each layer, and then measures every
candidate of the race again, independently of the tuner: it makes a plan for each candidate, runs the plans in
interleaved rounds over several sets of operands, and takes medians. For each layer it prints the time of the tuned
choice / the time of the best candidate, and the time of the tuned choice / the time of the heuristic's choice. The
second ratio has a 95 % interval by bootstrap over the rounds. libatc is the file of ATC_LIBRARY, or is found in the
loader's path. bench/run runs both commands.
"""

import array
import ctypes
import json
import pathlib
import random
import statistics
import sys
import time

BENCH = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH / "cuda"), str(BENCH.parent / "python")]

import atc  # noqa: E402
from atc import _abi  # noqa: E402
from atc._library import call  # noqa: E402
from figures import geomean  # noqa: E402
from shapes import read_layers  # noqa: E402

# The number of sets of operands. They are used in turn, so that a set has left the inner caches before its next use.
SETS = 4
RESAMPLES, LEVEL = 1000, 0.95
# After AFTER rounds, a candidate is dropped if it takes more than HOPELESS times as long as the best candidate.
HOPELESS, AFTER = 1.5, 3


def problems_of(path, batch, layout="first"):
    """Returns the names and problems of the 2-D layers in the file, with `batch` in place of their own batch."""
    return [(layer.name, atc.Problem(
        batch=batch, in_channels=layer.c, input=layer.input, out_channels=layer.k, kernel=layer.kernel, stride=layer.stride,
        padding=layer.pad, dilation=layer.dil, groups=layer.groups, layout=f"channels-{layout}"))
        for layer in read_layers(path) if len(layer.input) == 2]


def warm_start(layers, batch, folder):
    atc.Store(folder).use()
    report = atc.tune([problem for _, problem in problems_of(layers, int(batch))])
    for one in report.problems:
        if one.error:
            raise one.error
    return {"problems": len(report.problems), "seconds": round(sum(one.seconds for one in report.problems), 6),
            "executions": sum(one.executions for one in report.problems),
            "records": sum(one.source == "record" for one in report.problems),
            "stored": sum(one.stored for one in report.problems)}


DRAW = random.Random(1)
NORMAL = array.array("f", [DRAW.gauss(0, 1) for _ in range(1 << 14)])


class Tensor:
    """A tensor in memory with normally distributed values, and its tensor view, which is passed to C."""

    def __init__(self, problem, operand):
        shape, strides = problem.shape(operand), problem.strides_of(operand)
        span = 1 + sum((extent - 1) * step for extent, step in zip(shape, strides))
        self.data = (NORMAL * (span // len(NORMAL) + 1))[:span]
        self.kept = [(ctypes.c_int64 * len(shape))(*shape), (ctypes.c_int64 * len(shape))(*strides)]
        self.view = _abi.atc_tensor_view(
            data=self.data.buffer_info()[0], device=_abi.atc_device(_abi.ATC_DEVICE_CPU, 0), ndim=len(shape),
            dtype=_abi.atc_data_type(_abi.ATC_CODE_FLOAT, 32, 1), shape=self.kept[0], strides=self.kept[1], byte_offset=0)


class Entrant:
    def __init__(self, problem, choice):
        self.choice, self.seconds = choice, []
        self.plan = atc.Plan(problem, "cpu", choice=choice)

    def run(self, operands):
        call("conv_plan_execute", self.plan._live().pointer, *operands, None, 0, None)

    def median(self):
        return statistics.median(self.seconds)


def interval(one, other, draw):
    """Returns the confidence interval of median(one) / median(other), by bootstrap. The times of one round are
    resampled together."""
    ratios = []
    for _ in range(RESAMPLES):
        rounds = draw.choices(range(len(one)), k=len(one))
        ratios.append(statistics.median(one[i] for i in rounds) / statistics.median(other[i] for i in rounds))
    ratios.sort()
    return ratios[int(RESAMPLES * (1 - LEVEL) / 2)], ratios[int(RESAMPLES * (1 + LEVEL) / 2) - 1]


def measured(name, problem, rounds, seconds, draw):
    tuned = atc.tune([problem], problem_budget=seconds, retune=True).problems[0]
    if tuned.error:
        raise tuned.error
    heuristic = tuned.candidates[tuned.default_candidate].choice
    # The candidates that are measured again: the tuned choice as the first, every candidate that the race has timed,
    # and the heuristic's choice (the default) even if the race has refused it.
    wanted = [one.choice for one in tuned.candidates if one.timing or one.choice == heuristic]
    entrants = [Entrant(problem, choice) for choice in dict.fromkeys([tuned.choice, *wanted])]
    tensors = [[Tensor(problem, operand) for operand in "xwy"] for _ in range(SETS)]
    sets = [[ctypes.byref(x.view), ctypes.byref(w.view), None, ctypes.byref(y.view)] for x, w, y in tensors]
    for turn in range(rounds + 1):  # the first round is a warm-up
        for entrant in entrants[turn % len(entrants):] + entrants[:turn % len(entrants)]:
            began = time.perf_counter()
            for operands in sets:
                entrant.run(operands)
            if turn:
                entrant.seconds.append((time.perf_counter() - began) / SETS)
        if turn == AFTER:
            limit = HOPELESS * min(entrant.median() for entrant in entrants)
            entrants = [entrant for entrant in entrants
                        if entrant.choice in (tuned.choice, heuristic) or entrant.median() <= limit]
    best = min(entrants, key=Entrant.median)
    chosen, default = entrants[0], next(entrant for entrant in entrants if entrant.choice == heuristic)
    low, high = interval(chosen.seconds, default.seconds, draw)
    return {"problem": name, "candidates": len(entrants), "choice": chosen.choice, "best_choice": best.choice,
            "heuristic_choice": heuristic, "tuned_ms": 1e3 * chosen.median(), "best_ms": 1e3 * best.median(),
            "heuristic_ms": 1e3 * default.median(), "tuned_over_best": chosen.median() / best.median(),
            "tuned_over_heuristic": chosen.median() / default.median(), "ratio_low": low, "ratio_high": high, "level": LEVEL,
            "unstable": tuned.provisional, "tuning_seconds": tuned.seconds}


def choice(layers, batch, layout, rounds, seconds):
    draw, cells = random.Random(1), []
    for name, problem in problems_of(layers, int(batch), layout):
        cell = measured(name, problem, int(rounds), float(seconds), draw)
        print(f"{name:<28} {cell['candidates']:2} candidates  tuned/best {cell['tuned_over_best']:.3f}  tuned/heuristic "
              f"{cell['tuned_over_heuristic']:.3f} [{cell['ratio_low']:.3f}, {cell['ratio_high']:.3f}]", file=sys.stderr)
        cells.append(cell)
    return {"layout": layout, "batch": int(batch), "rounds": int(rounds), "cells": cells,
            "geomean_tuned_over_best": geomean([cell["tuned_over_best"] for cell in cells]),
            "geomean_tuned_over_heuristic": geomean([cell["tuned_over_heuristic"] for cell in cells])}


SUBJECTS = {"warm-start": (warm_start, 3), "choice": (choice, 5)}


def main():
    subject, count = SUBJECTS.get(sys.argv[1] if len(sys.argv) > 1 else "", (None, 0))
    if not subject or len(sys.argv) != 2 + count:
        raise SystemExit(__doc__.split("\n\n")[1])
    print(json.dumps(subject(*sys.argv[2:])))


if __name__ == "__main__":
    main()
