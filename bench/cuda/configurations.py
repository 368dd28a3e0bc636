"""Makes the sections on the configurations of atc's own kernels: which configurations win races, and how good the
order is in which a cost model sorts them."""

import collections

from figures import class_of, geomean, mean_or_none
from rows import at, parted

# The engines of libraries; every other engine is atc's own.
LIBRARIES = ("aten", "cublaslt", "cudnn", "reference")
NEAR = 1.01  # two times count as equal if their ratio is below this number, because a race cannot distinguish them


def engine_of(choice):
    return choice.split(">")[-1].split("@")[0]


def takes(choice, chain):
    """Whether a choice has this chain of rewrites and engine, whatever the versions and
    configurations are."""
    return [one.split("@")[0] for one in choice.split(">")] == [one.split("@")[0] for one in chain.split(">")]


def behind(times, count):
    """Returns the least time of the first `count` configurations, divided by the least time of all configurations."""
    return min(times[:count]) / min(times)


def offers(folder):
    """Makes the section on the order in which a cost model offers the configurations of atc's own
    kernels."""
    head, rows, _ = parted(folder / "offers.jsonl")
    races = [(engine_of(chain), takes(row["choice"], chain), [ms for ms in times if ms]) for row in rows
             for chain, times in row["offers_ms"].items()]
    races = [(name, won, times) for name, won, times in races if name not in LIBRARIES and len(times) > 1]
    if not races:
        return
    yield (f"\n## The first offers of own kernels\n\nIn {len(rows)} cells each engine offered its "
           f"configurations to a race with the default settings ({at(head)}). The table counts the races in which more than "
           "one offer of the engine took part. A ratio is the time of the best of the engine's first offers / the time of "
           "the best of all its offers. The last three columns are for the races that the engine won. Near means within "
           "1 %: a race does not tell such times apart.\n")
    yield ("| engine | races | first is near its best | first alone, mean (worst) | first 2 | first 3 | won | first is near, "
           "of those | first alone, mean of those |")
    yield "|---|---|---|---|---|---|---|---|---|"
    for engine in (*sorted({name for name, _, _ in races}), "all of them"):
        some = [(won, times) for name, won, times in races if engine in (name, "all of them")]
        by_count = [[behind(times, count) for _, times in some] for count in (1, 2, 3)]
        of_won = [behind(times, 1) for won, times in some if won]
        yield (f"| {engine} | {len(some)} | {sum(loss < NEAR for loss in by_count[0])} | "
               + " | ".join(f"{geomean(losses):.3f} ({max(losses):.2f})" for losses in by_count)
               + f" | {len(of_won)} | {sum(loss < NEAR for loss in of_won)} | {mean_or_none(of_won)} |")


def lists(rows):
    """Makes the section that shows how often the most common configurations of each class win. If they won nearly
    always, a list of them could replace the cost model."""
    won = [row for row in rows if engine_of(row["choice"]) not in LIBRARIES]
    if not won:
        return
    yield ("\n## How many configurations win\n\nThe table counts the cells that a kernel of atc won, and how "
           "many of these cells the four most common configurations of the class won.\n")
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
