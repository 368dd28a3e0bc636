"""Raw results as JSON lines: a head (program, device, versions), then a line for each cell; a resumed run adds both."""

import json


def read(path, of="layer"):
    """The first head, with the commits of all runs, and all cells, which are the lines with this key."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    heads = [line for line in lines if of not in line]
    commits = list(dict.fromkeys(head["commit"] for head in heads))
    return {**heads[0], "commits": commits}, [line for line in lines if of in line]


def at(head):
    """By which commits of atc a file was measured, as a clause."""
    return f"atc at {', '.join(head['commits'])}"


def parted(path, of="layer"):
    """The head, the rows that did not fail, and those that did; nothing if the file does not exist."""
    if not path.exists():
        return None, [], []
    head, rows = read(path, of)
    return head, [row for row in rows if "failed" not in row], [row for row in rows if "failed" in row]
