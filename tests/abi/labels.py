"""Checks the label of each function: the function atc_foo is declared with ATC_SYM(foo), which names the symbol in
the library, and no two functions have the same label. If TWIN is given, it is the header that declares the same
functions under their names in the library: each is named atc1_foo, has no label, and otherwise equals atc_foo.

If a wrong label is used consistently, programs link and run. So only this test finds it.
Usage: labels.py HEADER INCLUDE_DIR COMPILER [TWIN]
"""

import sys

import headers


def main():
    functions = headers.read(sys.argv[2], sys.argv[3], sys.argv[1]).functions
    bad = [f for f in functions if f.name != f"atc_{f.label}"]
    for f in bad:
        print(f"{f.header}: {f.name} carries "
              + (f"ATC_SYM({f.label})" if f.label else "no ATC_SYM label"))
    print(f"{len(functions)} functions, {len(bad)} with a wrong label")
    unlike = twin_differences(functions, *sys.argv[2:]) if len(sys.argv) > 4 else []
    for line in unlike:
        print(line)
    return 1 if bad or unlike or not functions else 0


def twin_differences(functions, include, compiler, twin):
    def prototype(name, function):
        return f"{function.returns} {name}({', '.join(function.parameters)})"

    declared = headers.read(include, compiler, twin).functions
    wanted = {prototype(f"atc1_{f.label}", f) for f in functions}
    found = {prototype(f.name, f) for f in declared}
    return ([f"not in {twin}: {line}" for line in sorted(wanted - found)]
            + [f"{twin} alone: {line}" for line in sorted(found - wanted)]
            + [f"{twin}: {f.name} carries ATC_SYM({f.label})" for f in declared if f.label])


if __name__ == "__main__":
    sys.exit(main())
