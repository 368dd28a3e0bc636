"""Raw results as JSON lines: the first says what ran where, each other one is a cell; a resumed run adds both."""

import json


def read(path, of="layer"):
    """What ran first there, with the commits of all runs, and the cells of all: what has such a key is one."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    heads = [line for line in lines if of not in line]
    commits = list(dict.fromkeys(head["commit"] for head in heads))
    return {**heads[0], "commits": commits}, [line for line in lines if of in line]


def parted(path, of="layer"):
    """What ran, the rows that did not fail, and those that did; nothing where there is no such file."""
    if not path.exists():
        return None, [], []
    head, rows = read(path, of)
    return head, [row for row in rows if "failed" not in row], [row for row in rows if "failed" in row]
