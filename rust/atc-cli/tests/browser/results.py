"""Writes invented results of a run: 24 problems of 5 candidates. One problem has names that contain HTML and scripts."""

import json
import sys

HOSTILE = '</script><script>parent.hurt = 1</script><img src=x onerror="parent.hurt = 1">"\'&]]>\u202eevil\n'


def candidate(engine, index, seconds, clock):
    return {
        "engine": engine, "version": "1.0", "configuration": f"tile{32 << index}_stage{index}", "notes": "",
        "outcome": "lost", "reason": "", "workspace": 4096 << index, "executions": 100, "launches": 1 + index % 2,
        "timing": {
            "samples": 12, "mean": seconds * 1.01, "median": seconds, "min": seconds * 0.97, "max": seconds * 1.2,
            "deviation": seconds * 0.02, "clock_hz": clock, "host": 4e-6,
        },
    }


def problem(index):
    seconds = 4e-4 * (1 + index * 7 % 11)
    engines = ["cudnn", "cudnn", "implicit", "dense", "aten"]
    times = [1.6, 1.0, 1.2, 2.5, 1.4]
    clock = 1.98e9 - 3e7 * (index % 5)
    candidates = [candidate(engine, place, seconds * factor, clock - 1e6 * place)
                  for place, (engine, factor) in enumerate(zip(engines, times))]
    candidates[3]["timing"] = None
    candidates[1]["outcome"] = "won"
    name = HOSTILE if index == 5 else f"block{index}.conv"
    if index == 5:
        for key in ("engine", "version", "configuration", "notes", "reason"):
            candidates[2][key] = HOSTILE
    return {
        "name": name, "count": 1 + index % 3, "op": "forward", "dtype": "f16", "layout": "channels-last", "original": "aten",
        "columns": {"N": 32, "C": 64 << index % 3, "H": 56, "W": 56, "K": 64 << index % 3, "R": 3, "S": 3, "padH": 1, "padW": 1},
        "description": f"forward {name}", "status": "ok", "source": "tuned", "choice": f"cudnn@1.0:choice{index}",
        "winner": 1, "default": 4, "library_default": 0, "unstable": index % 6 == 0, "risk": 0.01 if index % 6 == 0 else 0,
        "why": "3 rounds ran under changing clocks" if index % 6 == 0 else "", "stored": True, "executions": 500,
        "seconds": 0.4, "candidates": candidates,
    }


json.dump({
    "schema": "atc-tune", "version": 1, "atc": "0.1.0", "command": "atc tune network", "date": "2026-01-31T12:00:00Z",
    "device": {"device": "cuda:0", "name": "A GPU", "compute_units": 132}, "technique": "interleaved", "seconds": 9.6,
    "ceilings": {"bytes_per_second": 4.26e12, "flops_per_second": 6e14},
    "problems": [problem(index) for index in range(24)],
}, sys.stdout)
