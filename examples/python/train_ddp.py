"""Data-parallel training in several processes (ranks). The ranks tune their convolutions together.

    torchrun --nproc-per-node 4 train_ddp.py [STORE]

The script needs the Python package `atc` (docs/python.md) and a version of torch for which the package's bridge was
built. Rank 0 prints the digest (a hash) of the decisions. The script fails if a rank has a different digest. STORE is a
folder: a second run with the same STORE measures nothing.
"""

import os
import sys

import torch
from torch import distributed

import atc


def network():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 16, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv2d(16, 32, 3, stride=2, padding=1),
        torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(32, 10))


def main():
    cuda = torch.cuda.is_available()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"])) if cuda else torch.device("cpu")
    if cuda:
        torch.cuda.set_device(device)
    else:
        torch.set_num_threads(1)
    distributed.init_process_group("nccl" if cuda else "gloo")
    rank = distributed.get_rank()
    if len(sys.argv) > 1:
        atc.Store(sys.argv[1]).use()
    atc.torch.install(tune="later")  # calls measure nothing; they note the convolutions that have no decision

    torch.manual_seed(0)
    model = torch.nn.parallel.DistributedDataParallel(network().to(device))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    x = torch.randn(8, 3, 32, 32, device=device)
    target = torch.randint(10, (8,), device=device)
    digest = measured = None
    for step in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), target)
        loss.backward()
        optimizer.step()
        if step == 0:
            report = atc.torch.tune_together()  # all ranks call this function between two steps
            digest = report.agreement.digest
            measured = sum(problem.executions > 0 for problem in report.problems)
    told = torch.tensor([measured, *digest.encode()], device=device)
    all_told = [torch.empty_like(told) for _ in range(distributed.get_world_size())]
    distributed.all_gather(all_told, told)
    digests = {bytes(one[1:].tolist()).decode() for one in all_told}
    if rank == 0:
        print(f"{len(all_told)} ranks, digest {', '.join(sorted(digests))}, "
              f"{sum(int(one[0]) for one in all_told)} problems measured, loss {loss.item():.4f}")
    distributed.destroy_process_group()
    return len(digests) != 1


if __name__ == "__main__":
    sys.exit(main())
