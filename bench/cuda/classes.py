"""Makes the section of docs/engines.md that shows the results of each class of layers.

    python3 bench/cuda/classes.py bench/results/h200 docs/engines.md

The figures come from against_torch.jsonl. The names of kernels come from kernels.jsonl, if this file exists. The
section is between two comments of the page. The program replaces the section.
"""

import collections
import pathlib
import re
import sys
import textwrap

from figures import class_of, geomean, layer_of, mean_or_none, over_benchmark, over_floor
from rows import parted

BEGIN, END = "<!-- made by bench/cuda/classes.py -->", "<!-- end of what bench/cuda/classes.py made -->"
MOST = 4  # the most names (of engines or kernels) in one cell of the table


def known(path):
    """Returns the rows of a class whose layers have a floor (a least time that the device
    allows)."""
    return [row for row in parted(path)[1] if layer_of(row)]


def chain(row):
    """Returns the engines of a choice, without versions and configurations."""
    return " > ".join(link.split("@")[0] for link in row["choice"].split(">"))


def most_common(names, whole):
    shares = collections.Counter(names).most_common(MOST)
    return ", ".join(f"`{name}` {100 * count / whole:.0f} %" for name, count in shares)


def short(kernel):
    """Returns a kernel's name without its tile and types."""
    name = kernel.replace("(anonymous namespace)::", "")
    product = re.match(r"(?:void )?(sm\d+_xmma)_([a-z_]+?)_(?:gemm_|tiling_)?\w*?_(n\w+)_tilesize", name)
    if product:
        return f"{product[1]} {product[2]} {product[3]}"
    cutlass = re.search(r"Kernel2?<(cutlass_\w+?)_\d+x\d+_\d+x\d+_(\w+)", name)
    if cutlass:
        return f"{cutlass[1]} {cutlass[2]}"
    return re.sub(r"^void ", "", re.split(r"[<(]", name)[0].strip()).split("::")[-1]


def kernels(rows, side):
    """Returns the names of the kernels of one side (atc or LibTorch) that take most of the time."""
    time = collections.Counter()
    for row in rows:
        whole = sum(us for _, us in row[side]) or 1
        for name, us in row[side]:
            time[short(name)] += us / whole / len(rows)
    return ", ".join(f"`{name}` {100 * share:.0f} %" for name, share in time.most_common(MOST))


def floors(rows, layout):
    some = [row for row in rows if row["layout"] == layout]
    return (mean_or_none([over_floor(row) * over_benchmark(row) for row in some]),
            mean_or_none([over_floor(row) for row in some]))


def paragraph(text):
    """Returns the text broken into lines, with no break within a word or within code."""
    whole = re.sub("`[^`]*`", lambda code: code[0].replace(" ", "\0"), text)
    lines = textwrap.fill(whole, 120, break_long_words=False, break_on_hyphens=False)
    return "\n{}\n".format(lines.replace("\0", " "))


def section(folder):
    rows, seen = known(folder / "against_torch.jsonl"), known(folder / "kernels.jsonl")
    where = f"bench/results/{folder.name}"
    yield BEGIN
    yield paragraph(
        "The table has one line for each class of layers. A cell is one layer in one direction, one number format and one layout. Its "
        "floor is the least time that its bytes or its operations need on the device. The columns give the time of LibTorch and of atc "
        "as a multiple of the floor (geometric means), the ratio of both, and the four most frequent winners. LibTorch runs in benchmark mode, "
        "with cuDNN's best plan or a kernel of LibTorch's own. The means include the cells of forward with bias, which \"Distance to the "
        f"floor\" in [TABLES](../{where}/TABLES.md) leaves out.").rstrip("\n")
    yield paragraph(
        f"`bench/cuda/against_torch.py` measured the figures (`{where}/against_torch.jsonl`). "
        f"`python3 bench/cuda/classes.py {where} docs/engines.md` writes this section, and "
        f"`python3 bench/cuda/roofline.py {where}` draws the picture.")
    yield "| class | cells | LibTorch, channels first | last | atc, channels first | last | LibTorch / atc | winners |"
    yield "|---|---|---|---|---|---|---|---|"
    names = sorted({class_of(row) for row in rows})
    for name in names:
        some = [row for row in rows if class_of(row) == name]
        (theirs_first, ours_first), (theirs_last, ours_last) = (floors(some, layout) for layout in ("first", "last"))
        yield (f"| {name} | {len(some)} | {theirs_first} | {theirs_last} | {ours_first} | {ours_last} | "
               f"{geomean([over_benchmark(row) for row in some]):.2f} | {most_common(map(chain, some), len(some))} |")
    yield f"\n![Rooflines of the classes](../{where}/roofline.svg)"
    if seen:
        yield paragraph("The kernels that take the time of a call, with the mean of their shares over some cells of each "
                        f"class (`{where}/kernels.jsonl`, `bench/cuda/kernels.py`):")
        yield "| class | cells | LibTorch's benchmark mode | atc |"
        yield "|---|---|---|---|"
        for name in sorted({class_of(row) for row in seen}):
            some = [row for row in seen if class_of(row) == name]
            yield f"| {name} | {len(some)} | {kernels(some, 'torch')} | {kernels(some, 'atc')} |"
    yield END


def replaced(page, text, begin=BEGIN, end=END):
    """Returns the page with the text in place of the section between the two comments."""
    before, rest = page.split(begin)
    return before + text + rest.split(end)[1]


def main():
    folder, page = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    page.write_text(replaced(page.read_text(), "\n".join(section(folder))))
    print(page)


if __name__ == "__main__":
    main()
