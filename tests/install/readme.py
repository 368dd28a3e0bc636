"""Checks that README's programs are the examples, and that its training steps have the measured times: readme.py
SOURCE_DIR README

A fenced block after a line `<!-- PATH -->` must equal the part of PATH between the comments [readme] and [/readme],
without its indentation. The figures of a row in milliseconds must be the medians in bench/results/h200/models.jsonl.
"""

import json
import re
import statistics
import sys
import textwrap
from pathlib import Path


def region(path):
    text = path.read_text()
    match = re.search(r"^[^\n]*\[readme\][^\n]*\n(.*?)^[^\n]*\[/readme\]", text, re.S | re.M)
    if not match:
        raise SystemExit(f"{path}: no part between [readme] and [/readme]")
    return textwrap.dedent(match.group(1)).strip()


MODELS = {"RegNetY-3.2GF": "regnet_y_3_2gf", "ConvNeXt-T": "convnext_tiny", "EfficientNet-B0": "efficientnet_b0", "ResNet-50": "resnet50",
          "MobileNetV3-L": "mobilenet_v3_large"}
SETS = {"TF32, channels first": "tf32-first", "bf16, channels last": "bf16-last"}
ROW = re.compile(r"^\| ([^,|]+), ([^,|]+, [^|(]+?)(?: \((¹)\))? \| ([\d.]+) ms \| ([\d.]+) ms \| ([\d.]+) ms \|$", re.M)


def wrong_steps(source, text):
    """Returns the number of rows in README's table of training steps, and a text for each row whose figures differ from
    the measured ones."""
    steps = {}
    for line in (source / "bench/results/h200/models.jsonl").read_text().splitlines():
        row = json.loads(line)
        if row.get("mode") == "eager":
            steps.setdefault((row["model"], row["set"], row["side"]), []).append(row["step_ms"])
    rows = ROW.findall(text)
    wrong = []
    for model, kind, once, *shown in rows:
        measured = [steps[MODELS[model], SETS[kind], side] for side in ("heuristic", "benchmark", "atc")]
        # README has one decimal. A measured figure in the middle between two such figures may be rounded to either of
        # them, so the difference may be a little more than 0.05.
        if any(abs(statistics.median(times) - float(figure)) > 0.051 for times, figure in zip(measured, shown)) or \
                any(len(times) != (1 if once else 3) for times in measured):
            wrong.append(f"{model}, {kind}: {[round(statistics.median(times), 2) for times in measured]} ms in {list(map(len, measured))} processes")
    return len(rows), wrong


def main():
    source, readme = Path(sys.argv[1]), Path(sys.argv[2])
    blocks = re.findall(r"<!-- (\S+) -->\n+```\w+\n(.*?)```", readme.read_text(), re.S)
    bad = [path for path, block in blocks if block.strip() != region(source / path)]
    for path in bad:
        print(f"{readme.name} does not show what {path} has between its [readme] marks:")
        print(region(source / path))
    rows, wrong = wrong_steps(source, readme.read_text())
    print(f"{len(blocks)} programs in {readme.name}, {len(bad)} differ; {rows} training steps, {len(wrong)} differ", *wrong, sep="\n")
    return 1 if bad or wrong or len(blocks) < 2 or rows < 5 else 0


if __name__ == "__main__":
    sys.exit(main())
