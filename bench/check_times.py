#!/usr/bin/env python3
"""Prints how long the correctness gate (the check of each candidate's results) takes in each race: check_times.py
LOG...

LOG is the standard error of a program with ATC_LOG=debug, such as

    ATC_LOG=debug atc tune resnet50 --device cuda --dtype bf16 --layout channels-last --batch 128 2> log
    python3 bench/check_times.py log

A race times the candidates of a problem. There is a line for each race with six times in milliseconds: (1) the whole
race; (2) all checks together; (3) the check of the first candidate, which also evaluates the reference; (4) the longest
of the other checks; (5) their median; (6) further checks of the winner. If a check after the first took longer than 100
ms, it most likely loaded a kernel. The column `loads` counts such checks, and `apart` is the sum of all checks without
these.
"""
import re
import statistics
import sys

RACE = re.compile(r"race for (.*): ([\d.]+) s, ([\d.]+) of it for operands"
                  r"(?:, ([\d.]+) for further checks of its winner)?")
CANDIDATE = re.compile(r"  (\S+): ([\d.]+) s preparing, ([\d.]+) checking, ([\d.]+) timing")
LOADS = 100  # if a check takes more milliseconds than this, it most likely loaded a kernel


def races(lines):
    """Yields (problem, milliseconds of the race, milliseconds of further checks, list of the milliseconds of
    each candidate's check)."""
    race = None
    for line in lines:
        if found := RACE.search(line):
            if race:
                yield race
            race = (found[1], 1e3 * float(found[2]), 1e3 * float(found[4] or 0), [])
        elif race and (found := CANDIDATE.search(line)):
            race[3].append(1e3 * float(found[3]))
    if race:
        yield race


def main():
    lines = [line for name in sys.argv[1:] for line in open(name, encoding="utf-8", errors="replace")]
    rows = []
    for problem, whole, further, checks in races(lines):
        if not checks:
            continue
        others = checks[1:]
        slow = [check for check in others if check > LOADS]
        total = sum(checks) + further
        rows.append((whole, total, checks[0], max(others, default=0), statistics.median(others) if others else 0, further,
                     len(slow), total - sum(slow)))
        print(("{:9.1f} " * 6 + "{:5d} {:9.1f}  {}").format(*rows[-1], problem))
    if not rows:
        sys.exit("no race in these logs: was ATC_LOG=debug set?")
    names = ("race", "checks", "first", "longest", "median", "further", "loads", "apart")
    print(f"{len(rows)} races")
    for name, column in zip(names, zip(*rows)):
        print(f"  {name:8} median {statistics.median(column):9.2f}  most {max(column):9.1f}  sum {sum(column):10.1f}")


if __name__ == "__main__":
    main()
