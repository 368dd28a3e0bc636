"""Tests stores. Entries and bundles are written and read again."""

import os
import tempfile
import unittest

import atc
from support import QUICK, SMALL, small

OTHER = small(input=(8, 6))


class Stores(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def store(self, name, **arguments):
        store = atc.Store(os.path.join(self.folder, name), **arguments)
        self.addCleanup(store.close)
        return store

    def tuned(self, name, *problems):
        store = self.store(name)
        atc.tune(problems, store=store, **QUICK)
        return store

    def test_what_was_tuned_is_found_by_plans(self):
        store = self.tuned("a", SMALL)
        self.assertEqual((len(store), store.mode, store.directory), (1, "read-write", os.path.join(self.folder, "a")))
        entry = store.get(SMALL)
        self.assertEqual(store.entries(), [entry])
        with atc.Plan(SMALL, store=store) as plan:
            choice = entry["value"]["choice"]
            self.assertEqual(plan.choice, f"{choice['engine']}@{choice['version']}:{choice['configuration']}")
            self.assertEqual(plan.source, "record")
        self.assertIsNone(store.get(OTHER))
        self.assertEqual(store.provisional(), int("provisional" in entry["value"]))

    def assert_received(self, entry, original):
        """Checks that the entry equals the original, apart from the mark that the entry was received from
        elsewhere."""
        self.assertEqual(entry["key"], original["key"])
        self.assertEqual(entry["value"], {**original["value"], "received": True})

    def test_entries_are_put_and_removed(self):
        entry = self.tuned("a", SMALL).get(SMALL)
        b = self.store("b")
        b.put(entry)
        self.assert_received(b.get(SMALL), entry)
        self.assertEqual(b.digest(), self.store("a").digest())
        self.assertEqual([b.remove(entry), b.remove(entry), len(b)], [True, False, 0])
        with self.assertRaises(atc.BadRecord):
            b.put({"key": 1})

    def test_a_firm_entry_is_replaced_where_that_is_asked_for(self):
        store = self.tuned("a", SMALL)
        entry = store.get(SMALL)
        # `firm` is a changed copy of the entry. It has no checksum, because the entry's checksum would be wrong.
        firm = {"key": entry["key"], "value": {**entry["value"]}}
        firm["value"].pop("provisional", None)
        store.put(firm, replace_firm=True)
        provisional = {**firm, "value": {**firm["value"], "provisional": {"risk": 0.1, "why": "noise", "budget": 2}}}
        store.put(provisional)
        self.assertEqual(store.provisional(), 0)
        store.put(provisional, replace_firm=True)
        self.assertEqual(store.provisional(), 1)
        other = self.store("b")
        other.put(firm)
        self.assertEqual(store.import_bundle(other.export_bundle()), (1, 0))
        self.assertEqual(store.provisional(), 0)

    def test_bundles(self):
        a, b = self.tuned("a", SMALL), self.tuned("b", OTHER)
        both = atc.Store.merge([a.export_bundle(), b.export_bundle()])
        c = self.store("c")
        self.assertEqual(c.import_bundle(both), (2, 0))
        again = c.import_bundle(both)
        self.assertEqual((again.added, again.kept), (0, 2))
        self.assert_received(c.get(OTHER), b.get(OTHER))
        with self.assertRaises(atc.BadRecord):
            c.import_bundle(both[:-1])
        with self.assertRaises(atc.BadRecord):
            c.import_bundle(b"\0bundle")
        self.assertEqual(len(c), 2)
        self.assertEqual(c.prune(1), 1)
        self.assertEqual(len(c), 1)

    def test_joined_stores_have_equal_choices(self):
        a, b = self.store("a"), self.store("b")
        for store, engine in ((a, "one"), (b, "another")):
            store.put({"key": {"environment": {}, "problem": {"n": 1}}, "value": {"choice": {"engine": engine}}})
        bundles = a.export_bundle(), b.export_bundle()
        self.assertEqual(sum(a.import_bundle(bundles[1], join=True)), 1)
        b.import_bundle(bundles[0], join=True)
        self.assertEqual(a.digest(), b.digest())
        self.assertEqual(atc.Store.merge(bundles), atc.Store.merge(reversed(bundles)))
        with self.assertRaises(atc.InvalidArgument):
            a.import_bundle(bundles[1], join=True, replace=True)

    def test_a_damaged_file_is_found(self):
        store = self.tuned("a", SMALL)
        self.assertEqual(store.verify(), [])
        files = [os.path.join(at, name) for at, _, names in os.walk(store.directory) for name in names
                 if name.endswith(".json")]
        for file in files:
            with open(file, "r+b") as one:
                one.truncate(20)
        self.assertEqual(len(store.verify()), 1)
        self.assertIsNone(self.store("a").get(SMALL))

    def test_the_store_of_the_process(self):
        self.addCleanup(atc.Store.use_none)
        self.assertIsNone(atc.Store.in_use())
        with self.tuned("a", SMALL) as store:
            self.assertIs(store.use(), store)
        in_use = atc.Store.in_use()
        self.assertEqual(in_use.directory, os.path.join(self.folder, "a"))
        self.assertEqual(atc.Plan(SMALL).source, "record")
        self.assertNotEqual(atc.Plan(SMALL, store=False).source, "record")
        atc.Store.use_none()
        self.assertIsNone(atc.Store.in_use())

    def test_replay_only(self):
        self.tuned("a", SMALL)
        store = self.store("a", mode="replay-only")
        self.assertEqual(atc.Plan(SMALL, store=store).source, "record")
        with self.assertRaises(atc.NotTuned):
            atc.Plan(OTHER, store=store)

    def test_what_cannot_be_opened(self):
        with self.assertRaises(atc.FileError):
            atc.Store("/dev/null/store")
        with self.assertRaisesRegex(atc.InvalidArgument, "mode is 'write'"):
            self.store("a", mode="write")
        with self.assertRaisesRegex(atc.InvalidArgument, "directory has a NUL byte at 1"):
            atc.Store("a\0b")

    def test_a_closed_store(self):
        store = self.store("a")
        store.close()
        store.close()
        self.assertEqual(repr(store), "<closed Store>")
        for use in (store.entries, store.use, lambda: len(store), lambda: atc.tune([SMALL], store=store)):
            with self.assertRaisesRegex(atc.InvalidArgument, "closed"):
                use()


if __name__ == "__main__":
    unittest.main()
