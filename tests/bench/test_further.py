"""Tests the scripts for those measurements on CUDA that have a results file of their own. The tested functions draw
samples, merge results files and show results.

    python3 test_further.py BENCH_FOLDER      (no LibTorch, no device)"""

import hashlib
import json
import pathlib
import sys
import tarfile
import tempfile
import unittest
from xml.etree import ElementTree

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "cuda"))

import classes  # noqa: E402
import configurations  # noqa: E402
import further  # noqa: E402
import keep  # noqa: E402
import merge  # noqa: E402
import outside  # noqa: E402
import roofline  # noqa: E402
import summary  # noqa: E402
import training  # noqa: E402
from figures import class_of, over_floor  # noqa: E402
from rows import read  # noqa: E402
from shapes import FOLDER, class_by_shape, floor_ms, read_classes, read_layers  # noqa: E402

RECORDED = BENCH / "results" / "h200"


class Outside(unittest.TestCase):
    def setUp(self):
        self.layers = outside.random_layers(200, 14)

    def test_a_seed_gives_the_same_layers(self):
        again = outside.random_layers(200, 14)
        self.assertEqual([layer.shape for layer in self.layers], [layer.shape for layer in again])
        other = outside.random_layers(200, 15)
        self.assertNotEqual([layer.shape for layer in self.layers], [layer.shape for layer in other])

    def test_each_is_a_layer_and_none_is_of_the_list(self):
        known = {layer.shape for layer in read_layers(FOLDER / "public.txt")}
        for layer in self.layers:
            self.assertEqual((layer.c % layer.groups, layer.k % layer.groups), (0, 0), layer.shape)
            self.assertGreaterEqual(min(layer.output), 1, layer.shape)
            self.assertLess(floor_ms(layer, "forward", "fp32"), 10, layer.shape)
            self.assertNotIn(layer.shape, known)

    def test_all_classes_and_odd_channels_are_among_them(self):
        self.assertEqual({class_by_shape(layer) for layer in self.layers}, set(read_classes().values()))
        self.assertGreater(sum(layer.c % 4 > 0 for layer in self.layers), 30)
        self.assertEqual({len([e for e in layer.input if e > 1]) for layer in self.layers}, {1, 2, 3})

    def test_the_class_by_shape_is_that_of_the_list(self):
        listed = read_classes()
        for layer in read_layers(FOLDER / "public.txt"):
            self.assertEqual(class_by_shape(layer), listed[layer.name], layer.name)

    def test_a_row_says_what_its_layer_is(self):
        layer = next(layer for layer in self.layers if class_by_shape(layer) == "grouped")
        row = {"layer": layer.name, "shape": layer.shape, "op": "forward", "format": "fp16", "ms": {"atc": 1.0}}
        self.assertEqual(class_of(row), "grouped")
        self.assertAlmostEqual(over_floor(row), 1 / floor_ms(layer, "forward", "fp16"))


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, *lines):
        (self.folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines))
        return self.folder / name


def cell(layer="rn50_3x3_64", **more):
    return {"layer": layer, "op": "forward", "format": "fp16", "layout": "last", **more}


class Merge(Files):
    def test_the_last_row_of_a_cell_stays_behind_what_ran(self):
        old = self.write("old", {"commit": "a"}, cell(ms=1), cell("dw7_96", ms=2))
        new = self.write("new", {"commit": "b"}, cell(ms=3), {"commit": "c"})
        self.assertEqual(list(merge.merged([old, new])),
                         [{"commit": "a"}, cell("dw7_96", ms=2), {"commit": "b"}, cell(ms=3)])

    def test_what_ran_goes_with_its_last_row(self):
        old = self.write("old", {"commit": "a"}, cell(ms=1))
        self.assertEqual(list(merge.merged([old, old, old])), [{"commit": "a"}, cell(ms=1)])

    def test_sides_of_a_model_are_rows_of_their_own(self):
        rows = [{"model": "m", "set": "s", "mode": "eager", "side": side, "repetition": 0}
                for side in ("atc", "benchmark")]
        self.assertEqual(list(merge.merged([self.write("models", {"commit": "a"}, *rows)])), [{"commit": "a"}, *rows])

    def test_a_recorded_table_is_itself(self):
        _, rows = read(RECORDED / "against_torch.jsonl")
        merged = list(merge.merged([RECORDED / "against_torch.jsonl"] * 2))
        self.assertEqual([row for row in merged if "layer" in row], rows)


