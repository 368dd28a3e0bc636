"""Sections of the page of results that each come of a file of their own, where that was measured."""

import collections
import statistics

from figures import class_of, gain, geomean, key, mean_or_none, over_benchmark, over_floor, span
from rows import parted


def why(row):
    return f"failed: {', '.join(key(row))}: {row['failed']}"


def confirmed(folder, name):
    """The cells that another process found slower, too, or None where no other was asked."""
    head, rows, _ = parted(folder / name)
    return {key(row) for row in rows if row["slower"]} if head else None


def slower_cells(rows, again=None):
    return [row for row in rows if row["slower"] and (again is None or key(row) in again)]


def listed(lines):
    """A list behind a paragraph or table, or nothing."""
    lines = [f"* {line}" for line in lines]
    if lines:
        yield from ["", *lines]


def outside(folder):
    head, rows, failed = parted(folder / "outside.jsonl")
    if not rows:
        return
    slower = slower_cells(rows, confirmed(folder, "outside_confirmed.jsonl"))
    yield (f"\n## Layers outside the list\n\n{len(rows)} layers drawn at random by `bench/cuda/outside.py`, a cell of "
           f"each{f', and {len(failed)} that failed' if failed else ''}; atc at {', '.join(head['commits'])}. Gain over "
           f"the faster mode {geomean([gain(r) for r in rows]):.3f}, over benchmark mode "
           f"{geomean([over_benchmark(r) for r in rows]):.3f}; slower: {len(slower)}; target 0.\n")
    yield "| class | cells | over the faster mode | least | over benchmark mode | atc / floor |"
    yield "|---|---|---|---|---|---|"
    for name in sorted({class_of(row) for row in rows}):
        some = [row for row in rows if class_of(row) == name]
        yield (f"| {name} | {len(some)} | {geomean([gain(r) for r in some]):.3f} | {min(map(gain, some)):.2f} | "
               f"{geomean([over_benchmark(r) for r in some]):.3f} | {mean_or_none([over_floor(r) for r in some])} |")
    yield from listed([f"slower: {', '.join(key(row))} (`{row['shape']}`): {gain(row):.2f} "
                       f"({row['ms']['atc']:.4f} ms), `{row['choice']}`" for row in sorted(slower, key=gain)] + list(map(why, failed)))


def max_autotune(folder):
    head, rows, failed = parted(folder / "max_autotune.jsonl")
    if not rows:
        return

    def over(row):
        return row["ms"]["compiled"] / row["ms"]["atc"]

    slower = [row for row in rows if row["slower"]]
    seconds = {name: sum(row["first_call_s"][name] for row in rows) for name in ("compiled", "atc")}
    yield (f"\n## Against torch.compile\n\n{len(rows)} cells of forward with and without bias"
           f"{f', and {len(failed)} that failed' if failed else ''}, compiled in the mode `{head['mode']}` "
           f"({head['backends'].replace(',', ' and ')}); both sides in graphs of this program's. Compiled / atc: "
           f"geometric mean {span(list(map(over, rows)))}, target 1.5; slower: {len(slower)}, target 0. First calls took "
           f"{seconds['compiled']:.0f} s compiled, {seconds['atc']:.0f} s with atc.\n")
    yield "| cell | compiled, ms | atc, ms | gain | choice |"
    yield "|---|---|---|---|---|"
    for row in sorted(rows, key=over):
        yield (f"| {', '.join(key(row))}{' (slower)' if row['slower'] else ''} | {row['ms']['compiled']:.4f} | "
               f"{row['ms']['atc']:.4f} | {over(row):.2f} | `{row['choice']}` |")
    yield from listed(map(why, failed))


DEAR = 1.05


def determinism(folder):
    _, rows, failed = parted(folder / "determinism.jsonl")
    if not rows:
        return
    costs = [row["cost"] for row in rows]
    dear = sorted((row for row in rows if row["cost"] > DEAR), key=lambda row: -row["cost"])
    same = sum(row["choices"]["any"] == row["choices"]["deterministic"] for row in rows)
    yield (f"\n## Determinism\n\nWhat `deterministic_cudnn` costs, {len(rows)} cells"
           f"{f' and {len(failed)} that failed' if failed else ''}: geometric mean {geomean(costs):.3f}, worst "
           f"{max(costs):.2f}; above {DEAR}: {len(dear)}; target 0. In {same} cells both choices are the same.")
    yield from listed([f"{', '.join(key(row))}: {row['cost']:.2f}, `{row['choices']['deterministic']}` instead of "
                       f"`{row['choices']['any']}`" + (f": {row['refused']}" if "refused" in row else "")
                       for row in dear] + list(map(why, failed)))


