"""Reads raw results, which are JSON lines: a head (program, device, versions), then a line for each cell. A resumed
run adds both."""

import json


def read(path, of="layer"):
    """Returns the first head, with the commits of all runs, and all cells, which are the lines with
    this key."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    heads = [line for line in lines if of not in line]
    commits = list(dict.fromkeys(head["commit"] for head in heads))
    return {**heads[0], "commits": commits}, [line for line in lines if of in line]


def at(head):
    """Returns a clause that says by which commits of atc a file was measured."""
    return f"atc at {', '.join(head['commits'])}"


def parted(path, of="layer"):
    """Returns the head, the rows that did not fail, and those that did; nothing if the file does
    not exist."""
    if not path.exists():
        return None, [], []
    head, rows = read(path, of)
    return head, [row for row in rows if "failed" not in row], [row for row in rows if "failed" in row]
