"""The times of each engine's offers in a race, in their order, to see whether longer lists would help.

    python3 bench/cuda/offers.py --libatc libatc.so.1 --shapes bench/shapes/public.txt --cells 400 --out offers.jsonl

A line of --out is a cell: the milliseconds of each chain of rewrites and engine, none if the offer was refused, could not
be built or did not race.
"""

import record
from atc_abi import Plan


def offers(plan):
    found = {}
    for one in plan.candidates():
        chain = one.rewrites.decode() + one.engine.decode()
        found.setdefault(chain, []).append(round(1e3 * one.median, 6) if one.samples else None)
    return found


def raced(atc, cell):
    cell.switch(atc)
    plan = Plan(atc, cell.problem(atc))
    return {"choice": plan.choice(), "offers_ms": offers(plan)}


def main():
    options = record.sample_parser(__doc__, cells=400, seed=8).parse_args()
    atc, wanted = record.atc_and_sample(options)
    atc.set("benchmark_cudnn", 1)
    record.write(atc, options, wanted, lambda cell: raced(atc, cell))


if __name__ == "__main__":
    main()
