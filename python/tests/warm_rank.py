"""Runs one rank of a job for test_ddp.py, under torchrun with gloo. The store of rank 0 has all decisions, and the
other ranks have none. After tuning, the ranks wait for each other in a collective operation.

warm_rank.py alone|together STORE PROBLEMS SECONDS

The ranks tune the problems in the file PROBLEMS: each rank alone, or all together. The collective operation ends with
an error after SECONDS. Rank 0 prints "timed out", or the number of digests (hashes of the decisions) of the ranks.
"""
import datetime
import sys

from torch import distributed

import atc
from atc.torch import TorchGroup


def main():
    kind, store, problems, seconds = sys.argv[1:]
    distributed.init_process_group("gloo")
    rank, size = distributed.get_rank(), distributed.get_world_size()
    step = distributed.new_group(timeout=datetime.timedelta(seconds=float(seconds)))
    if rank == 0:
        atc.Store(store).use()
    problems = atc.Problems.read(problems)
    distributed.barrier()
    group = TorchGroup() if kind == "together" else None
    report = atc.tune(problems, group=group)
    digests = [None] * size
    try:
        distributed.all_gather_object(digests, report.agreement.digest if group else rank, group=step)
    except RuntimeError:
        if rank == 0:
            print("timed out", flush=True)
    else:
        if rank == 0:
            print(f"{len(set(digests))} digest", flush=True)
    distributed.barrier()


main()
