"""Reads raw results. A file has JSON lines: a head (program, device, versions), and then a line for each cell. If a
measurement is resumed, it appends a further head and further lines."""

import json


def read(path, of="layer"):
    """Returns the first head of a file of raw results, with the commits of all heads added, and the lines of all cells.
    The line of a cell has the key `of`."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    heads = [line for line in lines if of not in line]
    commits = list(dict.fromkeys(head["commit"] for head in heads))
    return {**heads[0], "commits": commits}, [line for line in lines if of in line]


def at(head):
    """Returns a clause of a sentence with the commits of atc that measured a file."""
    return f"atc at {', '.join(head['commits'])}"


def parted(path, of="layer"):
    """Returns the head, the rows without an error and the rows with an error of a file of raw results. If the file does
    not exist, all three are empty."""
    if not path.exists():
        return None, [], []
    head, rows = read(path, of)
    return head, [row for row in rows if "failed" not in row], [row for row in rows if "failed" in row]
