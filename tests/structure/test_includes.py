"""Checks the includes of each folder against the table "Layers" in docs/architecture.md.

A row of the table names a folder, or a single file, and the folders whose files it may include. A file with a row of
its own may include the folders of this row and those of its folder's row. A name with "/*" stands for each folder below
that folder. A folder may always include its own files.
"""
import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()
TOPS = ("src", "ffi", "torch")
SOURCES = (".cpp", ".hpp", ".cu", ".cuh")
INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")


def rows_of(page):
    """Returns, for each folder or file, the patterns of the folders that it may include."""
    section = page.split("\n## Layers\n", 1)[1].split("\n## ", 1)[0]
    rows = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 2 and CODE.fullmatch(cells[0]):
            rows[CODE.fullmatch(cells[0])[1]] = CODE.findall(cells[1])
    return rows


def name_of(path):
    """Returns the path as the table writes it: relative to src/, or relative to the root of the repository."""
    return path.relative_to(ROOT).as_posix().removeprefix("src/")


def includes():
    """Yields (file, folder of the included file) for each include of a file in the repository."""
    for top in TOPS:
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix not in SOURCES:
                continue
            for text in INCLUDE.findall(path.read_text(encoding="utf-8")):
                found = next((base / text for base in (ROOT / "src", path.parent, ROOT / top) if (base / text).is_file()), None)
                if found is not None:
                    yield name_of(path), name_of(found.resolve().parent)


def matches(pattern, folder):
    return folder == pattern or (pattern.endswith("/*") and folder.startswith(pattern[:-1]))


def allowed(rows, file):
    """Returns the patterns of the folders that the file may include, or None if the table has no row for the file."""
    folder = file.rpartition("/")[0]
    row = rows.get(folder, next((rows[name] for name in rows if matches(name, folder)), None))
    return None if row is None else [folder, *row, *rows.get(file, [])]


def violations(rows, found):
    wrong = set()
    for file, there in found:
        patterns = allowed(rows, file)
        if patterns is None:
            wrong.add(f"{file}: the table has no row for its folder")
        elif not any(matches(pattern, there) for pattern in patterns):
            wrong.add(f"{file} may not include files of {there}")
    return sorted(wrong)


def layer(folder):
    """Returns the layer to which a folder belongs. Each folder below conv is a layer of its own. Any other top folder
    is one layer together with the folders below it."""
    parts = folder.split("/")
    return "/".join(parts[:2]) if parts[0] == "conv" else parts[0]


def circle(graph):
    """Returns a list of layers that include one another in a circle, or None if there is no circle."""
    done = set()

    def visit(name, path):
        if name in path:
            return path[path.index(name):] + [name]
        if name not in done:
            for other in sorted(graph.get(name, ())):
                found = visit(other, path + [name])
                if found:
                    return found
            done.add(name)
        return None

    return next((found for found in (visit(name, []) for name in sorted(graph)) if found), None)


class Includes(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.rows = rows_of((ROOT / "docs" / "architecture.md").read_text(encoding="utf-8"))

    def test_each_include_is_in_the_table(self):
        self.assertEqual([], violations(self.rows, includes()))

    def test_each_row_names_something_that_exists(self):
        names = [name.removesuffix("/*") for row in self.rows.items() for name in (row[0], *row[1])]
        self.assertEqual([], [name for name in names if not (ROOT / name).exists() and not (ROOT / "src" / name).exists()])

    def test_no_layers_include_one_another_in_a_circle(self):
        graph = {}
        for file, there in includes():
            here = layer(file.rpartition("/")[0])
            if layer(there) != here:
                graph.setdefault(here, set()).add(layer(there))
        self.assertIsNone(circle(graph))

    def test_an_include_that_no_row_allows_is_found(self):
        found = [("core/a.cpp", "store"), ("store/b.cpp", "core"), ("ffi/c.cpp", "device/cuda"), ("ffi/d.cpp", "device/cuda"), ("new/e.cpp", "core")]
        rows = {"core": [], "store": ["core"], "ffi": ["core"], "ffi/d.cpp": ["device/*"]}
        self.assertEqual(["core/a.cpp may not include files of store", "ffi/c.cpp may not include files of device/cuda",
                          "new/e.cpp: the table has no row for its folder"], violations(rows, found))

    def test_a_circle_is_found(self):
        self.assertEqual(["a", "b", "c", "a"], circle({"a": {"b"}, "b": {"c"}, "c": {"a"}}))
        self.assertIsNone(circle({"a": {"b", "c"}, "b": {"c"}}))


if __name__ == "__main__":
    unittest.main()
