"""Writes atc/_abi.py from the C headers: generate.py [--check] INCLUDE_DIR

The file has the constants, structs and prototypes of atc1.h (libatc) and torch.h (libatc_torch) for ctypes.
--check writes nothing, and fails if the file differs from the headers. If a declaration in the headers has a
form that this program does not know, the program fails."""

import difflib
import re
import sys
from pathlib import Path

FILE = Path(__file__).resolve().parent / "atc/_abi.py"

HEAD = '''\
"""The C ABI for ctypes: constants, structs and prototypes under their names in the C headers.

Generated from include/atc by python/generate.py; not edited by hand.
"""

import ctypes as c

'''

COLUMNS = 120
SCALARS = {"int32_t": "c.c_int32", "uint32_t": "c.c_uint32", "int64_t": "c.c_int64", "uint64_t": "c.c_uint64",
           "uint8_t": "c.c_uint8", "uint16_t": "c.c_uint16", "size_t": "c.c_size_t", "float": "c.c_float",
           "double": "c.c_double", "char": "c.c_char"}
# The bytes that atc1_bytes_data returns may contain NUL, so the type of its result cannot be c_char_p: ctypes would end
# the text at the first NUL.
BYTES = "atc1_bytes_data"


class Reader:
    """Reads the declarations of the headers in their order, and keeps the corresponding lines of Python."""

    def __init__(self):
        self.scalars = dict(SCALARS)  # for each scalar type of C, the name of its type in ctypes
        self.structs = set()  # the structs whose fields the headers define
        self.constants, self.types, self.functions = [], [], []

    def header(self, text):
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        text = re.sub(r"\\\n", " ", text)
        for name, value in re.findall(r"^#define (ATC_\w+) (\d+|0x[0-9A-F]+ULL)\s*$", text, re.M):
            self.constants.append(f"{name} = {value.replace('ULL', '')}")
        text = re.sub(r"^#.*$", "", text, flags=re.M)
        text = re.sub(r'extern "C" \{|^\}$|\bATC_API\b|\bATC_NOEXCEPT\b', "", text, flags=re.M)
        # ATC_SYM(label) gives the function the name atc1_label in the library.
        text = re.sub(r"\batc_(\w+)(\([^;{}]*\))\s*ATC_SYM\((\w+)\)", r"atc1_\3\2", text)
        for declaration in re.findall(r"[^;{]+(?:\{[^}]*\}[^;]*)?;", text):
            self.declaration(" ".join(declaration.rstrip(";").split()))

    def declaration(self, text):
        if match := re.fullmatch(r"enum \{(.*)\}", text):
            for name, value in re.findall(r"(\w+) = (\d+)", match[1]):
                self.constants.append(f"{name} = {value}")
        elif match := re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", text):
            self.struct(match[1], [field.strip() for field in match[2].split(";") if field.strip()])
        elif match := re.fullmatch(r"typedef ([\w\s*]+?)\(\*(\w+)\)\((.*)\)", text):
            self.types.append(f"{match[2]} = {self.callback(match[1], match[3])}")
            self.scalars[match[2]] = match[2]
        elif match := re.fullmatch(r"typedef struct (\w+) ?\* ?(\w+)", text):
            self.scalars[match[2]] = "c.c_void_p"
        elif re.fullmatch(r"(typedef )?struct (\w+)( \2)?", text):
            # The struct has no fields in the headers, so it is a handle, and a pointer to it is a c_void_p
            pass
        elif match := re.fullmatch(r"typedef (\w+) (\w+)", text):
            self.scalars[match[2]] = self.scalars[match[1]]
        elif match := re.fullmatch(r"([\w\s*]+?)(atc1_\w+)\((.*)\)", text):
            result = "c.c_void_p" if match[2] == BYTES else self.type(match[1])
            parameters = ", ".join(self.parameters(match[3]))
            self.functions.append(entry(f'"{match[2]}": ', result, parameters))
        else:
            raise ValueError(f"unknown form of a declaration: {text}")

    def struct(self, name, fields):
        lines = []
        for field in fields:
            if match := re.fullmatch(r"([\w\s*]+?)\(\*(\w+)\)\((.*)\)", field):
                lines.append(f'("{match[2]}", {self.callback(match[1], match[3])})')
            elif match := re.fullmatch(r"([\w\s*]+?)(\w+)(?:\[(\d+)\])?", field):
                length = f" * {match[3]}" if match[3] else ""
                lines.append(f'("{match[2]}", {self.type(match[1])}{length})')
            else:
                raise ValueError(f"unknown form of a field of {name}: {field}")
        body = "".join(f"        {line},\n" for line in lines)
        self.types.append(f"\n\nclass {name}(c.Structure):\n    _fields_ = [\n{body}    ]\n\n")
        self.structs.add(name)

    def callback(self, result, parameters):
        return f"c.CFUNCTYPE({', '.join([self.type(result), *self.parameters(parameters)])})"

    def parameters(self, text):
        return [self.type(re.sub(r"\b\w+$", "", part)) for part in text.split(",") if text.strip() != "void"]

    def type(self, text):
        """Returns the ctypes type of a declaration: a scalar, a pointer to a struct with fields, to a scalar or
        to a pointer, or a handle (c_void_p)."""
        words = re.sub(r"\b(const|struct)\b", " ", text).replace("*", " * ").split()
        name, stars = words[0], len(words) - 1
        if words[1:] != ["*"] * stars:
            raise ValueError(f"unknown form of a type: {text}")
        if name == "void" and not stars:
            return "None"
        if name == "char" and stars:
            inner, stars = "c.c_char_p", stars - 1
        elif name in self.structs or name in self.scalars:
            inner = self.scalars.get(name, name)
        else:
            inner, stars = "c.c_void_p", stars - 1
        if stars < 0:
            raise ValueError(f"unknown type: {text}")
        for _ in range(stars):
            inner = f"c.POINTER({inner})"
        return inner


