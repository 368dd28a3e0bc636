// The interface by which the tuner uses a device: the device runs convolutions and measures their
// times. Tests implement the interface by a scripted device (tests/simulated). So the whole tuner
// is tested without hardware and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace atc {

// A piece of work. Each call of run() executes the work once, on one of several equal sets of
// operands.
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
  // The clock frequency of the executing unit during the batch, if it is known.
  std::optional<double> clock_hz;
  // True if heat or a limit of the hardware slowed the clocks during the batch.
  bool throttled = false;
  // Whether other work was seen on the device right before or right after the batch.
  bool shared = false;
  // Whether other work was seen at the last attempt or at an earlier attempt to time this batch.
  // (The device may repeat a batch because of other work.)
  bool shared_at_any_attempt = false;
};

class Device {
 public:
  virtual ~Device() = default;
  // Runs `calls` executions back to back and returns their time. The executions use the sets 0 to
  // `operand_sets` - 1 in turn.
  virtual BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) = 0;
  // Like time_batch, but records all calls as a graph first and launches them together. So the
  // result is the time of the device alone, even if the host issues calls slowly. Returns nothing
  // if the device cannot record graphs, or cannot record all of the calls.
  virtual std::optional<BatchTime> time_graph(Runnable&, std::size_t /*operand_sets*/,
                                              std::size_t /*calls*/) {
    return std::nullopt;
  }
  // Returns the number of kernels, copies and fills that one execution launches; 0 if the number is
  // not known.
  virtual std::size_t launches(Runnable&) { return 0; }
  // Returns the time in seconds on a monotonic clock. Budgets are measured with this clock only.
  virtual double now() = 0;
};

}  // namespace atc
