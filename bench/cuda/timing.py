"""Times calls in two ways: in CUDA graphs that are replayed in turn, and queued on a busy stream. Also compares
two sets of times by their statistics."""

import statistics
import time

import torch

CALLS = 10


def rotation(operands):
    """Returns the number of sets of operands that together are at least three times as large as the last-level
    cache."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(1, min(CALLS, 3 * cache // operands.bytes() + 1))
    return [operands] + [operands.copy() for _ in range(count - 1)]


def captured(call, sets):
    """Captures a graph of CALLS (a constant number) calls, which use the sets of operands in turn. The results of the
    calls remain valid as long as the graph exists."""
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


def turns(names, samples):
    """Yields the sides (the ways that are compared) in the order in which they run, round by round, each with a bool:
    whether the run is measured. Each round begins with another side. The first two rounds are warm-ups and are not
    measured."""
    for i in range(samples + 2):
        for name in names[i % len(names):] + names[:i % len(names)]:
            yield name, i >= 2


def milliseconds(graphs, samples):
    """Returns for each graph a list of samples: the milliseconds per call."""
    times = {name: [] for name in graphs}
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    for name, counts in turns(list(graphs), samples):
        start.record()
        graphs[name].replay()
        end.record()
        end.synchronize()
        if counts:
            times[name].append(start.elapsed_time(end) / CALLS)
    return times


class Queue:
    """Times calls on a stream that a long kernel keeps busy until all calls are issued. So the device never waits
    for the host."""

    LONGEST = 1 << 31  # the longest duration of the long kernel in cycles: about a second

    def __init__(self, call, sets):
        self.call, self.sets, self.cycles, self.late = call, sets, 1 << 21, 0

    def sample(self, stream):
        """Returns the milliseconds per call on the device, and the microseconds that the host needs to issue a
        call. If the long kernel ended before the host had issued all calls, the sample is repeated with a longer
        kernel. If even the longest kernel is too short, the sample counts as late."""
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with torch.cuda.stream(stream):
            self.call(self.sets[0])
            while True:
                stream.synchronize()
                torch.cuda._sleep(self.cycles)
                start.record()
                began = time.perf_counter()
                kept = [self.call(self.sets[i % len(self.sets)]) for i in range(CALLS)]
                issuing = time.perf_counter() - began
                in_time = not start.query()
                end.record()
                end.synchronize()
                del kept
                if in_time or self.cycles >= self.LONGEST:
                    self.late += not in_time
                    return start.elapsed_time(end) / CALLS, 1e6 * issuing / CALLS
                self.cycles *= 4


def lower_bound_of_median(values):
    """Returns a lower bound of the median that holds with 99 % confidence. It is an order statistic: the tail of
    the binomial distribution below it is at most 1 %."""
    tail, weight, place = 0.0, 0.5 ** len(values), 0
    while tail + weight <= 0.01:
        tail += weight
        weight *= (len(values) - place) / (place + 1)
        place += 1
    return sorted(values)[max(place - 1, 0)]


def is_slower(ours, theirs):
    """Returns whether `ours` is slower than `theirs`: the lower 99 % bound of ours / theirs is above 1.03, and
    the difference is above a microsecond."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    return lower_bound_of_median(ratios) > 1.03 and statistics.median(ours) - statistics.median(theirs) > 1e-3
