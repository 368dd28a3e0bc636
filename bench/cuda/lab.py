"""Times all candidates of the layers in the public list. Compares three times: the fastest candidate of atc's own, the
fastest candidate of cuDNN, and the floor (the least time that the device allows).

    python3 bench/cuda/lab.py --family depthwise --sets fp16-last --budget 5 --out lab.jsonl --resume

This program is for the development of engines. (against_torch.py measures atc's choices under its default limits.) A
JSON line is a race. It has all candidates with their outcomes and times (milliseconds per call), the best time of atc's
own candidates, the best time of cuDNN's, and the floor. `offers_ms` has the times of each engine's offers, in the order
of the offers; null means that an offer was refused, could not be built or was not timed. The progress is written to
standard error, and at the end a table over all lines of the file. The program does not need LibTorch. libatc is the
file of --libatc or of ATC_LIBRARY, or is found in the loader's path.
"""

import argparse
import json
import os
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import atc  # noqa: E402
from figures import geomean  # noqa: E402
from rows import read  # noqa: E402
from shapes import ELEMENT_BYTES, FOLDER, FLOPS_PER_SECOND, floor_ms, read_classes, read_layers  # noqa: E402

OPS = ["forward", "forward-bias", "backward-data", "backward-weight"]
# For each number format of a measurement: the data type of its tensors. The format tf32 has f32 tensors, and allows
# products in TF32.
DTYPES = {"fp32": "f32", "tf32": "f32", "fp16": "f16", "bf16": "bf16"}
SETS = ["tf32-first", "fp16-last", "tf32-last", "fp16-first", "bf16-last", "bf16-first", "fp32-first", "fp32-last"]
KEY = ("layer", "op", "format", "layout")


def listed(known):
    """Returns a function that splits a text at its commas and checks that each name is in `known`."""
    def values(text):
        for one in text.split(","):
            if one not in known:
                raise argparse.ArgumentTypeError(f"'{one}' is none of {', '.join(known)}")
        return text.split(",")
    return values


def parse(arguments=None):
    classes = read_classes()
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", default="all", choices=["all", "pointwise", *dict.fromkeys(classes.values())])
    parser.add_argument("--layers", help="NAME,...: those alone")
    parser.add_argument("--ops", type=listed(OPS), default=OPS, help=f"of {','.join(OPS)}")
    parser.add_argument("--sets", type=listed(SETS), default=SETS, help=f"of {','.join(SETS)}")
    parser.add_argument("--cells", type=int, help="how many of them are drawn at random; default all, in their order")
    parser.add_argument("--seed", type=int, default=8, help="by which they are drawn")
    parser.add_argument("--engines", help="NAME,...: who may race, such as cudnn; default all but the reference")
    parser.add_argument("--race-budget", type=float, default=10, help="seconds of one race; default 10")
    parser.add_argument("--budget", type=float, default=float("inf"), help="minutes after which no race is begun")
    parser.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th cell, from the I-th")
    parser.add_argument("--resume", action="store_true", help="leave out what --out has already")
    parser.add_argument("--out", help="default standard output")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--libatc", help="the file of the library")
    parser.add_argument("--shapes", type=pathlib.Path, default=FOLDER / "public.txt")
    parser.add_argument("--commit", default="unknown")
    options = parser.parse_args(arguments)
    if options.resume and not options.out:
        parser.error("--resume needs --out, the file with what was measured")
    return options


def cells_of(options):
    """Yields pairs: a layer, and the values of the fields that KEY names. A transposed layer is the backward-data of a
    convolution, and its row describes this convolution."""
    classes, wanted = read_classes(), options.layers.split(",") if options.layers else None

    def takes(layer):
        pointwise = layer.groups == 1 and max(layer.kernel) == 1
        family = classes.get(layer.name, "other")
        return (options.family in ("all", family) or options.family == "pointwise" and pointwise) and (
            wanted is None or layer.name in wanted)

    layers = [layer for layer in read_layers(options.shapes) if takes(layer)]
    cells = [(layer, (layer.name, op, *one.split("-"))) for one in options.sets for op in options.ops for layer in layers]
    if options.cells:
        random.Random(options.seed).shuffle(cells)
        cells = cells[:options.cells]
    if not cells:
        raise SystemExit(f"{options.shapes} has no such layer of {options.family}")
    index, count = map(int, options.shard.split("/"))
    return cells[index - 1::count]


def problem_of(layer, op, fmt, layout):
    return atc.Problem(
        batch=layer.n, in_channels=layer.c, input=layer.input, out_channels=layer.k, kernel=layer.kernel, stride=layer.stride,
        padding=layer.pad, dilation=layer.dil, groups=layer.groups, direction=op.replace("-bias", ""), dtype=DTYPES[fmt],
        layout=f"channels-{layout}", epilogue="bias" if op == "forward-bias" else "none")


