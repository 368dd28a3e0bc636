// The interface by which the tuner measures convolutions on a device. Tests implement the interface
// by a simulated device with a virtual clock (tests/simulated). So the whole tuner is tested
// without hardware and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace atc {

// The work that is measured, such as one call of a convolution. There are several equal copies of
// its operands (operand sets). Each call of run() executes the work once, on one of these sets.
class Runnable {
 public:
  virtual ~Runnable() = default;
  // Executes the work once with the operand set of this number. Throws Error if the execution
  // fails.
  virtual void run(std::size_t operand_set) = 0;
};

struct BatchTime {
  double seconds_per_call = 0;
  // The seconds that the host needs to issue one call; 0: not measured.
  double host_seconds = 0;
  // The clock frequency in Hz at which the device executed the batch, if it is known.
  std::optional<double> clock_hz;
  // True if heat or a limit of the hardware slowed the clocks during the batch.
  bool throttled = false;
  // Whether other work was seen on the device right before or right after the batch.
  bool shared = false;
  // A device may time a batch again if it sees other work. This member is true if other work was
  // seen at any of these attempts, including the last one.
  bool shared_at_any_attempt = false;
};

class Device {
 public:
  virtual ~Device() = default;
  // Runs `calls` executions back to back and returns their time. The executions use the operand
  // sets 0 to `operand_sets` - 1 in turn.
  virtual BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) = 0;
  // Runs `calls` executions and returns their time. All calls are first recorded into a graph, and
  // then the graph is launched. So the result is the time of the device alone, even if the host
  // issues calls slowly. Returns nullopt if the device cannot record graphs, or cannot record all
  // of the calls.
  virtual std::optional<BatchTime> time_graph(Runnable&, std::size_t /*operand_sets*/,
                                              std::size_t /*calls*/) {
    return std::nullopt;
  }
  // Returns the number of kernels, copies and fills that one execution launches; 0 if the number is
  // not known.
  virtual std::size_t launches(Runnable&) { return 0; }
  // Returns the time in seconds on a monotonic clock. Time limits of the tuner (budgets) are
  // measured with this clock only.
  virtual double now() = 0;
};

}  // namespace atc
