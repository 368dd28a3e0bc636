#!/usr/bin/env python3
"""Compares two versions of oneDNN on the layers of the public list. Each version has a process. The two processes tune
each cell, one after the other.

    bench/onednn_versions.py LIBATC_A LIBATC_B OUT.csv [--batch N] [--dtypes f32,bf16] [--seconds S]

LIBATC_A and LIBATC_B are files libatc.so, each in a folder with the libdnnl.so.3 of its version. A cell is a layer, a
direction, a type and a layout. The cells are tuned in a random order, which is the same in each run, until the time is
over. A row of OUT.csv is a cell. For each version the row has the median seconds of the version's fastest candidate.
For A there is a second time (`seconds_a_without`): that of the fastest candidate whose text does not contain the value
of --without (default gemm:jit, which is faulty in oneDNN before 3.11, docs/engines.md).
"""
import argparse
import csv
import json
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
SHAPES = ROOT / "bench" / "shapes" / "public.txt"
LAYOUTS = ("channels-first", "channels-last")
DIRECTIONS = ("forward", "backward-data", "backward-weight")


def work():
    """Runs in the process of one version of oneDNN. Reads cells from standard input, and writes the candidates of each
    cell with their times."""
    import atc
    for line in sys.stdin:
        cell = json.loads(line)
        report = atc.tune([atc.Problem(**cell["problem"])], store=False, problem_budget=cell["budget"])
        times = [[one.configuration, one.timing.median] for one in report.problems[0].candidates if one.timing]
        print(json.dumps(times), flush=True)


def start(library):
    environment = dict(os.environ, PYTHONPATH=str(ROOT / "python"), ATC_LIBRARY=library, ATC_STORE="off")
    return subprocess.Popen([sys.executable, __file__, "--work"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                            env=environment)


def cells(batch, dtypes):
    for line in SHAPES.read_text(encoding="utf-8").splitlines():
        fields = line.split("#")[0].split()
        if not fields:
            continue
        n, c, d, h, w, k, t, r, s, padding, stride, dilation, groups = map(int, fields[1:])
        extents, kernel = ((d, h, w), (t, r, s)) if d else ((w,), (s,)) if h == r == 1 else ((h, w), (r, s))
        for dtype in dtypes:
            for layout in LAYOUTS:
                for direction in DIRECTIONS:
                    yield f"{fields[0]} {direction} {dtype} {layout}", {
                        "batch": min(n, batch), "in_channels": c, "input": extents, "out_channels": k, "kernel": kernel,
                        "padding": padding, "stride": stride, "dilation": dilation, "groups": groups,
                        "direction": direction, "dtype": dtype, "layout": layout}


def fastest(times, without=None):
    timed = [(seconds, text.rsplit("impl=", 1)[-1]) for text, seconds in times if not (without and without in text)]
    return min(timed, default=("", ""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("out")
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--seconds", type=float, default=270)
    parser.add_argument("--budget", type=float, default=0.25, help="seconds of each race")
    parser.add_argument("--without", default="gemm:jit")
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    workers = [start(options.a), start(options.b)]
    taken = list(cells(options.batch, options.dtypes.split(",")))
    random.Random(1).shuffle(taken)
    with open(options.out, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["cell", "seconds_a", "implementation_a", "seconds_a_without", "seconds_b", "implementation_b"])
        for index, (name, problem) in enumerate(taken):
            if time.monotonic() > end:
                print(f"{index} of {len(taken)} cells")
                break
            answers = {}
            for side in (0, 1) if index % 2 == 0 else (1, 0):
                worker = workers[side]
                worker.stdin.write(json.dumps({"problem": problem, "budget": options.budget}) + "\n")
                worker.stdin.flush()
                answer = worker.stdout.readline()
                if not answer:
                    raise SystemExit(f"{name}: the process of {(options.a, options.b)[side]} ended")
                answers[side] = json.loads(answer)
            a, b = fastest(answers[0]), fastest(answers[1])
            rows.writerow([name, *a, fastest(answers[0], options.without)[0], *b])


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--work"] else main()
