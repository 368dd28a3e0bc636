"""Makes those sections of the page of results that are each made from one file of raw results. If the file does not
exist, the section is left out."""

from figures import class_of, gain, geomean, key, mean_or_none, over_benchmark, over_floor, span
from rows import at, parted


def why(row):
    return f"failed: {', '.join(key(row))}: {row['failed']}"


def confirmed(folder, name):
    """Returns the cells in which atc was slower than LibTorch in two processes. Returns None if no second process has
    measured the cells that were slower in the first."""
    head, rows, _ = parted(folder / name)
    return {key(row) for row in rows if row["slower"]} if head else None


def slower_cells(rows, again=None):
    return [row for row in rows if row["slower"] and (again is None or key(row) in again)]


def listed(lines):
    """Yields an empty line and then the lines of the list. Yields nothing if there are no lines."""
    lines = [f"* {line}" for line in lines]
    if lines:
        yield from ["", *lines]


def outside(folder):
    head, rows, failed = parted(folder / "outside.jsonl")
    if not rows:
        return
    slower = slower_cells(rows, confirmed(folder, "outside_confirmed.jsonl"))
    yield (f"\n## Layers outside the list\n\n{len(rows)} layers drawn at random by `bench/cuda/outside.py`, a cell of "
           f"each{f', and {len(failed)} that failed' if failed else ''}; {at(head)}. Gain over "
           f"the faster mode {geomean([gain(r) for r in rows]):.3f}, over benchmark mode "
           f"{geomean([over_benchmark(r) for r in rows]):.3f}; slower: {len(slower)}; target 0.\n")
    yield "| class | cells | over the faster mode | least | over benchmark mode | atc / floor |"
    yield "|---|---|---|---|---|---|"
    for name in sorted({class_of(row) for row in rows}):
        some = [row for row in rows if class_of(row) == name]
        yield (f"| {name} | {len(some)} | {geomean([gain(r) for r in some]):.3f} | {min(map(gain, some)):.2f} | "
               f"{geomean([over_benchmark(r) for r in some]):.3f} | {mean_or_none([over_floor(r) for r in some])} |")
    yield from listed([f"slower: {', '.join(key(row))} (`{row['shape']}`): {gain(row):.2f} "
                       f"({row['ms']['atc']:.4f} ms), `{row['choice']}`" for row in sorted(slower, key=gain)]
                      + list(map(why, failed)))


def max_autotune(folder):
    head, rows, failed = parted(folder / "max_autotune.jsonl")
    if not rows:
        return

    def over(row):
        return row["ms"]["compiled"] / row["ms"]["atc"]

    slower = [row for row in rows if row["slower"]]
    seconds = {name: sum(row["first_call_s"][name] for row in rows) for name in ("compiled", "atc")}
    yield (f"\n## Against torch.compile\n\n{len(rows)} cells of forward with and without bias, {at(head)}"
           f"{f', and {len(failed)} that failed' if failed else ''}, compiled in the mode `{head['mode']}` "
           f"({head['backends'].replace(',', ' and ')}). The program captured the calls of both sides in graphs. The gain "
           f"is the time of the compiled call / the time of atc: geometric mean {span(list(map(over, rows)))}, "
           f"target 1.5. Cells in which atc is slower: {len(slower)}, target 0. All first calls took {seconds['compiled']:.0f} s "
           f"compiled, and {seconds['atc']:.0f} s with atc.\n")
    yield "| cell | compiled, ms | atc, ms | gain | choice |"
    yield "|---|---|---|---|---|"
    for row in sorted(rows, key=over):
        yield (f"| {', '.join(key(row))}{' (slower)' if row['slower'] else ''} | {row['ms']['compiled']:.4f} | "
               f"{row['ms']['atc']:.4f} | {over(row):.2f} | `{row['choice']}` |")
    yield from listed(map(why, failed))


DEAR = 1.05


def determinism(folder):
    head, rows, failed = parted(folder / "determinism.jsonl")
    if not rows:
        return
    costs = [row["cost"] for row in rows]
    dear = sorted((row for row in rows if row["cost"] > DEAR), key=lambda row: -row["cost"])
    same = sum(row["choices"]["any"] == row["choices"]["deterministic"] for row in rows)
    yield (f"\n## Determinism\n\n{len(rows)} cells{f' and {len(failed)} that failed' if failed else ''}, {at(head)}. The "
           "cost of a cell is its time with the option `deterministic_cudnn` / its time without this option. The geometric "
           f"mean of the costs is {geomean(costs):.3f}, and the worst is {max(costs):.2f}. Cells with a "
           f"cost above {DEAR}: {len(dear)}; target 0. In {same} cells atc makes the same choice with and without the option.")
    yield from listed([f"{', '.join(key(row))}: {row['cost']:.2f}, `{row['choices']['deterministic']}` instead of "
                       f"`{row['choices']['any']}`" + (f": {row['refused']}" if "refused" in row else "")
                       for row in dear] + list(map(why, failed)))


# Two results count as different if they differ by more than this fraction of their root mean square. A result that is
# rounded to bf16 has an error of up to 2^-9 of its size. Two such results of an element that is five times as large as
# the root mean square differ by up to 0.02 of the root mean square.
DIFFERS = 0.03


def cudnns(folder):
    """Makes the table that compares two versions of cuDNN on the same cells, if the file exists."""
    head, rows, failed = parted(folder / "cudnns.jsonl")
    if not rows:
        return
    old, new = head["versions"]

    def over(name):
        return [row["ms"][name][0] / row["ms"][name][1] for row in rows if None not in row["ms"][name]]

    yield (f"\n## cuDNN {old} and {new}\n\n{len(rows)} cells{f' and {len(failed)} that failed' if failed else ''}, with the engine "
           f"`cudnn` alone, {at(head)}. The time with {old} / the time with {new} is {span(over('default'))} for the choice "
           f"of cuDNN's heuristics, and {span(over('winner'))} for the tuned choice. "
           f"{sum(row['choices'][0].split(':')[1] == row['choices'][1].split(':')[1] for row in rows)} cells have the same "
           f"configuration with both versions. The results of the tuned choices differ by more than {DIFFERS:.0%} of their "
           f"root mean square in {sum(row['differs'] is None or row['differs'] > DIFFERS for row in rows)} of the cells.\n")
    yield f"| tuned | cells | {old} faster by more than 5 % | {new} faster by more than 5 % |"
    yield "|---|---|---|---|"
    for fmt, layout in sorted({(row["format"], row["layout"]) for row in rows}):
        some = [row["ms"]["winner"] for row in rows if (row["format"], row["layout"]) == (fmt, layout)]
        yield (f"| {fmt}, channels {layout} | {len(some)} | {sum(1.05 * a < b for a, b in some)} | "
               f"{sum(1.05 * b < a for a, b in some)} |")
    yield from listed(map(why, failed))


def tuning(rows):
    """Makes the table of the time of first calls: the parts of this time, and the time of LibTorch's search."""
    yield ("\n## First calls by class\n\nEach time is the sum over all first calls, in seconds. The store was empty at the "
           "beginning.\n")
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
