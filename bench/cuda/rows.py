"""Raw results as JSON lines: the first says what ran where, each other one is a cell; a resumed run adds both."""

import json


def read(path):
    """What ran first there, with the commits of all runs, and the cells of all."""
    with open(path) as file:
        lines = [json.loads(line) for line in file]
    heads = [line for line in lines if "layer" not in line]
    commits = list(dict.fromkeys(head["commit"] for head in heads))
    return {**heads[0], "commits": commits}, [line for line in lines if "layer" in line]
