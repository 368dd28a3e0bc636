"""Reads the declarations of the public C headers.

The compiler's preprocessor runs first. A declaration of an unknown form is an error, so that no
declaration is left out of the generated tests.
"""

import re
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

# Macros that are only used in the declarations of the headers. They are not meant for users of atc.
PLUMBING = {"ATC_API", "ATC_NOEXCEPT", "ATC_SYM", "ATC_SIZED"}


@dataclass
class Function:
    name: str
    label: str
    returns: str
    parameters: list  # the text of each parameter; "" for (void)
    header: str


@dataclass
class Struct:
    name: str
    fields: list = field(default_factory=list)


@dataclass
class Headers:
    functions: list = field(default_factory=list)
    structs: list = field(default_factory=list)
    opaques: list = field(default_factory=list)
    scalars: list = field(default_factory=list)  # the typedefs of integers and pointers
    constants: list = field(default_factory=list)  # the enumerators and the macros without parameters
    initializers: list = field(default_factory=list)  # the names of the macros ATC_*_INIT


# The header that stands for all headers of libatc, because it includes them. Each other header describes
# the declarations of one shared library.
UMBRELLA = "atc.h"


def preprocess(include, compiler="cc", extra=(), header=UMBRELLA):
    command = [compiler, "-E", "-x", "c", "-std=c99", f"-I{include}", *extra, "-"]
    result = subprocess.run(command, input=f'#include "atc/{header}"\n', capture_output=True, text=True,
                            check=True)
    return result.stdout if header == UMBRELLA else only(header, result.stdout)


def only(header, text):
    """Returns the lines that come from the file `header` itself. Lines of included headers are left out,
    because those headers belong to another library."""
    kept, inside = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            inside = marker.group(1).endswith(f"atc/{header}")
        if inside:
            kept.append(line)
    return "\n".join(kept)


def own_lines(text):
    """Yields (header, line) for each line that comes from a header of atc."""
    current = ""
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            match = re.search(r"atc/(\w+\.h)$", marker.group(1))
            current = match.group(1) if match else ""
        elif current and line.strip():
            yield current, line


def declarations(text):
    """Yields (header, declaration) for each declaration at the top level. Each run of white space in a
    declaration becomes one space."""
    parts, depth, header = [], 0, ""
    for header, line in own_lines(text):
        for piece in re.findall(r'"[^"]*"|[^";{}]+|[;{}]', line):
            if piece == "{":
                depth += 1
            elif piece == "}":
                depth -= 1
            if piece == ";" and depth == 0:
                yield header, re.sub(r"\s+", " ", " ".join(parts)).strip()
                parts = []
            else:
                parts.append(piece)
            if piece == "}" and depth == 0 and "".join(parts).strip().startswith("static inline "):
                parts = []  # drops this declaration, because it is no part of the library's interface
        parts.append(" ")
    rest = "".join(parts).strip()
    if rest:
        raise ValueError(f"{header}: unfinished declaration: {rest}")


def split_commas(text):
    """Splits the text at commas that are not inside of parentheses."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(text):
        depth += (c == "(") - (c == ")")
        if c == "," and depth == 0:
            out.append(text[start:i].strip())
            start = i + 1
    out.append(text[start:].strip())
    return [part for part in out if part]


def field_name(declaration):
    match = (re.search(r"\(\s*\*\s*(\w+)\s*\)\s*\(", declaration)
             or re.fullmatch(r"[\w\s*]*?(\w+)(\s*\[\w+\])?", declaration))
    if not match:
        raise ValueError(f"unknown form of a field: {declaration}")
    return match.group(1)


def macros(include, compiler, header):
    """Returns the names of the macros without parameters that atc's headers define, in the order of their
    definition. Include guards and the macros in PLUMBING are left out."""
    names = []
    for _, line in own_lines(preprocess(include, compiler, ["-dD"], header)):
        match = re.match(r"#define (ATC_\w+)(\(?)\s*(.*)", line)
        if match and match.group(1) not in PLUMBING and not match.group(1).endswith("_H_"):
            if match.group(2) or not match.group(3):
                raise ValueError(f"a macro that is no constant: {line}")
            names.append(match.group(1))
    return names


def read(include, compiler="cc", header=UMBRELLA):
    # ATC_SYM(name) would expand to a compiler-specific label. It is replaced by a plain word, so that this
    # reader finds the label.
    text = preprocess(include, compiler, ["-DATC_SYM(name)=ATC_LABEL(name)"], header)
    headers = Headers()
    for where, declaration in declarations(text):
        if not add(headers, where, declaration):
            raise ValueError(f"{where}: unknown form of a declaration: {declaration}")
    for name in macros(include, compiler, header):
        (headers.initializers if name.endswith("_INIT") else headers.constants).append(name)
    return headers


def add(headers, header, declaration):
    match = re.fullmatch(r"enum \{(.*)\}", declaration)
    if match:
        headers.constants += [part.split("=")[0].strip() for part in split_commas(match.group(1))]
        return True
    match = re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", declaration)
    if match:
        if match.group(1) != match.group(3):
            raise ValueError(f"{header}: tag and name differ: {declaration}")
        fields = [part.strip() for part in match.group(2).split(";") if part.strip()]
        headers.structs.append(Struct(match.group(1), [field_name(part) for part in fields]))
        return True
    match = re.fullmatch(r"typedef struct (\w+) (\w+)", declaration)
    if match:
        if match.group(1) != match.group(2):
            raise ValueError(f"{header}: tag and name differ: {declaration}")
        headers.opaques.append(match.group(1))
        return True
    match = (re.fullmatch(r"typedef .*\(\s*\*\s*(\w+)\s*\)\s*\(.*\)", declaration)
             or re.fullmatch(r"typedef [\w\s*]+?(\w+)", declaration))
    if match:
        headers.scalars.append(match.group(1))
        return True
    if re.fullmatch(r"struct \w+", declaration):
        return True
    match = re.fullmatch(r"([\w\s*]+?)(\w+)\s*\((.*?)\)\s*(?:ATC_LABEL\((\w+)\))?", declaration)
    if match:
        returns, name, parameters, label = match.groups()
        parameters = [] if parameters.strip() == "void" else split_commas(parameters)
        headers.functions.append(
            Function(name, label or "", returns.strip(), parameters, header))
        return True
    return False


DEFAULT_INCLUDE = Path(__file__).resolve().parents[2] / "include"
