"""Times calls in graphs that are replayed in turn, and calls that are queued on a busy stream. Has
the statistics of the times."""

import statistics
import time

import torch

CALLS = 10


def rotation(operands):
    """Returns how many sets of operands together exceed the last-level cache three times."""
    cache = torch.cuda.get_device_properties(0).L2_cache_size
    count = max(1, min(CALLS, 3 * cache // operands.bytes() + 1))
    return [operands] + [operands.copy() for _ in range(count - 1)]


def captured(call, sets):
    """Captures a graph of CALLS calls. The results of the calls live as long as the graph."""
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
    """Runs rounds of all sides. Each round begins with another side, and the first two do not
    count."""
    for i in range(samples + 2):
        for name in names[i % len(names):] + names[:i % len(names)]:
            yield name, i >= 2


def milliseconds(graphs, samples):
    """Returns the times per call of each graph."""
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
    """Makes calls on a stream that a long kernel keeps busy until all are issued, as if the host were ahead of the
    device."""

    LONGEST = 1 << 31  # cycles: a second

    def __init__(self, call, sets):
        self.call, self.sets, self.cycles, self.late = call, sets, 1 << 21, 0

    def sample(self, stream):
        """Returns the milliseconds per call on the device, and the microseconds per call that the host takes to
        issue it. If the kernel ended before the host was done, it is made longer. If even the longest kernel is
        too short, the sample counts as late."""
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
    """The interval holds with 99 % by order statistics: the tail of the binomial distribution
    below it is at most 1 %."""
    tail, weight, place = 0.0, 0.5 ** len(values), 0
    while tail + weight <= 0.01:
        tail += weight
        weight *= (len(values) - place) / (place + 1)
        place += 1
    return sorted(values)[max(place - 1, 0)]


def is_slower(ours, theirs):
    """Whether ours is slower: the lower 99 % bound of ours / theirs is above 1.03, and the
    difference is above a microsecond."""
    ratios = [a / b for a, b in zip(ours, theirs)]
    return lower_bound_of_median(ratios) > 1.03 and statistics.median(ours) - statistics.median(theirs) > 1e-3