def raced(layer, key, options):
    """Times the candidates of one cell, and returns the line of results."""
    _, op, fmt, layout = key
    bytes_moved, floor = layer.elements(op) * ELEMENT_BYTES[fmt], floor_ms(layer, op, fmt)
    depthwise = layer.groups == layer.c and layer.groups > 1
    by_flops = 1e3 * layer.flops() / FLOPS_PER_SECOND["fp32" if depthwise else fmt]
    row = {**dict(zip(KEY, key)), "class": read_classes().get(layer.name, "other"), "bytes": bytes_moved,
           "flops": layer.flops(), "floor_ms": floor, "bound": "flops" if floor == by_flops else "bytes"}
    engines = {"engines_allowed": options.engines.split(",")} if options.engines else {"engines_barred": ["reference"]}
    tuned = atc.tune([problem_of(layer, op, fmt, layout)], options.device, retune=True, store=False, alignment=16,
                     allow_tf32=fmt != "fp32", problem_budget=options.race_budget, **engines).problems[0]
    if tuned.error:
        return {**row, "failed": str(tuned.error)}
    # The times under True are those of cuDNN's candidates without rewrites. The times under False are those of all
    # other candidates. (A candidate with a rewrite counts as atc's own.)
    timed = {True: [], False: []}
    row.update(choice=tuned.choice, why=tuned.why, unstable=tuned.provisional, seconds=tuned.seconds, candidates=[], offers_ms={})
    for one in tuned.candidates:
        row["candidates"].append({"choice": one.choice, "outcome": one.outcome})
        ms = 1e3 * one.timing.median if one.timing else None
        row["offers_ms"].setdefault(one.rewrites + one.engine, []).append(ms)
        if one.timing:
            timed[one.engine == "cudnn" and not one.rewrites].append((ms, one.choice))
            row["candidates"][-1].update(median_ms=ms, min_ms=1e3 * one.timing.min)
        row["candidates"][-1].update({name: value for name, value in (("reason", one.reason), ("workspace", one.workspace))
                                      if value})
    for side, is_cudnn in (("own", False), ("cudnn", True)):
        if timed[is_cudnn]:
            row[side] = dict(zip(("median_ms", "choice"), min(timed[is_cudnn])))
    return row


def key_of(row):
    return tuple(row[name] for name in KEY)


def said(row):
    def side(name):
        one = row.get(name)
        return f"{one['median_ms']:.4f} ({one['median_ms'] / row['floor_ms']:.1f}x) {one['choice']}" if one else "-"
    why = f": {row['failed']}" if "failed" in row else ""
    return f"{' '.join(key_of(row))}: floor {row['floor_ms']:.4f}, own {side('own')}, cudnn {side('cudnn')}{why}"


def table(rows):
    """Yields the lines of a table that compares the best times of atc's own candidates, the best times of cuDNN and the
    floor by geometric means. There are lines for all rows, for each class, for each operation in a class, and for each
    set in such an operation."""
    groups = {}
    for row in rows:
        names = (row["class"], row["op"], f"{row['format']}-{row['layout']}")
        for depth in (3, 2, 1, 0):
            groups.setdefault((-depth, " ".join(names[:depth]) or "all"), []).append(row)
    head = ("cells", "own/floor", "cudnn/fl.", "best/fl.", "cudnn/own", "own wins")
    yield f"{'geometric means':<44} {head[0]:>5} " + " ".join(f"{one:>9}" for one in head[1:])

    def mean(values):
        return f"{geomean(values):.2f}" if values else "-"

    for (_, name), some in sorted(groups.items()):
        own, cudnn = ([(row[side]["median_ms"] if side in row else None) for row in some] for side in ("own", "cudnn"))
        floor = [row["floor_ms"] for row in some]
        both = [(a, b) for a, b in zip(own, cudnn) if a and b]
        figures = (mean([a / f for a, f in zip(own, floor) if a]), mean([b / f for b, f in zip(cudnn, floor) if b]),
                   mean([min(one for one in (a, b) if one) / f for a, b, f in zip(own, cudnn, floor) if a or b]),
                   mean([b / a for a, b in both]), f"{sum(a < b for a, b in both)}/{len(both)}")
        yield f"{name:<44} {len(some):>5} " + " ".join(f"{one:>9}" for one in figures)


def main():
    options = parse()
    if options.libatc:
        os.environ["ATC_LIBRARY"] = options.libatc
    cells, began, rows, left = cells_of(options), time.monotonic(), [], {}
    if options.resume and os.path.exists(options.out):
        rows = read(options.out)[1]
    done = set(map(key_of, rows))
    out = open(options.out, "a" if options.resume else "w", encoding="utf-8") if options.out else sys.stdout
    print(json.dumps({"device": atc.describe_device(options.device).name, "commit": options.commit,
                      "race_budget_s": options.race_budget, "engines": options.engines}), file=out, flush=True)
    for layer, key in cells:
        if key in done:
            continue
        if time.monotonic() - began > 60 * options.budget:
            what = f"{key[1]} {key[2]}-{key[3]}"
            left[what] = left.get(what, 0) + 1
            continue
        rows.append(raced(layer, key, options))
        print(json.dumps(rows[-1]), file=out, flush=True)
        print(said(rows[-1]), file=sys.stderr)
    print("", *table(rows), *(f"left: {count} of {what}" for what, count in left.items()), sep="\n", file=sys.stderr)


if __name__ == "__main__":
    main()
