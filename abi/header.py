"""Compares the option structs of the public headers (include/atc) with the table of options (fields.toml)."""

import re

from table import STRUCTS, fields

HEADERS = {"conv": "conv.h", "tune": "tune.h", "torch": "torch.h"}
# If the comment of a field in another struct contains these words, it refers to the comment of the field with the same
# name in atc_conv_options. Then the comment need not name the default.
REFERENCE = "as in atc_conv_options"


def declared(text, struct):
    """Yields (name, type, comment) for each field of the struct."""
    body = re.search(rf"^typedef struct {struct} \{{\n(.*?)^\}} {struct};", text, re.M | re.S)[1]
    for declaration, comment in re.findall(r"^  (\w[^;/]*);[ \t]*(/\*.*?\*/)?", body, re.M | re.S):
        words = re.fullmatch(r"(.*?)(\w+)(\[\d+\])?", declaration)
        c_type = re.sub(r"\s*\*", "*", words[1].strip()) + (words[3] or "")
        yield words[2], c_type, " ".join(re.sub(r"^\s*\*(?!/)", " ", comment.strip("/*"), flags=re.M).split())


def differences(options, root):
    found = []
    for struct, name in STRUCTS.items():
        file = f"include/atc/{HEADERS[struct]}"
        seen = list(declared((root / file).read_text(), name))
        rows = fields(options, struct)
        names = ["struct_size"] + [one.name for one in rows]
        if [field for field, _, _ in seen] != names:
            found.append(f"{file}: the fields of {name} are {', '.join(field for field, _, _ in seen)}; "
                         f"the table has {', '.join(names)}")
            continue
        for one, (field, c_type, comment) in zip(rows, seen[1:]):
            if c_type != one.c_type(struct):
                found.append(f"{file}: {name}.{field} is {c_type}, in the table {one.c_type(struct)}")
            default = one.default(struct)
            if default and f": {default}" not in comment and REFERENCE not in comment:
                found.append(f"{file}: the comment of {name}.{field} does not name its default "
                             f"(\"0: {default}\"): {comment}")
    return found
