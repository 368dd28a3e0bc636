"""Tests how options are converted to the structs of C."""

import ctypes
import unittest

import atc
from atc import _abi
from atc._library import libatc
from atc._option_fields import KINDS
from atc._options import TorchOptions, plan_options, torch_options, tune_options

MADE = ((plan_options, _abi.atc_conv_options), (tune_options, _abi.atc_tune_options),
        (torch_options, _abi.atc_torch_options))
# The 32-bit fields of the options structs that are not switches.
NO_SWITCHES = {"technique", "use_store", "reserved"}


class Options(unittest.TestCase):
    def test_what_is_left_out_or_none_is_inherited(self):
        for made, kind in MADE:
            for given in ({}, {"tune" if made == torch_options else "store": None, "constant_weights": None}):
                raw = made(given)
                self.assertEqual(bytes(raw), bytes(kind(struct_size=len(bytes(kind())))))

    def test_switches(self):
        for made, struct in MADE:
            names = {name for name, kind in struct._fields_ if kind == ctypes.c_int32} - NO_SWITCHES
            self.assertIn("require_firm", names)
            for name in names:
                for given, number in ((False, _abi.ATC_OFF), (True, _abi.ATC_ON)):
                    with self.subTest(name, given=given):
                        self.assertEqual(getattr(made({name: given}), name), number)
        self.assertEqual(tune_options({"retune": "provisional"}).retune, _abi.ATC_RETUNE_PROVISIONAL)

    def test_tune_has_a_third_state_and_names_a_value_that_is_none(self):
        for made in (plan_options, torch_options):
            self.assertEqual(made({"tune": "later"}).tune, _abi.ATC_TUNE_LATER)
            self.assertEqual(made({"tune": "beside"}).tune, _abi.ATC_TUNE_BESIDE)
            self.assertEqual(made({"tune": "predict"}).tune, _abi.ATC_TUNE_PREDICT)
            with self.assertRaisesRegex(atc.InvalidArgument, "tune is 'soon': it is True, False, 'later', 'beside' or 'predict'"):
                made({"tune": "soon"})

    def test_zero_is_no_default(self):
        self.assertEqual(plan_options({"workspace_limit": 0}).workspace_limit, _abi.ATC_NONE)
        self.assertEqual(tune_options({"max_candidates": 0}).max_candidates, _abi.ATC_NONE)
        self.assertTrue(0 < plan_options({"budget": 0}).budget_seconds < 1e-6)
        self.assertTrue(0 < tune_options({"total_budget": 0}).total_budget_seconds < 1e-6)
        self.assertTrue(0 < tune_options({"tie_margin": 0}).tie_margin < 1e-300)
        self.assertEqual(tune_options({"expected_calls": 1000}).expected_calls, 1000)
        for wrong in (0, -1, float("nan")):
            with self.assertRaisesRegex(atc.InvalidArgument, "expected_calls is"):
                tune_options({"expected_calls": wrong})

    def test_values(self):
        raw = tune_options({"workspace_limit": 5, "max_candidates": atc.UNLIMITED, "seed": 9, "problem_budget": 1.5,
                            "tie_margin": 0.25, "engines_allowed": ["a", "b"], "engines_barred": "c",
                            "technique": "sustained", "alignment": 64, "store": False})
        self.assertEqual((raw.workspace_limit, raw.max_candidates, raw.seed), (5, _abi.ATC_UNLIMITED, 9))
        self.assertEqual((raw.problem_budget_seconds, raw.tie_margin), (1.5, 0.25))
        self.assertEqual((raw.engines_allowed, raw.engines_barred), (b"a,b", b"c"))
        self.assertEqual((raw.technique, raw.alignment), (_abi.ATC_TECHNIQUE_SUSTAINED, 64))
        self.assertEqual((raw.use_store, raw.store), (_abi.ATC_OFF, None))

    def test_an_unknown_name_is_an_error_with_the_known_ones(self):
        for made, _ in MADE:
            with self.assertRaisesRegex(TypeError, "strict_precisions is no option: .*strict_precision"):
                made({"strict_precisions": True})

    def test_every_field_of_the_structs_has_an_option(self):
        given_otherwise = {"struct_size", "use_store", "allocator", "front_end", "progress", "progress_payload", "problems", "group",
                           "reserved", "choice", "choice_backward_data", "choice_backward_weight"}
        for kind, options in ((_abi.atc_conv_options, atc.PlanOptions), (_abi.atc_tune_options, atc.TuneOptions),
                              (_abi.atc_torch_options, TorchOptions)):
            fields = {field[0].replace("_seconds", "") for field in kind._fields_} - given_otherwise
            self.assertEqual(fields, set(options.__annotations__))

    def test_libatc_names_each_option_with_a_wrong_value(self):
        wrong = {"switch": 3, "seconds": -1.5, "technique": 99, "alignment": 3}
        problem = atc.Problem(batch=1, in_channels=1, input=(3, 3), out_channels=1, kernel=3)._raw()
        device = _abi.atc_device(_abi.ATC_DEVICE_CPU, 0)
        nothing = ctypes.c_void_p()
        for made, struct in MADE[:2]:
            fields = {name.replace("_seconds", ""): name for name, _ in struct._fields_}
            for option, kind in KINDS.items():
                if option not in fields or kind not in wrong:
                    continue
                with self.subTest(struct.__name__, option=option):
                    raw, field = made({}), fields[option]
                    setattr(raw, field, wrong[kind])
                    if made == plan_options:
                        status = libatc().conv_pins(ctypes.byref(nothing), device, ctypes.byref(problem), ctypes.byref(raw))
                    else:
                        status = libatc().tune(ctypes.byref(nothing), device, ctypes.byref(problem), 0, ctypes.byref(raw),
                                               _abi.atc_tune_callback(), None)
                    self.assertEqual(status, _abi.ATC_ERROR_INVALID_ARGUMENT)
                    self.assertIn(f"{field} is {wrong[kind]}", libatc().last_error().decode())


if __name__ == "__main__":
    unittest.main()
