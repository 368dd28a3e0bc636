"""Writes include/atc/atc1.h from the headers that atc.h includes: atc1.py [--check] INCLUDE_DIR

atc1.h has the text of these headers with their comments. Each function has the name that the shared library exports.
Parts that only compilers understand are left out: labels, attributes, inline functions, and macros that are not
integers. --check writes nothing and fails if the file differs from the generated text.
"""

import difflib
import re
import sys
from pathlib import Path

COLUMNS = 120

FRAME = """\
/* atc: the C ABI under the names that the shared library has: atc1_foo in place of atc_foo (1 is the ABI's
 * major version). For dlsym, cffi, cbindgen and other tools that do not understand symbol labels: C99 without
 * attributes, inline functions and macros other than integers. Types and constants are those of atc.h, with which this
 * header cannot be included in one file.
 *
 * The text between the two lines "cdef" needs no preprocessor: cffi's cdef() takes it as it is.
 *
 * Generated from the other headers by the target `abi_goldens`; not edited by hand.
 */
#ifndef ATC_ATC1_H_
#define ATC_ATC1_H_

#ifdef ATC_BASE_H_
#error "atc1.h and atc.h declare the same types: include one of them in a file"
#endif

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {{
#endif

/* ---- cdef ---- */

{declarations}

/* ---- cdef ---- */

#ifdef __cplusplus
}}
#endif
#endif /* ATC_ATC1_H_ */
"""

COMMENT = r"/\*(?:[^*]|\*(?!/))*\*/"
# The comment directly above a declaration is matched together with the declaration.
COMMENT_ABOVE = rf"(?:^{COMMENT}\n)?"
FUNCTION = re.compile(r"^ATC_API\s+([^;(]*?)\batc_(\w+)\(([^;]*?)\)\s*ATC_NOEXCEPT\s*ATC_SYM\((\w+)\);", re.M)
INLINE = re.compile(rf"{COMMENT_ABOVE}^static inline\b.*?^}}\n", re.M | re.S)
# A preprocessor directive, with its continuation lines and the comment above it.
DIRECTIVE = re.compile(rf"{COMMENT_ABOVE}^#(?:.*\\\n)*.*\n", re.M)
INTEGER = re.compile(r"#define (ATC_\w+) (?:U?INT64_C\((\w+)\)|(-?\w+))(?=\s|$)")


def in_order(include, header, seen):
    """Yields (name, text) of each header that `header` includes, directly or not. A header follows the headers that it
    includes, so `header` itself is the last one."""
    if header in seen:
        return
    seen.add(header)
    text = (include / header).read_text()
    for included in re.findall(r'^#include "(atc/\w+\.h)"', text, re.M):
        yield from in_order(include, included, seen)
    yield header, text


def without_directives(header, text):
    """Returns the text of the header without preprocessor directives. Macros that are integers are kept, unless they
    are inside of an #if."""
    kept, depth, end = [], 0, 0
    for match in DIRECTIVE.finditer(text):
        if depth <= 1:
            kept.append(text[end:match.start()])
        end = match.end()
        line = match.group(0)[re.search(r"^#", match.group(0), re.M).start():]
        if re.match(r"#if", line):
            depth += 1
        elif line.startswith("#endif"):
            depth -= 1
        elif line.startswith("#define") and depth == 1:
            kept.append(constant(header, match.group(0), line))
        # The comment above the include guard is kept, because it describes the declarations that follow.
        if re.match(r"#ifndef ATC_\w+_H_", line):
            kept.append(match.group(0)[:-len(line)] + "\n")
    kept.append(text[end:])
    return "".join(kept)


def constant(header, whole, line):
    integer = INTEGER.match(line)
    if integer:
        name, wide, plain = integer.groups()
        rest = line[integer.end():]
        return whole[:-len(line)] + f"#define {name} {wide + 'ULL' if wide else plain}{rest}"
    # Include guards, macros with parameters, and initializers do not belong into atc1.h.
    if re.match(r"#define (ATC_\w+_H_$|\w+\(|ATC_\w+_INIT ATC_SIZED\()", line, re.M):
        return ""
    raise ValueError(f"{header}: unknown form of a macro: {line.strip()}")


def prototype(match):
    returns, name, parameters, label = match.groups()
    if name != label:
        raise ValueError(f"atc_{name} carries ATC_SYM({label})")
    lines = [" ".join(f"{returns}atc_{name}(".split())]
    margin = len(lines[0]) + 1  # the names in atc1.h begin with atc1_, which is one character longer than atc_
    for i, parameter in enumerate(re.split(r",\s*", " ".join(parameters.split()))):
        if i and margin - 1 < len(lines[-1]) and len(lines[-1]) + len(parameter) + 5 > COLUMNS:
            lines[-1] += ","
            lines.append(" " * margin + parameter)
        else:
            lines[-1] += (", " if i else "") + parameter
    return "\n".join(lines) + ");"


def generate(include):
    parts = []
    for header, text in in_order(include, "atc/atc.h", set()):
        if header != "atc/atc.h":
            parts.append(without_directives(header, INLINE.sub("", text)))
    text = "\n".join(parts)
    names = {f"atc_{match.group(2)}" for match in FUNCTION.finditer(text)}
    text = FUNCTION.sub(prototype, text)
    text = re.sub(r"\batc_\w+", lambda m: m.group(0).replace("atc_", "atc1_", 1) if m.group(0) in names else m.group(0),
                  text)
    left = re.search(r".*\bATC_(?:API|NOEXCEPT|SYM)\b.*", text)
    if left:
        raise ValueError(f"unknown form of a function: {left.group(0).strip()}")
    return FRAME.format(declarations=re.sub(r"\n{3,}", "\n\n", text).strip())


def main():
    check = "--check" in sys.argv[1:]
    include = Path([argument for argument in sys.argv[1:] if argument != "--check"][0])
    file = include / "atc/atc1.h"
    fresh = generate(include)
    if not check:
        file.write_text(fresh)
        return 0
    difference = list(difflib.unified_diff(file.read_text().splitlines(), fresh.splitlines(), "atc1.h",
                                           "what the headers give", lineterm="", n=0))
    print("\n".join(difference) or f"{len(fresh.splitlines())} lines, as the headers give them")
    if difference:
        print("build the target abi_goldens, which writes the file anew")
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main())
