"""Compares the ctypes structs in Python programs of this repository with the golden layout.

A program may leave out the last fields of a struct that has grown: it passes the size of its own struct.

    python3 mirrors.py REPOSITORY
"""

import ctypes
import importlib.util
import pathlib
import re
import sys

MIRRORS = {
    "examples/python/convolution.py": {"TensorView": "atc_tensor_view", "Problem": "atc_conv_problem",
                                       "Options": "atc_conv_options"},
}
# The Python module that declares each struct of the C headers under the name that it has in C.
WHOLE = "python/atc/_abi.py"


def golden(*files):
    """Returns {struct: {field: (offset, size)}} from golden layout files. The key "" stands for the struct
    itself."""
    layout = {}
    for line in "\n".join(file.read_text() for file in files).splitlines():
        if found := re.fullmatch(r"struct (\w+) size (\d+) align \d+", line):
            layout[found[1]] = {"": (0, int(found[2]))}
        elif found := re.fullmatch(r"field (\w+)\.(\w+) offset (\d+) size (\d+)", line):
            layout[found[1]][found[2]] = (int(found[3]), int(found[4]))
    return layout


def loaded(file):
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def fields_of(mirror):
    fields = {"": (0, ctypes.sizeof(mirror))}
    for name, _ in mirror._fields_:
        field = getattr(mirror, name)
        fields[name] = (field.offset, field.size)
    return fields


def shortened(fields, count):
    """Returns the fields that a program declares if it leaves out the last fields of a struct: the first
    `count` entries, and the size of this shorter struct. A struct without struct_size is returned whole,
    because it cannot be shortened."""
    ordered = sorted(fields.items(), key=lambda item: (item[0] != "", item[1]))
    if "struct_size" not in fields or count >= len(ordered):
        return fields
    kept = dict(ordered[:count])
    return {**kept, "": (0, ordered[count][1][0])}


def main(repository):
    layout = golden(repository / "ffi/abi/atc-abi.txt", repository / "ffi/abi/atc-torch-abi.txt")
    wrong = []
    for file, mirrors in {**MIRRORS, WHOLE: {struct: struct for struct in layout}}.items():
        module = loaded(repository / file)
        for name, struct in mirrors.items():
            seen = fields_of(getattr(module, name))
            known = layout[struct] if file == WHOLE else shortened(layout[struct], len(seen))
            wrong += [f"{file}: {name}{'.' * bool(field)}{field} has offset and size {seen.get(field)}, "
                      f"{struct} has {known.get(field)}"
                      for field in sorted(seen.keys() | known.keys()) if seen.get(field) != known.get(field)]
    sys.exit("\n".join(wrong) or 0)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
