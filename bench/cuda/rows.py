"""Raw results as JSON lines: the first says what ran where, each other one is a cell; a resumed run adds both."""

import json


def read(path):
    """What ran first there, and the cells of all runs."""
    with open(path) as file:
        head, *rest = map(json.loads, file)
    return head, [row for row in rest if "layer" in row]
