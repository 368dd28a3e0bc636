"""Tests the promises of docs/libtorch.md for users of Python: python_user.py LIBATC_TORCH LIBATC

If the interpreter has no torch, or the bridge has no build for this torch, the program prints the reason and exits
with the status 77. CUDA is tested if there is a device.
"""

import ctypes
import pathlib
import sys

try:
    import torch
except (ImportError, OSError) as error:
    print(f"skipped: this interpreter has no torch that loads ({error})")
    sys.exit(77)
minor = ".".join(torch.__version__.split(".")[:2])
builds = pathlib.Path(sys.argv[1]).resolve().parent
if not (builds / f"libatc_torch-{minor}.so").exists():
    print(f"skipped: torch is {torch.__version__}, for which the bridge has no build in {builds}")
    sys.exit(77)

bridge = ctypes.CDLL(sys.argv[1])
atc = ctypes.CDLL(sys.argv[2])
atc.atc1_last_error.restype = ctypes.c_char_p


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("tune", ctypes.c_int32),
                ("constant_weights", ctypes.c_int32), ("allow_reference", ctypes.c_int32),
                ("budget_seconds", ctypes.c_double), ("require_firm", ctypes.c_int32),
                ("strict_precision", ctypes.c_int32), ("choice", ctypes.c_char * 256),
                ("choice_backward_data", ctypes.c_char * 256), ("choice_backward_weight", ctypes.c_char * 256)]


class Statistics(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("reserved", ctypes.c_uint32),
                ("taken", ctypes.c_uint64), ("passed", ctypes.c_uint64 * 8)]


def check(status):
    if status != 0:
        sys.exit(f"status {status}: {atc.atc1_last_error().decode()}")


def counted():
    statistics = Statistics(ctypes.sizeof(Statistics))
    check(bridge.atc1_torch_statistics_get(ctypes.byref(statistics)))
    check(bridge.atc1_torch_statistics_reset())
    return statistics


def train_step(device, dtype):
    torch.manual_seed(1)
    model = torch.nn.Sequential(torch.nn.Conv2d(8, 16, 3, padding=1), torch.nn.ReLU(),
                                torch.nn.Conv2d(16, 16, 3, stride=2, groups=4)).to(device, dtype)
    x = torch.randn(4, 8, 20, 20, device=device, dtype=dtype, requires_grad=True)
    y = model(x)
    y.square().mean().backward()
    return [y.detach(), x.grad] + [p.grad for p in model.parameters()]


def equal(a, b):
    return all(torch.equal(left, right) for left, right in zip(a, b))


def close(a, b):
    return all(torch.allclose(left, right, rtol=1e-4, atol=1e-5) for left, right in zip(a, b))


devices = ["cpu"] + (["cuda"] if torch.cuda.is_available() else [])
torch.backends.cudnn.deterministic = True
plain = {device: train_step(device, torch.float32) for device in devices}

check(bridge.atc1_torch_install(None))
for device in devices:
    assert equal(train_step(device, torch.float32), plain[device]), f"{device}: installing changed bits"
    print(f"{device}: {list(counted().passed)} passed through, equal bit for bit")

# A switch that is set in Python must have the same value in atc, and the reverse.
value = ctypes.c_int32()
torch.backends.cudnn.benchmark = True
check(atc.atc1_get_benchmark_cudnn(ctypes.byref(value)))
assert value.value == 1
check(atc.atc1_set_benchmark_cudnn(0))
assert torch.backends.cudnn.benchmark is False
check(atc.atc1_set_allow_tf32_cudnn(0))
assert torch.backends.cudnn.allow_tf32 is False

# With tuning, the results must be close to LibTorch's, and each convolution must be counted.
check(bridge.atc1_torch_install(ctypes.byref(Options(ctypes.sizeof(Options), 2, 0, 0, 0.1))))
assert close(train_step("cpu", torch.float32), plain["cpu"])
tuned = counted()
# The training step has 2 forward passes and 4 gradients, which are 6 convolutions.
assert tuned.taken + tuned.passed[1] == 6, (tuned.taken, list(tuned.passed))
print(f"cpu, tuned: {tuned.taken} by atc, {tuned.passed[1]} by LibTorch's own")
if "cuda" in devices:
    train_step("cuda", torch.float32)
    both = counted()
    assert both.taken + both.passed[1] == 12, (both.taken, list(both.passed))

# The convolutions of vmap and of torch.jit.trace must reach the hooks, too.
weight = torch.randn(16, 8, 3, 3)
batched = torch.randn(3, 4, 8, 10, 10)
mapped = torch.vmap(lambda x: torch.nn.functional.conv2d(x, weight))(batched)
assert torch.allclose(mapped[0], torch.nn.functional.conv2d(batched[0], weight), rtol=1e-4, atol=1e-5)
traced = torch.jit.trace(torch.nn.Conv2d(8, 16, 3), batched[0])
counted()
traced(batched[0])
after = counted()
assert after.taken + after.passed[1] == 1, (after.taken, list(after.passed))

check(bridge.atc1_torch_uninstall())
assert close(train_step("cpu", torch.float32), plain["cpu"])
assert counted().taken == 0
print("done")
