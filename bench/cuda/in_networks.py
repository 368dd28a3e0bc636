"""Makes the section on the layers of networks. Each layer is weighted by the time that it takes in its
network."""

from figures import geomean
from rows import at, parted
from shapes import FOLDER


def counts(path=FOLDER / "networks.txt"):
    """Returns, for each layer, the name of its network, and how often the network has the layer."""
    result = {}
    for line in path.read_text().splitlines():
        row, _, comment = line.partition("#")
        if row.strip():
            name = row.split()[0]
            network = name.removeprefix("tconv_").rsplit("_", 1)[0]
            result[name] = network, int(comment.split(",")[0].strip().removeprefix("x"))
    return result


def time_of(rows, side, number_of):
    """Returns the milliseconds that these layers take in their network together. The time of a layer is
    multiplied by the number of times that the network has the layer."""
    return sum(number_of[row["layer"]][1] * side(row["ms"]) for row in rows)


def better_mode(ms):
    return min(ms["heuristic"], ms["benchmark"])


def networks(folder):
    """Makes the table of layers weighted by their time, if they were measured."""
    head, rows, failed = parted(folder / "networks.jsonl")
    if not rows:
        return
    number_of = counts()
    sets = list(dict.fromkeys((row["format"], row["layout"]) for row in rows))
    yield (f"\n## Layers by their time in networks\n\n{len(rows)} cells of `bench/shapes/networks.txt`"
           f"{f' and {len(failed)} that failed' if failed else ''}, {at(head)}. For a network, the time of its listed layers with "
           "the faster of LibTorch's two modes, cell by cell, is divided by the time with atc. A layer counts as often as the "
           "network has it. Forward and both backward directions count, without bias. The last line has the geometric mean over the networks.\n")
    yield f"| network | {' | '.join(f'{fmt}, {layout}' for fmt, layout in sets)} | all | slowest cell |"
    yield "|---|" + "---|" * (len(sets) + 2)

    def gain_of(some):
        return time_of(some, better_mode, number_of) / time_of(some, lambda ms: ms["atc"], number_of)

    gains = {}
    rows = [row for row in rows if row["op"] != "forward-bias"]
    for network in dict.fromkeys(number_of[row["layer"]][0] for row in rows):
        some = [row for row in rows if number_of[row["layer"]][0] == network]
        parts = [[row for row in some if (row["format"], row["layout"]) == one] for one in sets]
        gains[network] = [gain_of(part) if part else None for part in [*parts, some]]
        least = min(some, key=lambda row: better_mode(row["ms"]) / row["ms"]["atc"])
        yield (f"| {network} | {' | '.join(f'{one:.3f}' if one else '-' for one in gains[network])} | "
               f"{better_mode(least['ms']) / least['ms']['atc']:.2f} {least['layer']}, {least['op']}, {least['format']}, "
               f"{least['layout']} |")
    means = [[one for one in column if one] for column in zip(*gains.values())]
    yield f"| mean | {' | '.join(f'{geomean(column):.3f}' for column in means)} | |"
