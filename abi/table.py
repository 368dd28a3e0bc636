"""Reads and checks the table of options (fields.toml). A row is one option, with its fields in up to three C
structs."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

STRUCTS = {"conv": "atc_conv_options", "tune": "atc_tune_options", "torch": "atc_torch_options"}
TYPES = {"switch": "int32_t", "tuning": "int32_t", "limit": "uint64_t", "seconds": "double", "technique": "atc_technique",
         "alignment": "uint32_t", "names": "const char*",
         "reserved": "int32_t", "own": None}
KEYS = {"name", "kind", "place", "default", "since", "text", "type", "core", "resolved", "flag", "help", "rust", "python"}
NEEDED = {"name", "kind", "place", "since", "text"}


class BadTable(Exception):
    """The table contradicts itself."""


@dataclass(frozen=True)
class Option:
    """One option: a row of the table."""

    row: dict

    def __getattr__(self, key):
        if key in NEEDED:
            return self.row[key]
        raise AttributeError(key)

    def within(self, struct):
        return struct in self.place

    def of(self, key, struct):
        """Returns the value of a column of this row for the struct. In the table a column has either one value for all
        structs, or a value for each struct."""
        value = self.row.get(key)
        return value.get(struct) if isinstance(value, dict) else value

    def c_type(self, struct):
        return TYPES[self.kind] or self.of("type", struct)

    def default(self, struct):
        return self.of("default", struct)

    @property
    def is_plain(self):
        """True if ffi/ reads the field by the common function for the option's kind. False if the field has handwritten
        code."""
        return self.kind not in ("own", "reserved") and self.row.get("core") is not False

    @property
    def core(self):
        return self.row.get("core", self.name)

    @property
    def is_resolved(self):
        return self.row.get("resolved", False)

    @property
    def is_flag(self):
        return self.row.get("flag", False)

    @property
    def short(self):
        """The option's name in Rust and Python: without `_seconds`."""
        return self.name.removesuffix("_seconds") if self.kind == "seconds" else self.name

    def sentence(self):
        return self.text[0].upper() + self.text[1:] + "."

    def help(self):
        return self.row.get("help", self.sentence().rstrip("."))

    def rust(self, struct):
        return self.of("rust", struct) or self.sentence()


def read(file=Path(__file__).parent / "fields.toml"):
    try:
        rows = tomllib.loads(file.read_text())["option"]
    except (tomllib.TOMLDecodeError, KeyError) as error:
        raise BadTable(f"{file.name} has no table of options: {error}") from None
    options = [Option(row) for row in rows]
    for number, row in enumerate(rows, 1):
        name = row.get("name", f"row {number}")
        if missing := NEEDED - row.keys():
            raise BadTable(f"{name} lacks {', '.join(sorted(missing))}")
        if unknown := row.keys() - KEYS:
            raise BadTable(f"{name} has {', '.join(sorted(unknown))}: the columns are {', '.join(sorted(KEYS))}")
        if row["kind"] not in TYPES:
            raise BadTable(f"{name} is of kind {row['kind']!r}: the kinds are {', '.join(TYPES)}")
        if unknown := row["place"].keys() - STRUCTS.keys():
            raise BadTable(f"{name} is in {', '.join(sorted(unknown))}: the structs are {', '.join(STRUCTS)}")
        if row.get("flag") and (row["kind"] != "switch" or "tune" not in row["place"]):
            raise BadTable(f"{name} has a flag: only switches of tuning have one")
        if row["kind"] == "switch":
            check_switch(options[number - 1])
    names = [row["name"] for row in rows]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadTable(f"{', '.join(twice)} has two rows: one row has all its structs")
    for struct in STRUCTS:
        fields(options, struct)
    return options


def check_switch(one):
    for struct in one.place:
        default = one.default(struct)
        if default is None:
            raise BadTable(f"{one.name} has no default in {struct}")
        if struct != "torch" and not one.is_resolved and default not in ("on", "off"):
            raise BadTable(f"{one.name} is {default!r} by default in {struct}: a decision gets it as the caller gives it, so it "
                           "is \"on\" or \"off\" (or `resolved`)")


def fields(options, struct):
    """Returns the options of a struct, in the order of the struct's fields. Fails if their numbers are not 1, 2, 3,
    …."""
    own = sorted((one for one in options if one.within(struct)), key=lambda one: one.place[struct])
    for expected, one in enumerate(own, 1):
        if one.place[struct] != expected:
            raise BadTable(f"{one.name} is number {one.place[struct]} in {struct}: number {expected} is next")
    return own
