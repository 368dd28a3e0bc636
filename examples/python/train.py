"""Trains a network with PyTorch, without and with atc: python3 train.py [DEVICE [STORE]]

The script needs the Python package `atc` (docs/python.md) and a version of torch for which the package's bridge was built. A second
run with the same STORE measures nothing.
"""

import sys
import tempfile
import time

import torch

import atc


def network():
    layers, channels = [], 3
    for width, stride in ((16, 1), (32, 2), (64, 2)):
        layers += [torch.nn.Conv2d(channels, width, 3, stride, padding=1, bias=False), torch.nn.BatchNorm2d(width),
                   torch.nn.ReLU()]
        channels = width
    head = [torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(channels, 10)]
    return torch.nn.Sequential(*layers, *head)


def train(device, steps):
    torch.manual_seed(0)
    model = network().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x, target = torch.randn(32, 3, 32, 32, device=device), torch.randint(10, (32,), device=device)
    losses = []
    started = time.monotonic()
    for step in range(steps):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
        if step == 0:
            print(f"first step {time.monotonic() - started:.2f} s")
    return losses


def main():
    device = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    folder = sys.argv[2] if len(sys.argv) > 2 else tempfile.mkdtemp()
    print("without atc: ", end="", flush=True)
    plain = train(device, 5)

    atc.Store(folder).use()        # atc keeps its decisions in this folder
    atc.torch.install(tune=True)   # replaces the line torch.backends.cudnn.benchmark = True
    print("with atc, which first measures each convolution that is not in the store: ", end="", flush=True)
    tuned = train(device, 5)

    statistics = atc.torch.statistics()
    print("loss without atc:", plain)
    print("loss with atc:   ", tuned)
    print(f"{statistics.taken} convolutions by atc, {statistics.passed['chosen']} by torch, which is the fastest there")
    # In the first step both trainings have the same weights. So the losses of the first step may differ only by
    # rounding errors. (On CUDA these are the errors of TF32, whose numbers have 11 significant bits.)
    return abs(tuned[0] - plain[0]) > 0.01 or tuned[-1] >= tuned[0]


if __name__ == "__main__":
    sys.exit(main())
