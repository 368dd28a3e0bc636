"""Makes the section on training steps of models."""

import statistics

from figures import geomean
from rows import at, parted


def models(folder):
    """Makes the table of training steps, if its file exists. A figure is the median over the processes of a side (atc
    or LibTorch)."""
    head, rows, _ = parted(folder / "models.jsonl", of="model")
    if not rows:
        return
    yield (f"\n## Training steps\n\nForward, backward and SGD, batch {head['batch']}, {at(head)}, a process for each "
           "side and repetition. The range is that of the processes. If the device is busy for less time than the step takes, "
           "the host is the limit. Busy and kernels are for one step. Peak is the largest amount of memory that LibTorch's "
           "allocator gave out at once. In use is all memory of the device that is in use after the steps.\n")
    yield ("| model, format, mode | side | step, ms | device busy, ms | kernels | peak, MiB | in use, MiB | "
           "first step, s |")
    yield "|---|---|---|---|---|---|---|---|"
    for name in dict.fromkeys((row["model"], row["set"], row["mode"], row["side"]) for row in rows):
        some = [row for row in rows if (row["model"], row["set"], row["mode"], row["side"]) == name]

        def median(what):
            return statistics.median(row[what] for row in some)

        steps = [row["step_ms"] for row in some]
        yield (f"| {', '.join(name[:3])} | {name[3]} | {median('step_ms'):.2f} ({min(steps):.2f} to {max(steps):.2f}) | "
               f"{median('busy_ms'):.2f} | {median('kernels'):.0f} | {median('peak_mib'):.0f} | "
               f"{median('device_used_mib'):.0f} | {median('first_step_s'):.2f} |")
    yield from means(rows)


def means(rows):
    """Yields geometric means over the models. The value of a model is the time for which the device is busy with
    LibTorch / the same time with atc."""
    busy = {}
    for row in rows:
        busy.setdefault((row["model"], row["set"], row["mode"], row["side"]), []).append(row["busy_ms"])
    median = {name: statistics.median(values) for name, values in busy.items()}
    yield ("\nThe time for which the device is busy, LibTorch / atc: geometric means over the models, with the number of models "
           "in brackets. Targets: 1.35 in tf32-first, 1.13 in bf16-last, none below 1.\n")
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


def first_steps(folder):
    """Makes the table of the first training steps of models, with an empty store and with a filled store, if its file
    exists."""
    head, rows, _ = parted(folder / "first_steps.jsonl", of="model")
    if not rows:
        return
    sides = list(dict.fromkeys(row["side"] for row in rows))
    yield (f"\n## First steps\n\nSeconds of the first training step, batch {head['batch']}, {at(head)}, a process for each "
           "side, mode and repetition, medians. The first step contains tuning, searching and compiling. `graph`: forward and "
           "backward are captured after it. `atc` begins with an empty store, `atc-warm` with the store that `atc` left.\n")
    yield f"| model, format, mode | {' | '.join(sides)} |"
    yield f"|---|{'---|' * len(sides)}"
    for name in dict.fromkeys((row["model"], row["set"], row["mode"]) for row in rows):
        by_side = {side: [row["first_step_s"] for row in rows
                          if (row["model"], row["set"], row["mode"], row["side"]) == (*name, side)] for side in sides}
        yield (f"| {', '.join(name)} | "
               + " | ".join(f"{statistics.median(some):.2f}" if some else "-" for some in by_side.values()) + " |")
