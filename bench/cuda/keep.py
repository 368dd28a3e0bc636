"""Packs the raw results of a folder into an archive, and leaves in the folder only the fields from which the pages are
made:

    python3 bench/cuda/keep.py bench/results/h200 2026-11-25

The archive is bench/results/raw/<folder>-<date>.tar.xz. Its hash is written to SHA256SUMS beside the archive. In the
folder, every line of a .jsonl file remains, with only the fields that a page reads and with nine significant digits.
The texts of screens remain as they are.
"""

import hashlib
import json
import pathlib
import sys
import tarfile

KEY = ("layer", "op", "format", "layout", "model", "set", "mode", "side", "repetition", "shape", "search_limit", "failed")
TABLE = ("ms", "slower", "choice")

# The fields of each file that report.py, summary.py, classes.py, roofline.py or FINDINGS.md uses. If a file is not in
# this table, all its fields are kept.
FIELDS = {
    "against_torch": (*TABLE, "groups", "hot_ms", "first_call_s", "refused"),
    "confirmed": TABLE,
    "outside": TABLE,
    "outside_confirmed": TABLE,
    "queued": (*TABLE, "issue_us", "late"),
    "max_autotune": (*TABLE, "first_call_s"),
    "first_calls": ("first_call_s",),
    "offers": ("choice", "offers_ms"),
    "determinism": ("choices", "cost", "refused"),
    "limits": ("candidate_ms",),
    "noise": ("choices", "provisional", "behind", "torch_behind"),
    "noise_unnoticed": ("choices", "provisional", "behind", "torch_behind"),
    "regret": ("regret",),
    "techniques": ("decided",),
    "techniques_unnoticed": ("decided",),
    "cudnns": ("choices", "ms", "differs"),
    "models": ("step_ms", "busy_ms", "kernels", "peak_mib", "device_used_mib", "first_step_s"),
    "first_steps": ("first_step_s",),
}
DECISION = ("choice", "behind", "provisional", "mhz")  # the fields of a decision in the file of techniques


def rounded(value):
    """Returns the value with nine significant digits in each number."""
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, list):
        return [rounded(one) for one in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def digest(names):
    """Returns a short text in place of a list of names of kernels. Equal lists have equal texts. If the list has the
    reason of a refusal, the text is "refused"."""
    if names[:1] and names[0].startswith("refused"):
        return ["refused"]
    return [hashlib.sha256("\n".join(names).encode()).hexdigest()[:8]]


def toggled(side):
    return {**side, "toggled": {name: digest(names) for name, names in side["toggled"].items()},
            "processes": [digest(names) for names in side["processes"]]}


def kept(name, row):
    """Returns a row of the file with this name, with the fields that the pages read."""
    if "layer" not in row and "model" not in row:
        return row
    if name in FIELDS:
        row = {field: value for field, value in row.items() if field in (*KEY, *FIELDS[name])}
    if "decided" in row:
        row["decided"] = {condition: {technique: {field: one[field] for field in DECISION} for technique, one in some.items()}
                          for condition, some in row["decided"].items()}
    if name == "toggles" and "failed" not in row:
        row = {**row, "atc": toggled(row["atc"]), "torch": toggled(row["torch"])}
    return rounded(row)


def kept_lines(name, text):
    return "".join(json.dumps(kept(name, json.loads(line)), separators=(",", ":")) + "\n" for line in text.splitlines())


def pack(folder, archive):
    """Writes the raw files of the folder to the archive, and the archive's hash to SHA256SUMS. The pages and pictures
    that are made from the raw files are not packed."""
    def plain(member):
        member.uid = member.gid = member.mtime = 0
        member.uname = member.gname = ""
        return member

    archive.parent.mkdir(exist_ok=True)
    made = {"TABLES.md", "README.md", "FINDINGS.md", "roofline.svg"}
    with tarfile.open(archive, "w:xz", preset=9) as tar:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and path.name not in made:
                tar.add(path, path.relative_to(folder.parent), filter=plain)
    sums = archive.parent / "SHA256SUMS"
    lines = [line for line in sums.read_text().splitlines() if not line.endswith(archive.name)] if sums.exists() else []
    lines.append(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}")
    sums.write_text("".join(line + "\n" for line in sorted(lines, key=lambda line: line.split()[1])))


def packed(folder, date):
    """Packs the raw files of the folder, and reduces the files in the folder to the fields from which the pages are
    made. Returns the path of the archive."""
    archive = folder.parent / "raw" / f"{folder.name}-{date}.tar.xz"
    if archive.exists():
        raise SystemExit(f"{archive} exists already: give the date of the new results")
    pack(folder, archive)
    for path in folder.glob("*.jsonl"):
        path.write_text(kept_lines(path.stem, path.read_text()))
    for path in (folder / "screens").glob("*"):
        if path.suffix not in (".txt", ".md"):
            path.unlink()
    return archive


def main():
    print(packed(pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]))


if __name__ == "__main__":
    main()
