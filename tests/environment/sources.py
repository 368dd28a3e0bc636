"""Checks two rules about the environment variables that the sources read. 1. Each variable of atc that a file of the
repository reads must have a row in docs/environment.md. (A unit test compares this page with libatc's table of
variables.) 2. A process that has more rights than its caller, such as a set-user-ID program, must ignore the caller's
environment. So libatc and the bridge may only read variables by a function that ignores the environment in such a
process."""
import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1])

# The only file that may call getenv, which reads a variable even in a process that has more rights than its caller. The
# file does so to find out whether other libraries, which call getenv, obey the variable.
UNGUARDED = "src/core/environment.cpp"

NAME = r"(ATC_[A-Z0-9_]+)"
READS = [
    rf'(?:getenv|environment_(?:text|path|flag|log|folders|positive|bytes))\(\s*"{NAME}"',
    rf'k(?:Variable|RaceVariable|PlanVariable|Store|Mode|ExpectedCalls) = "{NAME}"',
    rf'flag<[^>]*>\((?:[^()"]|"[a-z_]*")*"{NAME}"',
    rf'(?:env::var|env::var_os|\bread|\bnumber)\(\s*"{NAME}"',
    rf'environ(?:\.get\(|\[)\s*"{NAME}"',
    rf"\$\{{{NAME}:-",
    rf"ENV\{{{NAME}\}}",
]
FOLDERS = ["src", "ffi", "torch", "rust", "python", "scripts", "cmake", "tests", "bench", "examples", ".ci"]
SKIPPED = {"target", "node_modules", "__pycache__", "libatc", "headers"}


def files(folder):
    for path in sorted((ROOT / folder).rglob("*")):
        if path.is_file() and not SKIPPED & set(path.relative_to(ROOT).parts):
            try:
                yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            except UnicodeDecodeError:
                continue


def known():
    page = (ROOT / "docs/environment.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(ATC_[A-Z0-9_]+\*?)` \|", page, re.MULTILINE)


def is_known(name, names):
    return any(name == one or (one.endswith("*") and name.startswith(one[:-1])) for one in names)


def main():
    names, faults, found = known(), [], set()
    for folder in FOLDERS:
        for file, text in files(folder):
            read = {name for pattern in READS for name in re.findall(pattern, text)}
            found |= read
            faults += [f"{file} reads {name}, which docs/environment.md does not have" for name in sorted(read)
                       if not is_known(name, names)]
            if folder in ("src", "ffi", "torch") and file != UNGUARDED and re.search(r"(?<!secure_)getenv\s*\(", text):
                faults.append(f"{file} calls getenv: use core/environment.hpp, or secure_getenv in the bridge")
    faults += [f"docs/environment.md has {name}, which nothing reads" for name in names
               if not name.endswith("*") and name not in found]
    if len(found) < 15:
        faults.append(f"only {len(found)} variables were found in the sources: {sorted(found)}")
    for fault in faults:
        print(fault)
    return 1 if faults else 0


sys.exit(main())
