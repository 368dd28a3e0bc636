"""Makes the tables in the README of a folder of results: runs, results, training steps.

    python3 bench/cuda/summary.py bench/results/h200

The tables are made from the raw results. In README.md the tables are between two comments, and the program replaces
them."""

import pathlib
import statistics
import sys

import report
import unquiet
from classes import replaced
from figures import LAYERS, gain, geomean, over_benchmark, over_floor
from merge import runs
from rows import parted

BEGIN, END = "<!-- made by bench/cuda/summary.py -->", "<!-- end of what bench/cuda/summary.py made -->"

# For each file of raw results: a description of its contents, and the program in bench/cuda that makes the file.
FILES = {
    "against_torch": "all cells, calls in graphs (`against_torch.py --sample 1984 --seed 14 --search-limit 3`)",
    "confirmed": "the cells that seemed slower, measured again in another process (`--confirm`)",
    "outside": "200 random layers outside the list (`against_torch.py --random 200 --seed 14`)",
    "outside_confirmed": "those that seemed slower, measured again in another process",
    "queued": "calls queued on a stream (`against_torch.py --queued --sample 400 --seed 5`)",
    "max_autotune": "beside `torch.compile` (`max_autotune.py --cells 60`)",
    "determinism": "the cost of `deterministic_cudnn`",
    "candidates": "times of each candidate of two cells, in the race and in a graph",
    "captured": "captured calls with atc's workspace and with the caller's",
    "offers": "times of each engine's offers (400 cells were asked for, as many as time allowed)",
    "regret": "the choice against the best of all candidates, both as captured calls run",
    "other_sizes": "depthwise candidates of cuDNN 9.19 before and after other sizes (`--cells 120`, as many as time allowed)",
    "noise": "decisions beside bursts of matrix products",
    "noise_unnoticed": "the same without the look for other work (ADR 42)",
    "techniques": "decisions after and beside load (`--cells 20`, as many as time allowed)",
    "techniques_unnoticed": "the same without the look for other work (ADR 42)",
    "cudnns": "cuDNN 9.14 and 9.19 on the same cells (200 were asked for, as many as time allowed)",
    "pointwise": "pointwise layers channels first: `dense`, LibTorch's benchmark mode and plain matrix products, with all candidates of `dense`",
    "networks": "layers of other networks, weighted by their time (`bench/shapes/networks.txt`)",
    "models": "training steps, batch 128 (`models.py`)",
    "first_steps": "first training steps, batch 128, also from a warm store (`models.py --sides … atc-warm`)",
    "first_calls": "first calls of a process, before own kernels and rewrites",
    "kernels": "the kernels that the time of a call goes into (`kernels.py`)",
    "limits": "the best of the first N candidates, before own kernels and rewrites",
    "choices": "choices of five processes, before own kernels and rewrites",
    "toggles": "switches toggled in a running process, before own kernels and rewrites",
}


def of_models(rows):
    """Yields a text for each model of a run: the number of its processes, and the modes in which they ran."""
    for model in dict.fromkeys(row["model"] for row in rows):
        some = [row for row in rows if row["model"] == model]
        yield f"{model} {len(some)} ({', '.join(dict.fromkeys(row['mode'] for row in some))})"


def runs_of(folder):
    """Yields a line of the table for each file of raw results, with the commits of atc that measured the file."""
    yield "| file | measured | atc at: cells, or processes of each model |"
    yield "|---|---|---|"
    for name, text in FILES.items():
        if not (folder / f"{name}.jsonl").exists():
            continue
        by_commit = {}
        for head, rows in runs(folder / f"{name}.jsonl"):
            by_commit.setdefault(head["commit"], []).extend(rows)
        commits = [f"{commit}: {', '.join(of_models(rows)) if 'model' in rows[0] else f'{len(rows):,}'}"
                   for commit, rows in by_commit.items()]
        yield f"| `{name}.jsonl` | {text} | {'<br>'.join(commits)} |"


def good(folder, name):
    return parted(folder / f"{name}.jsonl")[1]