class Keep(Files):
    def test_a_row_keeps_its_key_and_what_pages_read(self):
        self.assertEqual(keep.kept("regret", cell(regret=0.12345678912345, tuning_s=[1.0], failed="why")),
                         cell(regret=0.123456789, failed="why"))
        self.assertEqual(keep.kept("regret", {"commit": "a", "samples": 15}), {"commit": "a", "samples": 15})

    def test_equal_lists_of_kernels_stay_equal(self):
        self.assertEqual(keep.digest(["a", "b"]), keep.digest(["a", "b"]))
        self.assertNotEqual(keep.digest(["a", "b"]), keep.digest(["a b"]))
        self.assertEqual(keep.digest(["refused: no record"]), ["refused"])

    def test_the_recorded_rows_are_those_of_the_archive(self):
        archives = {name: hash for hash, name in
                    (line.split() for line in (BENCH / "results" / "raw" / "SHA256SUMS").read_text().splitlines())}
        self.assertEqual(set(archives), {path.name for path in (BENCH / "results" / "raw").glob("*.tar.xz")})
        packed = set()
        for name in archives:
            path = BENCH / "results" / "raw" / name
            self.assertEqual(hashlib.sha256(path.read_bytes()).hexdigest(), archives[name])
            with tarfile.open(path) as tar:
                for member in tar:
                    file = BENCH / "results" / member.name
                    if file.suffix == ".jsonl":
                        text = tar.extractfile(member).read().decode()
                        self.assertEqual(keep.kept_lines(file.stem, text), file.read_text(), member.name)
                        packed.add(file)
        self.assertEqual(packed, set(RECORDED.glob("*.jsonl")))

    def test_a_folder_is_packed_once_for_a_date(self):
        folder = self.folder / "device"
        (folder / "screens").mkdir(parents=True)
        (folder / "regret.jsonl").write_text(json.dumps(cell(regret=0.5, ms={"oracle": 1.0})) + "\n")
        for name in ("TABLES.md", "screens/report.html", "screens/env.txt"):
            (folder / name).write_text("text")
        keep.packed(folder, "today")
        self.assertEqual(sorted(path.name for path in folder.rglob("*.*")), ["TABLES.md", "env.txt", "regret.jsonl"])
        self.assertEqual(read_rows(folder / "regret.jsonl"), [cell(regret=0.5)])
        with tarfile.open(self.folder / "raw" / "device-today.tar.xz") as tar:
            self.assertEqual(sorted(tar.getnames()),
                             ["device/regret.jsonl", "device/screens/env.txt", "device/screens/report.html"])
        with self.assertRaisesRegex(SystemExit, "device-today.tar.xz exists already"):
            keep.packed(folder, "today")


