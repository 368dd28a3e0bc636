// The machine as the tuner sees it: it runs convolutions and reads their times. A scripted device
// (tests/simulated) takes its place in tests, so that all of the tuner is tested without hardware
// and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace atc {

// Work that executes once per call of run(), on one of several equal sets of operands.
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual void run(std::size_t operand_set) = 0;  // throws Error when the execution fails
};

struct BatchTime {
  double seconds_per_call = 0;
  double host_seconds = 0;  // of the host to issue one call; 0: not measured by itself
  std::optional<double>
      clock_hz;            // clock of the executing unit during the batch, where it is known
  bool throttled = false;  // clocks were slowed for heat or by the hardware during the batch
  bool shared = false;     // other work was seen on the device right before or after the batch
  bool shared_at_any_attempt =
      false;  // other work was seen at this batch or at an earlier attempt of it
};

class Device {
 public:
  virtual ~Device() = default;
  // Runs `calls` executions back to back, rotating over `operand_sets`, and returns their time.
  virtual BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) = 0;
  // Records the same calls first and gives them to the device at once. So the time is that of the
  // device alone, however long the host takes to issue the calls. Empty if the device cannot
  // record, or cannot record all of the calls.
  virtual std::optional<BatchTime> time_graph(Runnable&, std::size_t /*operand_sets*/,
                                              std::size_t /*calls*/) {
    return std::nullopt;
  }
  // The number of kernels, copies and fills that one execution launches. 0: not known.
  virtual std::size_t launches(Runnable&) { return 0; }
  // Seconds on a monotonic clock. Budgets are measured only with this clock.
  virtual double now() = 0;
};

}  // namespace atc