def results_of(folder):
    """Yields lines with four columns: the quantity, the cells, the value, and the target with the information whether
    it is met."""
    rows = good(folder, "against_torch")

    def at_least(value, target):
        return f"{target}: {'met' if value >= target else 'missed'}"

    def none(count):
        return f"none: {'met' if count == 0 else 'missed'}"

    free = [row for row in rows if "search_limit" not in row]
    yield "LibTorch's faster mode / atc", f"{len(rows):,} cells", f"{geomean(map(gain, rows)):.2f}", ""
    yield ("the same without cells in which LibTorch's search was limited", f"{len(free):,} cells",
           f"{geomean(map(gain, free)):.2f}", "")
    for name, target, is_of in report.PARTS:
        some = [row for row in rows if is_of(row)]
        if target:
            value = geomean(map(over_benchmark, some))
            yield f"LibTorch's benchmark mode / atc, {name}", f"{len(some):,} cells", f"{value:.2f}", at_least(value, target)
    some = [row for row in rows if LAYERS[row["layer"]].n > 1 and row["op"] != "forward-bias"]
    value = geomean(map(over_floor, some))
    yield ("atc / floor, batch above 1, without bias", f"{len(some):,} cells", f"{value:.2f}",
           f"2.0: {'met' if value <= 2 else 'missed'}")
    again = {report.key(row) for row in good(folder, "confirmed") if row["slower"]}
    count = sum(row["slower"] and report.key(row) in again for row in rows)
    yield "slower than LibTorch's faster mode, in two processes", f"{len(rows):,} cells", f"{count}", none(count)
    outside = good(folder, "outside")
    yield "the same gain, layers outside the list", f"{len(outside)} cells", f"{geomean(map(gain, outside)):.2f}", ""
    queued = good(folder, "queued")
    count = sum(row["slower"] for row in queued)
    yield "the same gain, calls queued on a stream", f"{len(queued)} cells", f"{geomean(map(gain, queued)):.2f}", ""
    yield "slower than LibTorch's faster mode, calls queued on a stream", f"{len(queued)} cells", f"{count}", none(count)
    compiled = good(folder, "max_autotune")
    value = geomean([row["ms"]["compiled"] / row["ms"]["atc"] for row in compiled])
    yield "`torch.compile` (max-autotune) / atc", f"{len(compiled)} cells", f"{value:.2f}", at_least(value, 1.5)
    ours, theirs = (sum(row["first_call_s"][side] for row in rows) for side in ("atc", "benchmark"))
    yield ("first calls of all cells, atc (LibTorch's benchmark mode)", f"{len(rows):,} cells",
           f"{ours:.0f} s ({theirs:.0f} s)", f"no more than LibTorch: {'met' if ours <= theirs else 'missed'}")
    costs = [row["cost"] for row in good(folder, "determinism")]
    yield ("deterministic choice / any choice", f"{len(costs)} cells", f"{geomean(costs):.3f}, at most {max(costs):.2f}", "")
    regrets = [row["regret"] for row in good(folder, "regret")]
    count = sum(one > unquiet.FAR for one in regrets)
    yield ("choice more than 3 % slower than the best candidate", f"{len(regrets)} cells",
           f"{count}, at most {max(regrets):.1%}", none(count))
    noise = good(folder, "noise")
    firm = [unquiet.behind(row) for row in noise if not row["provisional"]]
    count = sum(one > unquiet.FAR for one in firm)
    yield ("firm decision beside bursts of other work more than 3 % slower than the best", f"{len(firm)} decisions",
           f"{count}, at most {max(firm):.1%}", none(count))
    yield ("LibTorch's choice beside the same bursts more than 3 % slower than the best", f"{len(noise)} cells",
           f"{sum(row['torch_behind'] > unquiet.FAR for row in noise)}", "")
    ratios = [row["ratio"] for row in good(folder, "captured") if "ratio" in row]
    yield ("captured calls with atc's workspace / with the caller's", f"{len(ratios)} cells",
           f"{min(ratios):.3f} to {max(ratios):.3f}", f"1.02: {'met' if max(ratios) <= 1.02 else 'missed'}")
    cudnns = [row["ms"]["winner"] for row in good(folder, "cudnns")]
    yield ("cuDNN 9.14 / cuDNN 9.19, tuned", f"{len(cudnns)} cells", f"{geomean([old / new for old, new in cudnns]):.2f}", "")
    sizes = good(folder, "other_sizes")
    yield ("candidates whose result changed after other sizes had run",
           f"{sum(row['candidates'] for row in sizes)} candidates in {len(sizes)} cells",
           f"{sum(len(row['changed']) for row in sizes)}", "")
    choices = good(folder, "choices")
    yield ("five processes chose differently", f"{len(choices)} cells",
           f"{sum(len(row['choices']) > 1 for row in choices)}", "")
    for which, target in (("tf32-first", 1.35), ("bf16-last", 1.13)):
        value, count = steps(folder, which)
        yield (f"training step, device busy, LibTorch's benchmark mode / atc, {which}, eager", f"{count} models",
               f"{value:.2f}", at_least(value, target))


