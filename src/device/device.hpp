// Where a convolution runs and how its time is read. The tuner sees nothing else of a machine, so a
// scripted device (device/simulated) tests all of it without hardware and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace atc {

// Something that executes once per call on one of several equal sets of operands.
class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual void run(std::size_t operand_set) = 0;  // throws Error when the execution fails
};

struct BatchTime {
  double seconds_per_call = 0;
  std::optional<double>
      clock_hz;            // clock of the executing unit during the batch, where it is known
  bool throttled = false;  // thermal or hardware brake seen during the batch
};

class Device {
 public:
  virtual ~Device() = default;
  // Runs `calls` executions back to back, rotating over `operand_sets`, and tells their time.
  virtual BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) = 0;
  // Seconds on a monotonic clock; budgets are measured with it and with nothing else.
  virtual double now() = 0;
};

}  // namespace atc
