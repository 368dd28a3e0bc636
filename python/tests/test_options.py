"""Options as C gets them."""

import unittest

import atc
from atc import _abi
from atc._options import plan_options, tune_options

SWITCHES = ("deterministic", "allow_tf32", "constant_weights", "require_firm", "strict_precision",
            "allow_reduced_precision_reduction")


class Options(unittest.TestCase):
    def test_what_is_left_out_or_none_is_inherited(self):
        for made, kind in ((plan_options, _abi.atc_conv_options), (tune_options, _abi.atc_tune_options)):
            for given in ({}, {"store": None, "allow_tf32": None, "workspace_limit": None}):
                raw = made(given)
                self.assertEqual(bytes(raw), bytes(kind(struct_size=len(bytes(kind())))))

    def test_switches(self):
        for made, own in ((plan_options, ("tune", "allow_reference")), (tune_options, ("widen", "retune"))):
            for name in SWITCHES + own:
                for given, number in ((False, _abi.ATC_OFF), (True, _abi.ATC_ON)):
                    with self.subTest(name, given=given):
                        self.assertEqual(getattr(made({name: given}), name), number)
        self.assertEqual(tune_options({"retune": "provisional"}).retune, _abi.ATC_RETUNE_PROVISIONAL)

    def test_zero_is_no_default(self):
        self.assertEqual(plan_options({"workspace_limit": 0}).workspace_limit, _abi.ATC_NONE)
        self.assertEqual(tune_options({"max_candidates": 0}).max_candidates, _abi.ATC_NONE)
        self.assertTrue(0 < plan_options({"budget": 0}).budget_seconds < 1e-6)
        self.assertTrue(0 < tune_options({"total_budget": 0}).total_budget_seconds < 1e-6)
        self.assertTrue(0 < tune_options({"tie_margin": 0}).tie_margin < 1e-300)

    def test_values(self):
        raw = tune_options({"workspace_limit": 5, "max_candidates": atc.UNLIMITED, "seed": 9, "problem_budget": 1.5,
                            "tie_margin": 0.25, "engines_allowed": ["a", "b"], "engines_barred": "c",
                            "technique": "sustained", "alignment": 64, "store": False})
        self.assertEqual((raw.workspace_limit, raw.max_candidates, raw.seed), (5, _abi.ATC_UNLIMITED, 9))
        self.assertEqual((raw.problem_budget_seconds, raw.tie_margin), (1.5, 0.25))
        self.assertEqual((raw.engines_allowed, raw.engines_barred), (b"a,b", b"c"))
        self.assertEqual((raw.technique, raw.alignment), (_abi.ATC_TECHNIQUE_SUSTAINED, 64))
        self.assertEqual((raw.use_store, raw.store), (_abi.ATC_OFF, None))

    def test_every_field_of_the_structs_has_an_option(self):
        given_otherwise = {"struct_size", "use_store", "allocator", "front_end", "progress", "progress_payload", "choice"}
        for kind, options in ((_abi.atc_conv_options, atc.PlanOptions), (_abi.atc_tune_options, atc.TuneOptions)):
            fields = {field[0].replace("_seconds", "") for field in kind._fields_} - given_otherwise
            self.assertEqual(fields, set(options.__annotations__))


if __name__ == "__main__":
    unittest.main()