def steps(folder, which):
    """Returns the gain in eager steps, and the number of models. The gain of a model is the time for which the device
    is busy with LibTorch's benchmark mode / the same time with atc. The result is the geometric mean over the
    models."""
    rows = parted(folder / "models.jsonl", of="model")[1]

    def median(model, side):
        return statistics.median(row["busy_ms"] for row in rows
                                 if (row["model"], row["set"], row["mode"], row["side"]) == (model, which, "eager", side))

    models = list(dict.fromkeys(row["model"] for row in rows))
    return geomean([median(model, "benchmark") / median(model, "atc") for model in models]), len(models)


def first_steps_of(folder):
    """Yields the table with the time of the first training step, of each process that began with an empty store."""
    rows = parted(folder / "models.jsonl", of="model")[1]

    def seconds(name, side):
        some = [row for row in rows if (row["model"], row["set"], row["mode"]) == name and row["side"] == side]
        return ", ".join(f"{row['first_step_s']:.1f}" for row in sorted(some, key=lambda row: row["repetition"])) or "-"

    yield "| model, format, mode | heuristic | benchmark mode | atc |"
    yield "|---|---|---|---|"
    for name in sorted({(row["model"], row["set"], row["mode"]) for row in rows}):
        yield (f"| {', '.join(name)} | "
               + " | ".join(seconds(name, side) for side in ("heuristic", "benchmark", "atc")) + " |")


def graph_steps_of(folder):
    """Yields lines for the steps in CUDA graphs: the medians over the processes, and the largest difference between two
    processes."""
    rows = [row for row in parted(folder / "models.jsonl", of="model")[1] if row["mode"] == "graph"]

    def times(model, which, side):
        return [row["step_ms"] for row in rows if (row["model"], row["set"], row["side"]) == (model, which, side)]

    sides, sets, apart = ("atc", "heuristic", "benchmark"), ("tf32-first", "bf16-last"), []
    yield "| model | TF32: atc | LibTorch's faster mode | bf16: atc | LibTorch's faster mode |"
    yield "|---|---|---|---|---|"
    for model in dict.fromkeys(row["model"] for row in rows):
        cells = []
        for which in sets:
            taken = {side: times(model, which, side) for side in sides}
            apart += [max(some) / min(some) - 1 for some in taken.values()]
            ours, *theirs = (statistics.median(some) for some in taken.values())
            cells += [f"{ours:.1f}", f"{min(theirs):.1f}"]
        yield f"| {model} | {' | '.join(cells)} |"
    yield f"\nProcesses of one side differ by {max(apart):.1%} at most."


def section(folder):
    yield BEGIN
    yield "\n## Runs\n"
    yield from runs_of(folder)
    yield "\n## Results\n"
    yield "| quantity | over | value | target |"
    yield "|---|---|---|---|"
    for line in results_of(folder):
        yield f"| {' | '.join(line)} |"
    yield "\n## First training steps, empty store\n\nSeconds, batch 128, one number for each process.\n"
    yield from first_steps_of(folder)
    yield "\n## Training steps in graphs\n\nMilliseconds, batch 128, forward and backward in a graph, medians over the processes.\n"
    yield from graph_steps_of(folder)
    yield ""
    yield END


def main():
    folder = pathlib.Path(sys.argv[1])
    page = folder / "README.md"
    page.write_text(replaced(page.read_text(), "\n".join(section(folder)), BEGIN, END))
    print(page)


if __name__ == "__main__":
    main()
