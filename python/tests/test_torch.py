"""Tests PyTorch's convolutions that go through atc, and plans that run on PyTorch's tensors."""

import json
import os
import tempfile
import unittest

import atc

try:
    import torch

    # Raises an AttributeError if `torch` is only the folder torch/ of a checkout, which Python can import as a module.
    torch.nn
    INFO = atc.torch.describe()
except (ImportError, AttributeError, atc.LibraryError) as missing:
    raise unittest.SkipTest(f"PyTorch is not tested: {missing}") from None
if INFO.version.partition("+")[0] != INFO.built_for.partition("+")[0]:
    raise unittest.SkipTest(f"PyTorch is not tested: torch is {INFO.version}, the bridge is for {INFO.built_for}")

DEVICES = ["cpu"] + ["cuda"] * torch.cuda.is_available()


class Bridge(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(0)
        self.layer = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.x = torch.randn(2, 3, 16, 16)
        self.addCleanup(atc.torch.uninstall)

    def test_installed_without_knowledge_every_bit_stays(self):
        plain = self.layer(self.x)
        atc.torch.install()
        atc.torch.reset_statistics()
        self.assertTrue(torch.equal(self.layer(self.x), plain))
        self.assertTrue(atc.torch.describe().installed)
        statistics = atc.torch.statistics()
        self.assertEqual((statistics.taken, statistics.passed["nothing-known"]), (0, 1))
        atc.torch.uninstall()
        self.assertFalse(atc.torch.describe().installed)

    def test_a_tuned_training_step_stays_close(self):
        def step():
            self.layer.zero_grad()
            y = self.layer(self.x)
            y.square().mean().backward()
            return [y, self.layer.weight.grad.clone()]

        plain = step()
        atc.torch.install(tune=True, budget=0.2)
        atc.torch.reset_statistics()
        for ours, theirs in zip(step(), plain):
            # The results contain sums of 27 and of 512 products in f32. atc and torch may add these products in
            # different orders, so the results may differ by rounding errors.
            torch.testing.assert_close(ours, theirs, rtol=0, atol=2 * 513 * 2.0 ** -24 * theirs.abs().max().item() * 27)
        statistics = atc.torch.statistics()
        self.assertEqual(statistics.taken + statistics.passed["chosen"], 2, statistics)

    def test_convolutions_are_noted_and_tuned_between_steps(self):
        # No other test may use this layer, because the process remembers the layers that it has tuned.
        self.layer = torch.nn.Conv2d(3, 10, 3, padding=1)
        plain = self.layer(self.x)
        self.addCleanup(atc.forget_noted)
        atc.torch.install(tune="later")
        atc.torch.reset_statistics()
        self.assertTrue(torch.equal(self.layer(self.x), plain))
        self.assertEqual(atc.torch.statistics().passed["not-recorded"], 1)
        report = atc.tune(atc.Problems.noted(), problem_budget=0.5)
        self.assertEqual([one.error for one in report.problems], [None])
        atc.torch.reset_statistics()
        self.layer(self.x)
        statistics = atc.torch.statistics()
        if not report.problems[0].undecided:
            self.assertEqual(statistics.taken + statistics.passed["chosen"], 1, statistics)

    def test_switches_are_torchs(self):
        atc.torch.init()
        before = torch.backends.cudnn.benchmark
        with atc.scoped(benchmark_cudnn=not before):
            self.assertEqual(torch.backends.cudnn.benchmark, not before)
        self.assertEqual(torch.backends.cudnn.benchmark, before)
        try:
            torch.backends.cudnn.deterministic = True
            self.assertTrue(atc.settings.deterministic_cudnn)
        finally:
            torch.backends.cudnn.deterministic = False

    def test_a_recording(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "recorded.json")
            with atc.torch.record(file) as recording:
                with self.assertRaises(atc.Busy):
                    atc.torch.record(file)
                self.layer(self.x)
                self.layer(self.x)
            self.assertEqual(recording.distinct, 1)
            with open(file, encoding="utf-8") as recorded:
                self.assertEqual(json.load(recorded)["problems"][0]["count"], 2)
            with self.assertRaisesRegex(atc.InvalidArgument, "has ended"):
                recording.stop()
        with self.assertRaises(atc.FileError):
            atc.torch.record("/nowhere/recorded.json")

    def test_a_recording_that_cannot_be_written_goes_on_and_is_stopped_again(self):
        with tempfile.TemporaryDirectory() as folder:
            sub = os.path.join(folder, "sub")
            os.mkdir(sub)
            with self.assertRaises(atc.FileError):
                with atc.torch.record(os.path.join(sub, "recorded.json")) as recording:
                    self.layer(self.x)
                    os.rmdir(sub)
            self.layer(self.x)
            os.mkdir(sub)
            self.assertEqual(recording.stop(), 1)
            with open(recording.file, encoding="utf-8") as recorded:
                self.assertEqual(json.load(recorded)["problems"][0]["count"], 2)

    def test_a_recording_is_written_after_an_exception_too(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "recorded.json")
            with self.assertRaisesRegex(RuntimeError, "mine"):
                with atc.torch.record(file):
                    self.layer(self.x)
                    raise RuntimeError("mine")
            self.assertTrue(os.path.exists(file))


class Tensors(unittest.TestCase):
    def test_plans_run_on_torchs_tensors(self):
        problem = atc.Problem(batch=2, in_channels=4, input=(9, 8), out_channels=6, kernel=3, padding=1)
        for device in DEVICES:
            for layout in (torch.contiguous_format, torch.channels_last):
                with self.subTest(device, layout=layout):
                    # The numbers are whole, so the sums are exact in any order.
                    x, w = (torch.randint(-3, 4, problem.shape(name)).float().to(device) for name in "xw")
                    y = torch.empty(problem.shape("y"), device=device)
                    x, w, y = (one.to(memory_format=layout) for one in (x, w, y))
                    strided = atc.Problem(batch=2, in_channels=4, input=(9, 8), out_channels=6, kernel=3, padding=1,
                                          strides=(x.stride(), w.stride(), y.stride()), dtype=x.dtype)
                    stream = torch.cuda.current_stream().cuda_stream if device == "cuda" else 0
                    with atc.scoped(allow_tf32_cudnn=False):
                        atc.Plan(strided, x.device).execute(x=x, w=w, y=y, stream=stream)
                    expected = torch.nn.functional.conv2d(x.cpu(), w.cpu(), padding=1)
                    self.assertTrue(torch.equal(y.cpu(), expected))

    def test_a_tensor_that_needs_a_gradient(self):
        problem = atc.Problem(batch=1, in_channels=1, input=(6,), out_channels=1, kernel=3)
        x, w, y = (torch.ones(problem.shape(name)) for name in "xwy")
        with self.assertRaisesRegex(atc.InvalidArgument, "w cannot be borrowed by DLPack: .*gradient"):
            atc.Plan(problem).execute(x=x, w=w.requires_grad_(), y=y)


if __name__ == "__main__":
    unittest.main()