def lists(rows):
    """Whether a list of configurations for each class could stand in for a search: how often the most common ones win."""
    won = [row for row in rows if engine_of(row["choice"]) in OWN]
    if not won:
        return
    yield ("\n## How many configurations win\n\nOwn kernels' wins, and how many of them the four most common "
           "configurations have.\n")
    yield "| class | wins | configurations | the four most common win | those of each direction and layout |"
    yield "|---|---|---|---|---|"

    def common(some, of=lambda row: ()):
        groups = {}
        for row in some:
            groups.setdefault((class_of(row), *of(row)), []).append(row["choice"].split(">")[-1])
        return sum(count for group in groups.values() for _, count in collections.Counter(group).most_common(4))

    def apart(row):
        return row["op"].replace("-bias", ""), row["layout"]

    for name in [*dict.fromkeys(map(class_of, won)), "all"]:
        some = [row for row in won if name in ("all", class_of(row))]
        yield (f"| {name} | {len(some)} | {len({row['choice'].split('>')[-1] for row in some})} | {common(some)} | "
               f"{common(some, apart)} |")


def engine_of(choice):
    return choice.split(">")[-1].split("@")[0]


OWN = ("depthwise", "first", "grouped", "implicit", "dense")


NEAR = 1.01


def behind(times, count):
    """How far the best of the first is behind the best of all, as a ratio."""
    return min(times[:count]) / min(times)


def offers(folder):
    """Own kernels' configurations come from a model of what they cost: how good its order is."""
    head, rows, _ = parted(folder / "offers.jsonl")
    if not rows:
        return
    yield (f"\n## The first offers of own kernels\n\n{len(rows)} cells raced as by default, atc at "
           f"{', '.join(head['commits'])}; the best of an engine's first offers over its best, in the races that more "
           "than one of its offers took part in and in those of them that it won. Near: within 1 %, which a race "
           "does not tell apart.\n")
    yield ("| engine | races | first is near its best | first alone, mean (worst) | first 2 | first 3 | won | first is near, "
           "of those | first alone, mean of those |")
    yield "|---|---|---|---|---|---|---|---|---|"
    races = [(engine_of(chain), takes(row["choice"], chain), [ms for ms in times if ms]) for row in rows
             for chain, times in row["offers_ms"].items()]
    for engine in (*OWN, "all of them"):
        some = [(won, times) for name, won, times in races
                if len(times) > 1 and (name == engine or engine == "all of them" and name in OWN)]
        if not some:
            continue
        by_count = [[behind(times, count) for _, times in some] for count in (1, 2, 3)]
        of_won = [behind(times, 1) for won, times in some if won]
        yield (f"| {engine} | {len(some)} | {sum(loss < NEAR for loss in by_count[0])} | "
               + " | ".join(f"{geomean(losses):.3f} ({max(losses):.2f})" for losses in by_count)
               + f" | {len(of_won)} | {sum(loss < NEAR for loss in of_won)} | {mean_or_none(of_won)} |")


def takes(choice, chain):
    """Whether a choice is of that chain; versions and configurations apart."""
    return [one.split("@")[0] for one in choice.split(">")] == [one.split("@")[0] for one in chain.split(">")]


def tuning(rows):
    """Where the time of all first calls goes, and what LibTorch's search takes there."""
    yield "\n## First calls by class\n\nSeconds of all first calls, an empty store at the beginning.\n"
    yield "| class | cells | atc | of that, the longest cell | LibTorch's benchmark mode | its heuristic |"
    yield "|---|---|---|---|---|---|"

    def line(name, some):
        sums = {side: sum(row["first_call_s"][side] for row in some) for side in ("atc", "benchmark", "heuristic")}
        longest = max(row["first_call_s"]["atc"] for row in some)
        return (f"| {name} | {len(some)} | {sums['atc']:.1f} | {longest:.1f} | {sums['benchmark']:.1f} | "
                f"{sums['heuristic']:.1f} |")

    for name in dict.fromkeys(map(class_of, rows)):
        yield line(name, [row for row in rows if class_of(row) == name])
    yield line("all", rows)


def training(rows):
    """Geometric means over the models of how long the device is busy, LibTorch's over atc's."""
    busy = {}
    for row in rows:
        busy.setdefault((row["model"], row["set"], row["mode"], row["side"]), []).append(row["busy_ms"])
    median = {name: statistics.median(values) for name, values in busy.items()}
    yield ("\nThe time for which the device is busy, LibTorch's over atc's: geometric means over the models, how many in "
           "brackets; targets 1.35 in tf32-first and 1.13 in bf16-last, none below 1.\n")
    yield "| format, mode | models | heuristic / atc | benchmark / atc | least of both |"
    yield "|---|---|---|---|---|"
    for which, mode in dict.fromkeys((row["set"], row["mode"]) for row in rows):
        names = [model for model in dict.fromkeys(row["model"] for row in rows)
                 if (model, which, mode, "atc") in median]

        def ratios(side):
            return {model: median[model, which, mode, side] / median[model, which, mode, "atc"] for model in names
                    if (model, which, mode, side) in median}

        sides = [ratios("heuristic"), ratios("benchmark")]
        if not any(sides):
            continue
        least = min((ratio, model) for one in sides for model, ratio in one.items())
        cells = [f"{geomean(list(one.values())):.3f} ({len(one)})" if one else "-" for one in sides]
        yield f"| {which}, {mode} | {len(names)} | {' | '.join(cells)} | {least[0]:.3f} {least[1]} |"