def entry(head, result, parameters):
    """Returns an item of a dictionary as text. If the item is too long for one line, the text has two lines."""
    line = f"    {head}({result}, [{parameters}]),"
    if len(line) <= COLUMNS:
        return line
    inner, lines = "        ", [f"    {head}({result}, ["]
    for part in re.findall(r"c\.\w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?|\w+", parameters):
        if len(lines[-1]) + len(part) + 2 > COLUMNS or len(lines) == 1:
            lines.append(inner + part)
        else:
            lines[-1] += f" {part}"
        lines[-1] += ","
    return "\n".join([*lines[:-1], lines[-1].rstrip(",") + "]),"])


def generate(include):
    reader = Reader()
    _, declarations, _ = (include / "atc/atc1.h").read_text().split("/* ---- cdef ---- */")
    reader.header(declarations)
    own = len(reader.functions)
    reader.header((include / "atc/torch.h").read_text())
    types = re.sub(r"\n{3,}", "\n\n\n", "\n".join(reader.types))
    text = (HEAD + "\n".join(reader.constants) + "\n" + types.rstrip() + "\n\n\n"
            + "# Result and parameters of each function.\nFUNCTIONS = {\n" + "\n".join(reader.functions[:own])
            + "\n}\n\nTORCH_FUNCTIONS = {\n" + "\n".join(reader.functions[own:]) + "\n}\n")
    return text


def main():
    include = Path([argument for argument in sys.argv[1:] if argument != "--check"][0])
    fresh = generate(include)
    if "--check" not in sys.argv[1:]:
        FILE.write_text(fresh)
        return 0
    difference = list(difflib.unified_diff(FILE.read_text().splitlines(), fresh.splitlines(), "atc/_abi.py",
                                           "what the headers give", lineterm="", n=0))
    print("\n".join(difference) or f"{len(fresh.splitlines())} lines, as the headers give them")
    if difference:
        print("build the target abi_goldens, which writes the file anew")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
