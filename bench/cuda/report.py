"""Makes the page TABLES.md from a folder of raw results: python3 bench/cuda/report.py bench/results/h200"""

import math
import pathlib
import statistics
import sys

import configurations
import further
import in_networks
import training
import unquiet
from figures import CLASSES, HALF, LAYERS, class_of, gain, geomean, key, mean_or_none, over_benchmark, over_floor, span
from rows import at, parted, read
from shapes import BYTES_PER_SECOND, FLOPS_PER_SECOND


def table(rows):
    ops = list(dict.fromkeys(row["op"] for row in rows))
    sets = list(dict.fromkeys((row["format"], row["layout"]) for row in rows))
    yield f"| format, layout | {' | '.join(ops)} |"
    yield f"|---|{'---|' * len(ops)}"
    for fmt, layout in sets:
        row_of = [[gain(r) for r in rows if (r["format"], r["layout"], r["op"]) == (fmt, layout, op)] for op in ops]
        yield f"| {fmt}, channels {layout} | " + " | ".join(span(v) if v else "-" for v in row_of) + " |"


def floors(rows):
    """Makes the table with the ratio of atc's time to the floor (the least time that the device allows) for each class
    of layers. Rows of forward with bias are left out."""
    rows = [row for row in rows if row["layer"] in LAYERS and row["op"] != "forward-bias"]
    sets = [(fmt, layout) for layout in ("first", "last") for fmt in ("fp32", "tf32", "fp16", "bf16")]
    rates = ", ".join(f"{fmt} {rate * 1e-12:.0f}" for fmt, rate in FLOPS_PER_SECOND.items())
    yield ("\n## Distance to the floor\n\nThe floor of a cell is the longer of two times: that of moving input, filter and "
           f"output once, at the rate of a copy ({BYTES_PER_SECOND * 1e-12:.2f} TB/s), and that of the flops of the direct "
           f"method, at the rate of a matrix product ({rates} TFLOP/s; depthwise layers: the rate of fp32). Both rates were "
           "measured on an H200. The table has atc / floor, as geometric means over forward without bias and both backward "
           "directions. `bench/shapes/classes.txt` lists the layers of each class. The floor is no aim for layers of batch "
           "1, because the launch of a kernel is their limit.\n")
    yield "| class | " + " | ".join(f"{fmt}, {layout}" for fmt, layout in sets) + " | all | LibTorch's benchmark mode |"
    yield "|---|" + "---|" * (len(sets) + 2)

    def line(name, some):
        by_set = [mean_or_none([over_floor(r) for r in some if (r["format"], r["layout"]) == one]) for one in sets]
        theirs = mean_or_none([over_floor(r) * over_benchmark(r) for r in some])
        return f"| {name} | {' | '.join(by_set)} | {mean_or_none([over_floor(r) for r in some])} | {theirs} |"

    for name in dict.fromkeys(CLASSES.values()):
        some = [row for row in rows if class_of(row) == name]
        if some:
            yield line(name, some)
    yield line("all but batch-1", [row for row in rows if class_of(row) != "batch-1"])
    yield line("all but layers of batch 1; target 2.0", [row for row in rows if LAYERS[row["layer"]].n > 1])


def has_bias(row):
    return row["op"] == "forward-bias"


# The parts of the results that have a target. A part has a name, the target for the gain over LibTorch's benchmark mode
# (or none), and a function that selects its rows.
PARTS = (
    ("all cells", 1.9, lambda r: True),
    ("without bias", None, lambda r: not has_bias(r)),
    ("depthwise, channels first", 4.5, lambda r: class_of(r) == "depthwise" and r["layout"] == "first"),
    ("depthwise, channels last", 2, lambda r: class_of(r) == "depthwise" and r["layout"] == "last"),
    ("depthwise 1-D", 5, lambda r: class_of(r) == "depthwise-1d"),
    ("patch, half and TF32", 3.5, lambda r: class_of(r) == "patch" and r["format"] != "fp32"),
    ("video patch, half and TF32", 5, lambda r: class_of(r) == "video-patch" and r["format"] != "fp32"),
    ("first layer", 3, lambda r: class_of(r) == "first"),
    ("grouped", 2.5, lambda r: class_of(r) == "grouped"),
    ("dense, channels first, half, without bias", 1.4,
     lambda r: class_of(r) == "dense" and r["layout"] == "first" and r["format"] in HALF and not has_bias(r)),
    ("dense, channels first, TF32, backward-weight", 1.4,
     lambda r: class_of(r) == "dense" and r["layout"] == "first" and r["format"] == "tf32"
     and r["op"] == "backward-weight"),
    ("dense, half and TF32, with bias", 1.4,
     lambda r: class_of(r) == "dense" and r["format"] != "fp32" and has_bias(r)),
)


