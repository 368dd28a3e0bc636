"""How far a choice is from the best if other work ran at random while it was made; LibTorch's search beside it.

    python3 bench/cuda/noise.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --cells 96 --out noise.jsonl

Both sides choose while matrix products run on another stream in random bursts (loads.py), then atc chooses once more on the
device alone. A line of --out has the times of the three choices (atc's are those of captured calls), taken in graphs that
run in turn on the device alone, how much slower than the faster of atc's two the noisy one is (`behind`), the same for
LibTorch's (`torch_behind`, against the best of all three), whether atc's decision under noise is provisional, and how the
quiet choice fared under noise (`lost`).
"""

import concurrent.futures
import statistics

import record
from against_torch import CANDIDATES, first_seconds, short_search
from atc_abi import Plan
from loads import Load
from timing import captured, milliseconds, rotation


def searched(cell, sets):
    """LibTorch's choice of a thread that is new to the shape, in a graph."""
    first_seconds(True, cell, sets[0], short_search(cell))
    return cell.torch_call


def measured(atc, cell, samples, seed):
    cell.switch(atc)
    problem, sets = cell.problem(atc), rotation(cell.operands())
    with concurrent.futures.ThreadPoolExecutor(1) as fresh:
        with Load(seed):
            noisy = atc.tune(problem)
            torch_call = fresh.submit(searched, cell, sets).result()
        quiet = atc.tune(problem)
        kept = {"noisy": captured(Plan(atc, problem, noisy.captured).on_current_stream, sets),
                "quiet": captured(Plan(atc, problem, quiet.captured).on_current_stream, sets),
                "torch": fresh.submit(captured, torch_call, sets).result()}
        times = milliseconds({name: one[0] for name, one in kept.items()}, samples)
    median = {name: statistics.median(values) for name, values in times.items()}
    lost = [one for one in noisy.candidates if one["choice"] == quiet.captured != noisy.captured]
    return {"choices": {"noisy": noisy.captured, "quiet": quiet.captured}, "ms": median, "provisional": noisy.provisional,
            "lost": lost[0] if lost else None,
            "search_limit": short_search(cell) if short_search(cell) != CANDIDATES else None,
            "behind": median["noisy"] / min(median["noisy"], median["quiet"]) - 1,
            "torch_behind": median["torch"] / min(median.values()) - 1}


def main():
    options = record.sample_parser(__doc__, cells=96, seed=11).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    seeds = {cell: options.seed + place for place, cell in enumerate(wanted)}
    record.write(atc, options, wanted, lambda cell: measured(atc, cell, options.samples, seeds[cell]))


if __name__ == "__main__":
    main()
