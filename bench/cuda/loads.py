"""Loads the device while atc measures: heavy kernels run on a stream of their own, all the time or in
random bursts."""

import contextlib
import random
import threading

import torch

EXTENT = 8192
PAUSE = 0.05  # the longest pause between two random bursts, in seconds


class Load:
    """A context manager: a thread of its own runs matrix products until the block ends. With a seed, the
    products run in bursts, and the bursts and pauses have random lengths."""

    def __init__(self, seed=None):
        self.random = None if seed is None else random.Random(seed)
        self.ends = threading.Event()
        self.a = torch.randn(EXTENT, EXTENT, device="cuda", dtype=torch.bfloat16)

    def run(self):
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            while not self.ends.is_set():
                for _ in range(self.random.randint(1, 20) if self.random else 8):
                    self.a @ self.a
                stream.synchronize()
                if self.random:
                    self.ends.wait(self.random.uniform(0, PAUSE))

    def __enter__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        torch.cuda.synchronize()


def quiet():
    """A context manager for a device without other work: it runs nothing."""
    return contextlib.nullcontext()


def after_load(seconds=5.0):
    """A context manager: matrix products run back to back for `seconds` before the block, and nothing
    runs during the block. So the clocks of the device are those after a long load."""
    a = torch.randn(EXTENT, EXTENT, device="cuda", dtype=torch.bfloat16)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    ran = 0.0
    while ran < 1e3 * seconds:
        for _ in range(16):
            a @ a
        end.record()
        end.synchronize()
        ran = start.elapsed_time(end)
    return contextlib.nullcontext()
