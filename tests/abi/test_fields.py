"""Tests the table of options, and the comparison of the table with the public headers: test_fields.py ABI_FOLDER"""

import pathlib
import shutil
import sys
import tempfile
import unittest

try:
    import tomllib  # noqa: F401
except ImportError:
    print("skipped: needs Python 3.11 or newer (tomllib)")
    sys.exit(77)

ABI = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ABI))

import cpp  # noqa: E402
import header  # noqa: E402
import page  # noqa: E402
import python_types  # noqa: E402
import rust  # noqa: E402
import table  # noqa: E402

NEW = """
[[option]]
name = "added"
kind = "switch"
place = {place}
default = "off"
since = "0.1"
text = "an example"
"""


class Fields(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = pathlib.Path(scratch.name)
        shutil.copytree(ABI.parent / "include", self.root / "include")
        self.file = self.root / "fields.toml"
        shutil.copy(ABI / "fields.toml", self.file)

    def change(self, file, old, new):
        text = (self.root / file).read_text()
        self.assertIn(old, text)
        (self.root / file).write_text(text.replace(old, new, 1))

    def differences(self):
        return "\n".join(header.differences(table.read(self.file), self.root))

    def refused(self):
        with self.assertRaises(table.BadTable) as caught:
            table.read(self.file)
        return str(caught.exception)

    def test_the_headers_have_the_fields_of_the_table(self):
        self.assertEqual(self.differences(), "")

    def test_a_field_that_the_table_lacks_is_found(self):
        self.change("include/atc/conv.h", "  int32_t require_firm;", "  int32_t surplus;\n  int32_t require_firm;")
        self.assertIn("conv.h: the fields of atc_conv_options are", self.differences())

    def next_number(self, struct):
        return len(table.fields(table.read(self.file), struct)) + 1

    def add(self, struct, number, kind="switch"):
        text = NEW.format(place=f"{{ {struct} = {number} }}")
        with self.file.open("a") as file:
            file.write(text.replace("switch", kind))

    def test_a_row_that_a_header_lacks_is_found(self):
        self.add("tune", self.next_number("tune"))
        self.assertIn("the table has struct_size, technique", self.differences())

    def test_another_order_is_found(self):
        self.change("fields.toml", "place = { conv = 2, tune = 2 }", "place = { conv = 3, tune = 2 }")
        self.change("fields.toml", "place = { conv = 3, tune = 3 }", "place = { conv = 2, tune = 3 }")
        self.assertIn("conv.h: the fields of atc_conv_options are", self.differences())

    def test_another_type_is_found(self):
        self.change("include/atc/tune.h", "uint64_t max_candidates", "int64_t max_candidates")
        self.assertIn("atc_tune_options.max_candidates is int64_t, in the table uint64_t", self.differences())

    def test_another_default_is_found(self):
        self.change("include/atc/torch.h", "may take. 0: 2 s */", "may take. 0: 3 s */")
        self.assertIn("torch.h: the comment of atc_torch_options.budget_seconds does not name its default (\"0: 2 s\")",
                      self.differences())

    def test_numbers_have_no_gaps_and_no_twins(self):
        number = self.next_number("conv")
        for wrong in (number - 1, number + 1):
            with self.subTest(wrong):
                shutil.copy(ABI / "fields.toml", self.file)
                self.add("conv", wrong)
                self.assertIn(f"in conv: number {number} is next", self.refused())

    def test_a_reserved_field_must_be_zero_and_is_no_option(self):
        for struct in table.STRUCTS:
            self.add(struct, self.next_number(struct), "reserved")
            self.change("fields.toml", 'name = "added"', f'name = "added_{struct}"')
        options = table.read(self.file)
        self.assertIn('require_zero(known.added_tune, ', cpp.of_ffi(options))
        self.assertIn('    {"added_torch", &atc_torch_options::added_torch},\n', cpp.of_torch(options))
        for written in (cpp.of_core, page.generate, python_types.generate, rust.of_plan, rust.of_tuner, rust.of_bridge):
            self.assertNotIn("added", written(options))

    def test_mistakes_in_a_row_are_named(self):
        for old, new, message in (
                ('kind = "limit"', 'kind = "limits"', "workspace_limit is of kind 'limits': the kinds are switch"),
                ('flag = true', 'flags = true', "require_firm has flags: the columns are"),
                ('place = { tune = 7 }', 'place = { tuner = 7 }', "widen is in tuner: the structs are conv"),
                ('name = "widen"', 'name = "seed"', "seed has two rows"),
                ('default = { conv = "on", torch = "off" }', 'default = { conv = "on" }',
                 "allow_reference has no default in torch"),
                ('default = { conv = "on", torch = "off" }', 'default = "inherited"',
                 "allow_reference is 'inherited' by default in conv")):
            with self.subTest(message):
                shutil.copy(ABI / "fields.toml", self.file)
                self.change("fields.toml", old, new)
                self.assertIn(message, self.refused())


if __name__ == "__main__":
    unittest.main()
