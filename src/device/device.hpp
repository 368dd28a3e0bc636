// The machine as the tuner sees it: it runs convolutions and measures their times. Tests use a
// scripted device (tests/simulated) in its place, so that all of the tuner is tested without
// hardware and without waiting.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace atc {

// Work that runs once per call of run(), on one of several equal sets of operands.
class Runnable {
 public:
  virtual ~Runnable() = default;
  // Executes the work once with one set of operands; throws Error if the execution fails.
  virtual void run(std::size_t operand_set) = 0;
};

struct BatchTime {
  double seconds_per_call = 0;
  double host_seconds = 0;         // seconds that the host needs to issue one call; 0: not measured
  std::optional<double> clock_hz;  // clock frequency of the executing unit during the batch, if it
                                   // is known
  bool throttled = false;          // heat or the hardware slowed the clocks during the batch
  bool shared = false;  // true if other work was seen on the device right before or after the batch
  bool shared_at_any_attempt =
      false;  // true if other work was seen at this batch or at an earlier attempt of it
};

class Device {
 public:
  virtual ~Device() = default;
  // Runs `calls` executions back to back, rotating over `operand_sets`, and returns their time.
  virtual BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) = 0;
  // Like run, but records the calls first and gives them to the device at once. So the time is that
  // of the device alone, however long the host takes to issue the calls. Returns nothing if the
  // device cannot record, or cannot record all of the calls.
  virtual std::optional<BatchTime> time_graph(Runnable&, std::size_t /*operand_sets*/,
                                              std::size_t /*calls*/) {
    return std::nullopt;
  }
  // Returns the number of kernels, copies and fills that one execution launches; 0 if it is not
  // known.
  virtual std::size_t launches(Runnable&) { return 0; }
  // Returns seconds on a monotonic clock. Budgets are measured with this clock only.
  virtual double now() = 0;
};

}  // namespace atc
