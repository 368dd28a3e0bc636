"""Tests the script that makes streams (sequences of convolution calls) whose shapes change, and the table of the
measurements of such streams.

    python3 test_streams.py BENCH_FOLDER      (no library, no device)
"""

import json
import pathlib
import random
import statistics
import sys
import tempfile
import unittest

BENCH = pathlib.Path(sys.argv.pop(1)).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(BENCH / "streams"))

import shapes  # noqa: E402
import streams  # noqa: E402

STEPS = 500


class Shapes(unittest.TestCase):
    def test_equal_seeds_give_equal_streams_and_others_do_not(self):
        for name in shapes.STREAMS:
            first = shapes.stream(name, 1, STEPS)
            self.assertEqual(len(first), STEPS, name)
            self.assertEqual(first, shapes.stream(name, 1, STEPS), name)
            self.assertNotEqual(first, shapes.stream(name, 2, STEPS), name)

    def test_a_shorter_stream_is_a_stream(self):
        for name in shapes.STREAMS:
            self.assertEqual(len(shapes.stream(name, 1, 1)), 1, name)

    def test_detection_is_torchvisions_transform(self):
        for batch, channels, height, width in shapes.stream("detection", 1, STEPS):
            self.assertEqual((batch, channels, height % 32, width % 32), (2, 3, 0, 0))
            # The longer side is scaled to at most 1333 pixels, and is then padded to a multiple of 32.
            self.assertLessEqual(max(height, width), 1344)
            self.assertGreaterEqual(min(height, width), 768)
        # An image of 480 x 640 is scaled by 800 / 480 to 800 x 1066, and is then padded to 800 x 1088.
        self.assertEqual(set(shapes.detection(random.Random(1), 9, [(480, 640)])), {(2, 3, 800, 1088)})
        # An image of 320 x 640 would be scaled to 800 x 1600. Its longer side may have at most 1333, so it is
        # scaled less.
        self.assertEqual(set(shapes.detection(random.Random(1), 9, [(320, 640)])), {(2, 3, 672, 1344)})

    def test_the_model_of_cocos_sizes_has_the_reported_range_of_ratios(self):
        sizes = list(shapes.coco_sizes(random.Random(1), 20000))
        ratios = sorted(height / width for height, width in sizes)
        self.assertGreaterEqual(ratios[len(ratios) // 20], 0.6)
        self.assertLessEqual(ratios[-len(ratios) // 20], 1.55)
        pixels = sorted(height * width for height, width in sizes)
        self.assertGreaterEqual(pixels[len(pixels) // 20], 167500)

    def test_multi_scale_changes_every_ten_steps(self):
        sizes = [height for _, _, height, _ in shapes.stream("multi_scale", 1, STEPS)]
        for begin in range(0, STEPS, 10):
            self.assertEqual(len(set(sizes[begin:begin + 10])), 1)
        self.assertEqual((min(sizes), max(sizes)), (480, 800))
        self.assertTrue(all(size % 32 == 0 for size in sizes))

    def test_buckets_have_a_megapixel_or_less(self):
        found = shapes.stream("buckets", 1, STEPS)
        self.assertGreater(len(set(found)), 15)
        for _, _, height, width in found:
            self.assertLessEqual(height * width * 64, 1.01 * 2**20)
            self.assertEqual((height % 8, width % 8), (0, 0))
        self.assertEqual(len({tuple(bucket) for bucket in shapes.BUCKETS}), 21)

    def test_batches_of_speech_hold_at_most_their_samples(self):
        found = shapes.stream("speech", 1, STEPS)
        for count, channels, length in found:
            self.assertLessEqual(count * length, 1_400_000)
            self.assertEqual(channels, 1)
            self.assertTrue(32_000 <= length <= 250_000)
        self.assertGreater(len(set(found)), STEPS // 2)
        rng = random.Random(1)
        mean = statistics.mean(shapes.utterance_seconds(rng) for _ in range(20000))
        self.assertAlmostEqual(mean, 12.3, delta=0.1)

    def test_serving_has_all_batches_up_to_32(self):
        batches = [batch for batch, *_ in shapes.stream("serving", 1, STEPS)]
        self.assertTrue(all(1 <= batch <= 32 for batch in batches))
        self.assertAlmostEqual(statistics.mean(batches), 12, delta=0.6)

    def test_lists_of_a_user_replace_the_models(self):
        with tempfile.TemporaryDirectory() as folder:
            coco, lengths = pathlib.Path(folder, "coco.json"), pathlib.Path(folder, "lengths")
            coco.write_text(json.dumps({"images": [{"height": 480, "width": 640}]}))
            lengths.write_text("10.0\n" * 50)
            self.assertEqual(set(shapes.stream("detection", 1, 4, coco=coco)), {(2, 3, 800, 1088)})
            self.assertEqual({shape[2] for shape in shapes.stream("speech", 1, 4, librispeech=lengths)}, {160_000})


class Table(unittest.TestCase):
    def test_a_side_is_compared_with_the_better_mode_of_libtorch(self):
        rows = [{"stream": "serving", "side": side, "total_s": seconds, "shapes": 32}
                for side, seconds in (("heuristic", 4.0), ("benchmark", 5.0), ("tuned", 2.0))]
        rows.append({"stream": "serving", "side": "beside", "failed": "no device"})
        *_, line = streams.table(rows)
        self.assertEqual(line, "| serving | 32 | 4.00 s (1.000) | 5.00 s (0.800) | - | - | 2.00 s (2.000) |")


if __name__ == "__main__":
    unittest.main()
