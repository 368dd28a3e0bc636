"""Runs one rank of a job for test_group.py. The rank tunes together with the other ranks, and prints JSON.

group_rank.py folder|file|tcp WHERE RANK SIZE
"""
import datetime
import json
import sys
import time

import atc


def group_of(kind, where, rank, size):
    if kind == "folder":
        return atc.FolderGroup(where, rank, size, "attempt-0", bound=30), None
    import torch.distributed as distributed

    from atc.torch import TorchGroup
    if kind == "file":
        store = distributed.FileStore(where, size)
    else:
        host, port = where.rsplit(":", 1)
        store = distributed.TCPStore(host, int(port), size, rank == 0, datetime.timedelta(seconds=60))
    return TorchGroup(store, rank, size, bound=30, prefix="attempt-0"), store


def main():
    kind, where, rank, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    problems = [atc.Problem(batch=1, in_channels=4, input=(20 + i, 20), out_channels=4, kernel=3) for i in range(3)]
    group, store = group_of(kind, where, rank, size)
    try:
        report = atc.tune(problems, group=group, technique="once", store=False)
    except atc.NotAgreed as error:
        print(json.dumps({"error": str(error)}))
        return
    plans = [atc.Plan(problem, tune="later", store=False) for problem in problems]
    print(json.dumps({"digest": report.agreement.digest, "ranks": report.agreement.classes[0].ranks,
                      "classes": [[one.ranks, one.differences] for one in report.agreement.classes],
                      "choices": [plan.choice for plan in plans], "sources": [plan.source for plan in plans],
                      "measured": sum(row.executions > 0 for row in report.problems)}), flush=True)
    if kind == "tcp":  # rank 0 runs the server of the store, so rank 0 has to end last
        store.add("ended", 1)
        while rank == 0 and store.add("ended", 0) < size:
            time.sleep(0.05)


main()