def parts(rows):
    yield ("\n## Gains by class\n\nGeometric means over all cells of a line, also those of forward with bias "
           "(\"Distance to the floor\" leaves these out). Targets are for the gain over benchmark mode.\n")
    yield "| | cells | over the faster mode | over benchmark mode | target | atc / floor |"
    yield "|---|---|---|---|---|---|"
    for name, target, is_of in PARTS:
        some = [row for row in rows if is_of(row)]
        near = [over_floor(row) for row in some if row["layer"] in LAYERS]
        if some:
            yield (f"| {name} | {len(some)} | {geomean([gain(r) for r in some]):.3f} | "
                   f"{geomean([over_benchmark(r) for r in some]):.3f} | {target or '-'} | {mean_or_none(near)} |")


def queued(folder):
    """Makes the section on calls that were queued behind a long kernel, if such calls were measured."""
    if not (folder / "queued.jsonl").exists():
        return
    head, rows, failed = parted(folder / "queued.jsonl")
    slower = [row for row in rows if row["slower"]]
    yield (f"\n## Queued on a busy stream\n\n{len(rows)} cells{f' and {len(failed)} that failed' if failed else ''}, "
           f"{head['samples']} samples each, {at(head)}. The calls are issued one by one, as in a program, and not in graphs. "
           f"The gain over the faster mode is {geomean([gain(r) for r in rows]):.3f}, over benchmark mode "
           f"{geomean([over_benchmark(r) for r in rows]):.3f}. Slower cells: {len(slower)}.\n")
    yield "| | heuristic | benchmark | atc |"
    yield "|---|---|---|---|"
    sides = ("heuristic", "benchmark", "atc")
    for name, of in (("issuing a call, microseconds, median", statistics.median),
                     ("the same, 95 %", lambda values: sorted(values)[len(values) * 95 // 100])):
        yield f"| {name} | " + " | ".join(f"{of([r['issue_us'][side] for r in rows]):.1f}" for side in sides) + " |"
    yield ("| cells that the host cannot issue in a second | "
           + " | ".join(str(sum(r["late"][side] > 0 for r in rows)) for side in sides) + " |\n")
    yield from table(rows)
    for row in sorted(slower, key=gain):
        yield f"* slower: {', '.join(key(row))}: {gain(row):.2f} ({row['ms']['atc']:.4f} ms), `{row['choice']}`"


def absolute(rows):
    """Yields a line for each layer with two times in milliseconds: the time of the faster of LibTorch's two modes, and
    atc's time."""
    sets = list(dict.fromkeys((row["format"], row["layout"], row["op"]) for row in rows))
    for fmt, layout, op in sets:
        yield f"\n### {fmt}, channels {layout}, {op}\n"
        yield "| layer | heuristic | benchmark | atc | gain | hot | x floor | choice |"
        yield "|---|---|---|---|---|---|---|---|"
        for row in rows:
            if (row["format"], row["layout"], row["op"]) != (fmt, layout, op):
                continue
            ms = row["ms"]
            searched = f" (of {row['search_limit']})" if "search_limit" in row else ""
            near = f"{over_floor(row):.1f}" if row["layer"] in LAYERS else "-"
            yield (f"| {row['layer']} | {ms['heuristic']:.4f} | {ms['benchmark']:.4f}{searched} | {ms['atc']:.4f} | "
                   f"{gain(row):.2f} | {gain(row, 'hot_ms'):.2f} | {near} | `{row['choice']}` |")


def limits(folder):
    head, rows = read(folder / "limits.jsonl")
    rows = [row for row in rows if any(row.get("candidate_ms", []))]
    yield (f"\n## The limit of candidates\n\nHow far the best of the first N candidates is behind the best of all, over "
           f"{len(rows)} cells, {at(head)}. If a bias is added, there are two candidates for each of the N. The default of "
           "`benchmark_limit_cudnn` is 10.\n")
    yield "| N | mean | worst | cells above 2 % |"
    yield "|---|---|---|---|"
    for limit in (10, 15, 20, 30):
        behind = []
        for row in rows:
            first = row["candidate_ms"][:2 * limit if row["op"] == "forward-bias" else limit]
            # If none of the first N candidates has been timed, their best time counts as infinite.
            best = min((ms for ms in first if ms), default=math.inf)
            behind.append(best / min(ms for ms in row["candidate_ms"] if ms) - 1)
        yield f"| {limit} | {statistics.fmean(behind):.2%} | {max(behind):.1%} | {sum(b > 0.02 for b in behind)} |"


def toggles(folder):
    head, rows, _ = parted(folder / "toggles.jsonl")
    count = len(rows)
    yield f"\n## Toggles\n\n{count} cells, {at(head)}. The names of the kernels show which implementation runs.\n"
    yield "| | atc | LibTorch |"
    yield "|---|---|---|"

    def line(text, holds):
        return f"| {text} | " + " | ".join(
            f"{sum(bool(holds(row[side])) for row in rows)}" for side in ("atc", "torch")) + " |"

    def differ(side, first, second):
        return side["toggled"][first] != side["toggled"][second]

    def refused(side):
        return any(names and names[0].startswith("refused") for names in side["processes"])

    yield line("benchmark mode has another choice than its default", lambda s: differ(s, "off", "on, a new thread"))
    yield line("of those, switching it on in a running thread took effect",
               lambda s: differ(s, "off", "on, a new thread") and differ(s, "off", "on"))
    yield line("and switching it off again gave the first kernels back",
               lambda s: differ(s, "off", "on, a new thread") and differ(s, "off", "on")
               and not differ(s, "off", "off again"))
    yield line(f"{head['processes']} processes with it on ran the same kernels (atc: replay-only)",
               lambda s: len({tuple(names) for names in s["processes"]}) == 1 and not refused(s))
    yield line("of the others, cells whose race was not stored, so that replay-only refuses them", refused)
    yield line(f"{head['runs']} calls gave one result", lambda s: s["results"]["any"] == 1)
    yield line(f"{head['runs']} calls gave one result, deterministic", lambda s: s["results"]["deterministic"] == 1)


def page(folder):
    head, rows, failed = parted(folder / "against_torch.jsonl")
    confirmed = {key(row) for row in read(folder / "confirmed.jsonl")[1] if row.get("slower")}
    first_head, first = read(folder / "first_calls.jsonl")
    regrets_head, regrets = read(folder / "regret.jsonl")
    choices_head, choices = read(folder / "choices.jsonl")

    yield f"# Against LibTorch on {head['device']}\n"
    yield (f"LibTorch {head['torch']}, cuDNN {head['cudnn']}, {at(head)}; {len(rows)} cells, "
           f"{head['samples']} samples each at first. atc's side is {head['way']}. `scripts/gpu-bench` made this page. The head "
           "of `bench/cuda/against_torch.py` describes how it measures.\n")
    yield ("The gain is the time of the faster of LibTorch's heuristic and benchmark mode / the time of atc tuned (cold). The "
           "table has its geometric mean and range.\n")
    yield from table(rows)
    apart = sorted(abs(math.log(row["ms"]["again"] / row["ms"]["atc"])) for row in rows)
    yield (f"\nOver all cells the gain is {geomean([gain(r) for r in rows]):.3f} cold and "
           f"{geomean([gain(r, 'hot_ms') for r in rows]):.3f} hot. Two graphs of the same calls (A/A) differ by "
           f"{apart[len(apart) // 2]:.2%} at the median and by {apart[len(apart) * 95 // 100]:.2%} at 95 %. LibTorch's "
           "benchmark mode is "
           f"{geomean([r['ms']['heuristic'] / r['ms']['benchmark'] for r in rows]):.3f} times as fast as its heuristic.\n")
    limited = sum("search_limit" in row for row in rows)
    if limited:
        yield (f"In {limited} cells LibTorch's search was limited, because it takes minutes there. The number of "
               "candidates that it tried stands behind its time.\n")

    yield "## Targets\n"
    slower = [row for row in rows if row["slower"] and key(row) in confirmed]
    yield f"* Slower (lower 99 % bound > 1.03 and > 1 us, in two processes): {len(slower)} of {len(rows)}; target 0."
    dense = [gain(r) for r in rows if r["op"] == "forward-bias" and r["groups"] == 1 and r["format"] != "fp32"]
    if dense:
        yield f"* Forward with bias, dense, half and TF32: {geomean(dense):.3f}; target 1.2."
    warm = {key(row): row["first_call_s"]["atc"] for row in first if "failed" not in row}
    both = [row for row in rows if key(row) in warm and row["op"] != "forward-bias"]
    if both:
        ours, theirs = (statistics.median(values) for values in
                        ([warm[key(r)] for r in both], [r["first_call_s"]["benchmark"] for r in both]))
        yield (f"* First call, median of {len(both)} cells, {at(first_head)}: {1e3 * ours:.2f} ms with a warm store, "
               f"{1e3 * theirs:.1f} ms LibTorch with benchmark on: {theirs / ours:.1f} x; target 20. (Cells of "
               "forward with bias are left out: LibTorch had searched for their convolution before, in the forward cell.)")
    tuning = {name: sum(row["first_call_s"][name] for row in rows) for name in ("atc", "benchmark", "heuristic")}
    yield (f"* Tuning all cells: {tuning['atc']:.1f} s; LibTorch's benchmark mode {tuning['benchmark']:.1f} s (its "
           f"heuristic, asked first in the process: {tuning['heuristic']:.1f} s); target: no more.")
    good = [row for row in regrets if "failed" not in row]
    worst = sorted((row["regret"] for row in good), reverse=True)
    yield (f"* Regret against all candidates, {len(good)} cells, {at(regrets_head)}: mean "
           f"{statistics.fmean(worst):.2%}, {sum(r > 0.02 for r in worst)} above 2 %, worst {worst[0]:.1%}; target 2 %.")
    differ = [row for row in choices if len(row.get("choices", [])) > 1]
    yield (f"* Stability: of {len(choices)} cells tuned in {choices_head['processes']} processes, {at(choices_head)}, "
           f"{len(differ)} were chosen differently, {sum(row['apart'] > 0.01 for row in differ)} of them more than 1 % apart"
           + (f" (at most {max(row['apart'] for row in differ):.1%})." if differ else "."))
    yield from parts(rows)
    yield from floors(rows)
    yield from further.outside(folder)
    yield from queued(folder)
    yield from further.max_autotune(folder)
    yield from in_networks.networks(folder)
    yield from training.models(folder)
    yield from training.first_steps(folder)
    yield from further.tuning(rows)
    yield from further.determinism(folder)
    yield from further.cudnns(folder)
    yield from limits(folder)
    yield from configurations.offers(folder)
    yield from configurations.lists(rows)
    yield from toggles(folder)
    yield from unquiet.techniques(folder)
    yield from unquiet.noise(folder)
    yield from unquiet.other_sizes(folder)
    if slower:
        yield "\n## Slower cells\n"
    for row in sorted(slower, key=gain):
        refused = row.get("refused", {}).get("aten:convolution")
        yield (f"* {', '.join(key(row))}: {gain(row):.2f} ({row['ms']['atc']:.4f} ms), `{row['choice']}`"
               + (f"; LibTorch's is refused: {refused}" if refused else ""))
    if failed:
        yield "\n## Cells that failed\n"
    for row in failed:
        yield f"* {', '.join(key(row))}: {row['failed']}"
    yield ("\n## Cells\n\nThe times are milliseconds per call, cold. The gains are over the faster mode: `gain` is cold, and "
           "`hot` is hot. The column `x floor` is atc / floor.")
    yield from absolute(rows)


def main():
    folder = pathlib.Path(sys.argv[1])
    (folder / "TABLES.md").write_text("\n".join(page(folder)) + "\n")
    print(folder / "TABLES.md")


if __name__ == "__main__":
    main()
