"""Measures data-parallel training on several devices: the choices of the ranks of a job, and the time of tuning.

    torchrun --nproc-per-node 2 bench/cuda/ranks.py --side together --store FOLDER --model resnet50 --out ranks.jsonl

Sides:
* heuristic: LibTorch alone.
* alone: each rank measures its own problems between the first two steps, without the other ranks.
* together: all ranks measure together (atc.torch.tune_together). With one process this is the time of one rank.
* warm: nothing is measured; FOLDER has the decisions.

A line of --out is a job. Rank 0 writes the line, and its times are the times of the slowest rank. `different` is the
number of problems for which the ranks have different choices. `parameters` is a hash of the parameters after the last
step. Jobs with --deterministic that run the same choices have the same hash, if CUBLAS_WORKSPACE_CONFIG=:4096:8 is in
the environment. The program needs the Python package of atc (docs/python.md).
"""

import argparse
import hashlib
import json
import os
import pathlib
import statistics
import sys

import torch
from torch import distributed

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))

import atc  # noqa: E402
import models  # noqa: E402
import networks  # noqa: E402
from timing import seconds_of  # noqa: E402

SIDES = ["heuristic", "alone", "together", "warm"]
WARM_UP, GROUPS, STEPS = 5, 5, 8


class Training(models.Training):
    """The model of this rank, wrapped for data parallelism by torch, and a batch of data that is used in each step."""

    def __init__(self, options, device):
        super().__init__(argparse.Namespace(**vars(options), mode="eager"))
        self.called = torch.nn.parallel.DistributedDataParallel(self.model, device_ids=[device.index])

    def parameters(self):
        """Returns a hash of the bits of all parameters."""
        whole = hashlib.sha256()
        for parameter in self.model.parameters():
            whole.update(parameter.detach().contiguous().view(torch.uint8).cpu().numpy().tobytes())
        return whole.hexdigest()[:16]


def tuned(options, device):
    """Measures the problems that the calls of this rank have noted. Returns the choice of each problem."""
    if options.side == "together":
        report = atc.torch.tune_together()
    else:
        report = atc.tune(atc.Problems.noted(), device)
    return {problem.description: problem.choice for problem in report.problems}


def all_of(value):
    values = [None] * distributed.get_world_size()
    distributed.all_gather_object(values, value)
    return values


def different(choices):
    """Returns the number of problems for which two ranks have different choices."""
    problems = {problem for one in choices for problem in one}
    return sum(len({one[problem] for one in choices if problem in one}) > 1 for problem in problems)


def measured(options, device):
    torch.backends.cudnn.allow_tf32 = True
    torch.backends.cudnn.benchmark = False
    torch.backends.cudnn.deterministic = options.deterministic
    torch.use_deterministic_algorithms(options.deterministic, warn_only=True)
    row, choices = {}, {}
    if options.side != "heuristic":
        if options.store:
            atc.Store(options.store).use()
        atc.torch.install(tune=False if options.side == "warm" else "later")
    training = Training(options, device)
    row["first_step_s"] = seconds_of(training.step)
    if options.side in ("alone", "together"):
        distributed.barrier()
        row["tuning_s"] = seconds_of(lambda: choices.update(tuned(options, device)))
        distributed.barrier()
        row["second_step_s"] = seconds_of(training.step)
    for _ in range(WARM_UP):
        training.step()
    groups = [1e3 * seconds_of(lambda: [training.step() for _ in range(STEPS)]) / STEPS for _ in range(GROUPS)]
    row["step_ms"] = statistics.median(groups)
    ranks = all_of(row)
    slowest = {name: max(rank[name] for rank in ranks) for name in row}
    gathered = all_of(choices)
    return {**slowest, "groups_ms": groups, "problems": max(len(one) for one in gathered),
            "different": different(gathered), "parameters": training.parameters()}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--side", required=True, choices=SIDES)
    parser.add_argument("--model", default="resnet50", choices=list(networks.all_networks()))
    parser.add_argument("--set", default="bf16-last", choices=["tf32-first", "bf16-last"])
    parser.add_argument("--batch", type=int, help="of each rank; by default the network's own")
    parser.add_argument("--store", help="a folder, for the sides together, alone and warm")
    parser.add_argument("--deterministic", action="store_true")
    parser.add_argument("--commit", default="unknown")
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def main():
    options = parse()
    device = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
    torch.cuda.set_device(device)
    distributed.init_process_group("nccl", device_id=device)
    row = measured(options, device)
    if distributed.get_rank() == 0:
        head = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "commit": options.commit,
                "ranks": distributed.get_world_size(), "model": options.model, "set": options.set, "side": options.side,
                "deterministic": options.deterministic}
        with open(options.out, "a") as out:
            print(json.dumps({**head, **row}), file=out)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
