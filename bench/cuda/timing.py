"""Graphs of calls, replayed in turn, and what their times say."""

import statistics
import time

import torch

CALLS = 10


def rotation(operands):
    """Sets of operands that exceed the last-level cache three times together."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(1, min(CALLS, 3 * cache // operands.bytes() + 1))
    return [operands] + [operands.copy() for _ in range(count - 1)]


def captured(call, sets):
    """A graph of CALLS calls; what the calls returned lives as long as it."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for operands in sets:
            call(operands)
        stream.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph, stream=stream, capture_error_mode="thread_local"):
            kept = [call(sets[i % len(sets)]) for i in range(CALLS)]
    return graph, kept


def seconds_of(call, *arguments):
    torch.cuda.synchronize()
    start = time.perf_counter()
    call(*arguments)
    torch.cuda.synchronize()
    return time.perf_counter() - start


def milliseconds(graphs, samples):
    """Times per call of each graph, in rounds that all take part in, after two that do not count."""
    times = {name: [] for name in graphs}
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    names = list(graphs)
    for i in range(samples + 2):
        for name in names[i % len(names):] + names[:i % len(names)]:
            start.record()
            graphs[name].replay()
            end.record()
            end.synchronize()
            if i >= 2:
                times[name].append(start.elapsed_time(end) / CALLS)
    return times


def lower_bound_of_median(values):
    """At 99 %, by order statistics: the binomial distribution's tail below it is at most 1 %."""
    tail, weight, place = 0.0, 0.5 ** len(values), 0
    while tail + weight <= 0.01:
        tail += weight
        weight *= (len(values) - place) / (place + 1)
        place += 1
    return sorted(values)[max(place - 1, 0)]


def is_slower(ours, theirs):
    """The lower 99 % bound of ours / theirs exceeds 1.03, and the difference a microsecond."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    return lower_bound_of_median(ratios) > 1.03 and statistics.median(ours) - statistics.median(theirs) > 1e-3