def read_rows(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class Sections(Files):
    def text(self, section):
        return "\n".join(section(self.folder))

    def test_nothing_is_said_of_what_was_not_measured(self):
        for section in (further.outside, further.max_autotune, further.determinism, further.cudnns,
                        configurations.offers):
            self.assertEqual(self.text(section), "")

    def test_outside_counts_what_two_processes_found_slower(self):
        shape = outside.random_layers(1, 1)[0].shape
        row = cell("random_0", shape=shape, choice="a@1:b", slower=True,
                   ms={"heuristic": 1.0, "benchmark": 1.0, "atc": 1.25})
        self.write("outside.jsonl", {"commit": "a"}, row)
        self.assertIn("slower: 1; target 0", self.text(further.outside))
        self.assertIn("over benchmark mode 0.800", self.text(further.outside))
        self.write("outside_confirmed.jsonl", {"commit": "a"}, {**row, "slower": False})
        self.assertIn("slower: 0; target 0", self.text(further.outside))

    def test_torch_compile_is_over_atc(self):
        both = {"choice": "a@1:b", "first_call_s": {"compiled": 30, "atc": 1}}
        rows = [cell(ms={"compiled": 4.0, "atc": 2.0}, slower=False, **both),
                cell("dw7_96", ms={"compiled": 1.0, "atc": 2.0}, slower=True, **both), cell("unet_64", failed="why")]
        self.write("max_autotune.jsonl", {"commit": "a", "mode": "m", "backends": "A,B"}, *rows)
        text = self.text(further.max_autotune)
        self.assertIn("geometric mean 1.000 (0.50 to 2.00)", text)
        self.assertIn("Cells in which atc is slower: 1, target 0", text)
        self.assertIn("* failed: unet_64, forward, fp16, last: why", text)

    def test_determinism_lists_what_is_dear_with_the_reason(self):
        choices = {"any": "a@1:b", "deterministic": "a@1:c"}
        self.write("determinism.jsonl", {"commit": "a"}, cell(cost=1.04, choices=choices),
                   cell("dw7_96", cost=1.5, choices=choices, refused="not so"))
        self.assertIn("Cells with a cost above 1.05: 1; target 0", self.text(further.determinism))
        self.assertIn("* dw7_96, forward, fp16, last: 1.50, `a@1:c` instead of `a@1:b`: not so",
                      self.text(further.determinism))

    def test_offers_say_what_the_first_of_an_engine_loses(self):
        self.write("offers.jsonl", {"commit": "a"},
                   cell(choice="nhwc@1>dense@1:t", offers_ms={"nhwc@1>dense": [1.0, 2.0], "cudnn": [3.0]}),
                   cell("dw7_96", choice="cudnn@9:e", offers_ms={"dense": [None, 4.0, 2.0], "cudnn": [1.0]}))
        self.assertIn("| dense | 2 | 1 |", self.text(configurations.offers))
        self.assertIn("| 1.414 (2.00) | 1.000 (1.00) | 1.000 (1.00) | 1 | 1 | 1.00 |", self.text(configurations.offers))

    def test_lists_count_what_the_most_common_configurations_win(self):
        rows = [cell(choice=f"dense@1:t{number}", layout=layout)
                for number in (1, 1, 2, 3, 4, 5) for layout in ("first", "last")]
        text = "\n".join(configurations.lists([*rows, cell(choice="cudnn@9:e")]))
        self.assertIn("| dense | 12 | 5 | 10 | 10 |", text)
        rows = [{**row, "choice": row["choice"] + row["layout"]} for row in rows]
        self.assertIn("| all | 12 | 10 | 6 | 10 |", "\n".join(configurations.lists(rows)))

    def test_two_cudnns_are_compared_in_the_order_of_the_head(self):
        def both(old, new, differs=0.001, **more):
            return cell(ms={"default": [4.0, 4.0], "winner": [old, new]}, differs=differs,
                        choices=["cudnn@9.14.0:eng1", "cudnn@9.19.0:eng1"], **more)
        self.write("cudnns.jsonl", {"commit": "a", "versions": ["9.14.0", "9.19.0"]}, both(4.0, 1.0), both(1.0, 1.0, 0.5),
                   both(2.0, 4.0, layout="first"), cell("unet_64", failed="why"))
        text = self.text(further.cudnns)
        self.assertIn("3 cells and 1 that failed", text)
        self.assertIn("1.000 (1.00 to 1.00) for the choice of cuDNN's heuristics", text)
        self.assertIn("1.260 (0.50 to 4.00) for the tuned choice", text)
        self.assertIn("mean square in 1 of the cells.", text)
        self.assertIn("| fp16, channels last | 2 | 0 | 1 |", text)
        self.assertIn("| fp16, channels first | 1 | 1 | 0 |", text)

    def test_first_calls_are_summed_by_class(self):
        seconds = {"atc": 1.0, "benchmark": 3.0, "heuristic": 0.5}
        text = "\n".join(further.tuning([cell(first_call_s=seconds), cell("unet_64", first_call_s=seconds),
                                         cell("dw7_96", first_call_s=seconds)]))
        self.assertIn("| dense | 2 | 2.0 | 1.0 | 6.0 | 1.0 |", text)
        self.assertIn("| all | 3 | 3.0 | 1.0 | 9.0 | 1.5 |", text)

    def test_models_are_compared_side_by_side(self):
        rows = [{"model": model, "set": "tf32-first", "mode": "eager", "side": side, "busy_ms": busy}
                for model, side, busy in (("m", "heuristic", 4.0), ("m", "benchmark", 2.0), ("m", "atc", 2.0),
                                          ("n", "heuristic", 1.0), ("n", "atc", 1.0), ("o", "benchmark", 1.0))]
        self.assertIn("| tf32-first, eager | 2 | 1.414 (2) | 1.000 (1) | 1.000 ", "\n".join(training.means(rows)))


class Classes(unittest.TestCase):
    def test_the_page_shows_what_is_recorded(self):
        page = BENCH.parent / "docs" / "engines.md"
        text = "\n".join(classes.section(RECORDED))
        self.assertEqual(classes.replaced(page.read_text(), text), page.read_text())

    def test_the_tables_of_runs_and_results_show_what_is_recorded(self):
        page = (RECORDED / "README.md").read_text()
        text = "\n".join(summary.section(RECORDED))
        self.assertEqual(classes.replaced(page, text, summary.BEGIN, summary.END), page)
        for path in RECORDED.glob("*.jsonl"):
            self.assertIn(path.stem, summary.FILES)

    def test_the_picture_shows_what_is_recorded(self):
        drawn = "\n".join(roofline.picture(RECORDED)) + "\n"
        self.assertEqual(drawn, (RECORDED / "roofline.svg").read_text())
        titles = [text.text for text in ElementTree.fromstring(drawn).iter("{http://www.w3.org/2000/svg}text")
                  if text.get("class") == "title"]
        self.assertEqual(len(titles), len({class_of(row) for row in read(RECORDED / "against_torch.jsonl")[1]}))

    def test_kernels_names_are_cut_to_what_they_do(self):
        for name, short in (
                ("void cudnn::engines_precompiled::nchwToNhwcKernel<float, 1>(a const*)", "nchwToNhwcKernel"),
                ("sm90_xmma_fprop_implicit_gemm_bf16bf16_bf16f32_f32_nhwckrsc_nhwc_tilesize64x64x64_warpgroupsize1",
                 "sm90_xmma fprop nhwckrsc_nhwc"),
                ("void cutlass__5x_cudnn::Kernel<cutlass_tensorop_f16_s16816fprop_optimized_f16_256x64_32x4_nhwc_align8>",
                 "cutlass_tensorop_f16_s16816fprop_optimized_f16 nhwc_align8"),
                ("void at::native::(anonymous namespace)::conv_depthwise2d_forward_kernel<5, int>(int)",
                 "conv_depthwise2d_forward_kernel")):
            self.assertEqual(classes.short(name), short)


if __name__ == "__main__":
    unittest.main()
