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
  double host_seconds = 0;  // that issuing one call takes the host; 0: not told apart
  std::optional<double>
      clock_hz;            // clock of the executing unit during the batch, where it is known
  bool throttled = false;  // thermal or hardware brake seen during the batch
};

class Device {
 public:
  virtual ~Device() = default;
  // Runs `calls` executions back to back, rotating over `operand_sets`, and tells their time.
  virtual BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) = 0;
  // The same calls recorded first and then given to the device at once, so that their time is the
  // device's alone however long the host takes to issue them. Empty where the device cannot do this
  // or something in the calls cannot be recorded.
  virtual std::optional<BatchTime> time_graph(Runnable&, std::size_t /*operand_sets*/,
                                              std::size_t /*calls*/) {
    return std::nullopt;
  }
  // What one execution gives the device to do: kernels, copies and fills. 0: not known.
  virtual std::size_t launches(Runnable&) { return 0; }
  // Seconds on a monotonic clock; budgets are measured with it and with nothing else.
  virtual double now() = 0;
};

}  // namespace atc
