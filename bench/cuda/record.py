"""The options and the output file that all measurements of cells share (rows.py reads the file)."""

import argparse
import json
import os
import subprocess
import sys
import time

import torch

from atc_abi import Atc, TorchMemory
from layers import sample
from rows import read


def parser(doc):
    """Returns a parser with the options that every measurement has."""
    result = argparse.ArgumentParser(description=doc.split("\n", 1)[0])
    result.add_argument("--libatc", default="libatc.so.1")
    result.add_argument("--shapes", required=True)
    result.add_argument("--layers", type=int, default=0, help="the first ones of the file; 0: all")
    result.add_argument("--samples", type=int, default=15)
    result.add_argument("--resume", action="store_true", help="leave out what --out has already")
    result.add_argument("--budget", type=float, default=float("inf"), help="minutes after which no cell is begun")
    result.add_argument("--shard", default="1/1", metavar="I/N", help="every N-th cell, from the I-th")
    result.add_argument("--commit", default="unknown")
    result.add_argument("--out", required=True)
    return result


def shard(cells, text):
    """Returns the cells of the shard `text` ("1/2" is the first of two). Shards have no cell in common, so that
    several processes, each with its own device and file, can share a measurement."""
    index, count = map(int, text.split("/"))
    if not 1 <= index <= count:
        raise SystemExit(f"--shard {text}: give i/n with i from 1 to n")
    return cells[index - 1::count]


def sample_parser(doc, cells, seed):
    """Returns a parser with the common options, and with options for the number and the seed of the cells to
    draw."""
    result = parser(doc)
    result.add_argument("--cells", type=int, default=cells)
    result.add_argument("--seed", type=int, default=seed)
    return result


def atc_beside_torch(options):
    """Loads atc into a process in which LibTorch has loaded CUDA and cuDNN, so that atc uses the
    same libraries."""
    torch.zeros(1, device="cuda")
    torch.backends.cudnn.version()
    return Atc(options.libatc)


def atc_and_sample(options):
    """Sets up atc beside LibTorch, on LibTorch's memory, and draws the cells."""
    atc = atc_beside_torch(options)
    atc.memory = TorchMemory(atc)
    return atc, shard(sample(options.shapes, options.layers, options.seed, options.cells), options.shard)


def of_processes(count, *arguments, **environment):
    """Runs this program `count` times, each time in a new process, with further arguments and environment
    variables. Returns the JSON values that the processes print."""
    return [json.loads(subprocess.run([sys.executable, *sys.argv, *arguments], check=True, stdout=subprocess.PIPE,
                                      text=True, env={**os.environ, **environment}).stdout) for _ in range(count)]


def has(rows, cell):
    """Returns whether one of the rows belongs to the cell."""
    return any(cell.key().items() <= row.items() for row in rows)


def command():
    """Returns the command line of this program. Absolute paths in it are shortened to file names."""
    return " ".join(["python3", *(os.path.basename(a) if os.path.isabs(a) else a for a in sys.argv)])


def write(atc, options, cells, row_of, **about):
    """Measures each cell by the function `row_of` and writes a line for it, until the time of --budget is over. If a
    cell fails, its line has the error."""
    if options.resume and os.path.exists(options.out):
        done = read(options.out)[1]
        cells = [cell for cell in cells if not has(done, cell)]
    head = {"device": torch.cuda.get_device_name(), "torch": torch.__version__, "cudnn": atc.cudnn_version(),
            "commit": options.commit, "samples": options.samples, "command": command(), **about}
    began = time.perf_counter()
    with open(options.out, "a" if options.resume else "w") as out:
        print(json.dumps(head), file=out, flush=True)
        for cell in cells:
            if time.perf_counter() - began > 60 * options.budget:
                break
            try:
                row = row_of(cell)
            except Exception as error:
                row = {"failed": str(error)[:400]}
            print(json.dumps({**cell.key(), **row}), file=out, flush=True)
            torch.cuda.empty_cache()
