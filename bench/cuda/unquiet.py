"""Makes the sections on other work: work that runs on the device while atc measures, and work that ran before a
call."""

import statistics

from figures import key
from further import listed
from rows import at, parted

FAR = 0.03  # if a firm choice is slower than the best by more than this fraction, it counts as wrong


def techniques(folder):
    """Makes the table of the choices of each technique (way of timing): on a quiet device, after a long load, and
    while a load runs. A part that was not measured is left out."""
    head, rows, failed = parted(folder / "techniques.jsonl")
    if not rows:
        return
    yield (f"\n## Techniques beside load\n\n{len(rows)} cells{f' and {len(failed)} that failed' if failed else ''}, "
           f"{at(head)}. Behind: how much slower the choice is than the best of all choices for the cell; all of them were "
           "timed in turn on the device alone. Clock: the median clock of the choice in its race.\n")
    yield f"| condition | technique | provisional | behind, mean | worst | above {FAR:.0%}, firm | clock, MHz |"
    yield "|---|---|---|---|---|---|---|"
    for condition in rows[0]["decided"]:
        yield from lines_of(condition, rows, condition)
    # The last lines of the table are from a version of atc that did not detect other work on the device. This version
    # measured the same cells while other work ran.
    cells = {key(row) for row in rows}
    before = [row for row in parted(folder / "techniques_unnoticed.jsonl")[1] if key(row) in cells]
    if before:
        yield from lines_of(f"beside load, which is not looked for ({len(before)} cells)", before, "beside load")


def lines_of(title, rows, condition):
    for technique in rows[0]["decided"][condition]:
        some = [row["decided"][condition][technique] for row in rows]
        behind = [one["behind"] for one in some]
        far = sum(one["behind"] > FAR and not one["provisional"] for one in some)
        yield (f"| {title} | {technique} | {sum(one['provisional'] for one in some)} | {statistics.fmean(behind):.2%} | "
               f"{max(behind):.1%} | {far} | {statistics.median(one['mhz'] for one in some):.0f} |")


def noise(folder):
    """Makes the table that compares decisions with the best known choices, if its file exists. The decisions were
    made while bursts of other work ran at random."""
    head, rows, failed = parted(folder / "noise.jsonl")
    if not rows:
        return
    yield (f"\n## Tuned beside load at random\n\n{len(rows)} cells{f' and {len(failed)} that failed' if failed else ''}, "
           f"{at(head)}, tuned while products of matrices ran at random on another stream. Behind: how much slower this choice "
           "is than the faster one of this choice and the choice that was tuned on the device alone. Both were timed on the "
           "device alone. It is 0 if they are the same choice. LibTorch's search, with one sample for each candidate, ran "
           "beside the same load.\n")
    yield f"| | decisions | behind, mean | worst | above {FAR:.0%} |"
    yield "|---|---|---|---|---|"

    def line(name, parts):
        if not parts:
            return f"| {name} | 0 | - | - | - |"
        far = sum(one > FAR for one in parts)
        return f"| {name} | {len(parts)} | {statistics.fmean(parts):.2%} | {max(parts):.1%} | {far} |"

    yield line("atc, firm; target: none above", [behind(row) for row in rows if not row["provisional"]])
    yield line("atc, provisional", [behind(row) for row in rows if row["provisional"]])
    if before := parted(folder / "noise_unnoticed.jsonl")[1]:
        yield line("without the look for other work, firm", [behind(row) for row in before if not row["provisional"]])
        yield line("without it, provisional", [behind(row) for row in before if row["provisional"]])
    yield line("LibTorch's search", [row["torch_behind"] for row in rows])
    far = [row for row in rows if behind(row) > FAR and not row["provisional"]]
    yield from listed([f"{', '.join(key(row))}: {behind(row):.1%}, `{row['choices']['noisy']}`; alone "
                       f"`{row['choices']['quiet']}`" for row in sorted(far, key=lambda row: -row["behind"])])


def behind(row):
    """Returns how much slower the choice is than the best choice. Returns 0 if both are the same choice, because two
    plans of one choice differ only by the noise of the measurement."""
    return row["behind"] if row["choices"]["noisy"] != row["choices"]["quiet"] else 0.0


def other_sizes(folder):
    """Makes the section that shows whether candidates of cuDNN change their results after other sizes have run, if
    its file exists."""
    head, rows, failed = parted(folder / "other_sizes.jsonl")
    if not rows:
        return
    changed = [(row, choice) for row in rows for choice in row["changed"]]
    yield (f"\n## After other sizes\n\ncuDNN {head['cudnn']}, {len(rows)} depthwise cells"
           f"{f' and {len(failed)} that failed' if failed else ''}, {at(head)}: "
           f"{sum(row['candidates'] for row in rows)} candidates. Each candidate ran before and after "
           f"{sum(row['ran_elsewhere'] for row in rows)} runs at half and twice the extents. The result of "
           f"{len(changed)} candidates changed. {sum(len(row['not_repeatable']) for row in rows)} candidates gave another "
           "result even when nothing else ran in between. LibTorch's own result changed in "
           f"{sum(row['torch'] == 'changed' for row in rows)} cells.")
    yield from listed([f"changed: {', '.join(key(row))}, `{choice}`" for row, choice in changed])
