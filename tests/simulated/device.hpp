// A simulated device for tests of the tuner: a test sets how it behaves. It has a virtual clock, so
// nothing really takes time. Noise and outliers of its times come from a random generator with a
// seed. Its clock frequency may rise over time, and may fall because of heat. Only tests link the
// library atc_simulated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

#include "device/device.hpp"

namespace atc::simulated {

// The simulated times of one execution, as a test sets them.
struct Load {
  double seconds = 1e-3;    // seconds of one execution, at full clock and without other work
  double noise = 0;         // the standard deviation of the logarithm of the time of a batch
  double outlier_rate = 0;  // the fraction of batches that are disturbed, so that they take longer
  double outlier_factor = 1;  // the time of a disturbed batch, divided by its undisturbed time
  // The function returns the factor by which `seconds` is multiplied. Its argument is the present
  // clock frequency as a fraction (0, 1] of the full frequency. Empty: the time does not depend on
  // the clock frequency.
  std::function<double(double)> slowdown;
  double host_seconds = 0;  // seconds that the host takes to issue the execution
  // the seconds of an execution in a recorded graph; 0: such an execution takes `seconds`
  double graph_seconds = 0;
  // The number of kernel launches of one execution. 0: the execution cannot be recorded into a
  // graph.
  std::size_t launches = 1;
};

// The way in which heat lowers the clock frequency of the simulated device. Heat is a number that
// approaches 1 under load and 0 at rest, with the time constant `tau_seconds`. Above the heat
// `limit`, the clock frequency falls linearly. At heat 1 it is `least_clock`, a fraction of the
// full frequency.
struct Thermal {
  double tau_seconds = 1;
  double limit = 1;
  double least_clock = 1;
  // whether a batch reports that heat has lowered the clock frequency
  bool tells_throttling = false;
};

struct Machine {
  std::uint64_t seed = 0;
  // Simulates other work on the device. The function gets a moment of the virtual clock in seconds
  // and returns a factor: an execution at this moment takes its usual time multiplied by the
  // factor. A batch is marked as shared with other work if the factor is above 1 when it begins or
  // ends. Empty: there is no other work.
  std::function<double(double seconds)> beside;
  // The full clock frequency in Hz. Empty: the device does not report its clock.
  std::optional<double> full_clock_hz;
  std::function<double(double seconds)>
      clock_ramp;  // the clock at each time, as a fraction of the full clock; empty: always 1
  Thermal thermal;
  bool has_graphs = false;
};

class Device final : public atc::Device {
 public:
  explicit Device(Machine machine);

  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  std::optional<BatchTime> time_graph(Runnable& runnable, std::size_t operand_sets,
                                      std::size_t calls) override;
  std::size_t launches(Runnable& runnable) override;
  double now() override { return now_; }

  void rest(double seconds);  // lets simulated time pass without load, so that the device cools
  // Simulates one execution of the load: simulated time passes, and the device warms up.
  void execute(const Load& load, double factor = 1);
  // Returns the present clock frequency as a fraction of the full clock frequency.
  double clock() const;
  double heat() const { return heat_; }
  // Returns whether calls are being recorded into a graph. In this time execute() only counts
  // launches and takes no time.
  bool recording() const { return recording_; }
  std::size_t executions() const { return executions_; }

 private:
  void warm(double seconds, double towards);
  double beside() const { return machine_.beside ? machine_.beside(now_) : 1; }

  Machine machine_;
  std::mt19937_64 random_;
  double now_ = 0;
  double heat_ = 0;
  // The factor by which noise and outliers change the time of the present batch.
  double disturbance_ = 1;
  bool drawn_ = false;
  // Sums over the executions of the present batch: their time multiplied by the clock (a fraction
  // of the full clock), their time, and the host's time, in seconds.
  double clock_seconds_ = 0, load_seconds_ = 0, host_seconds_ = 0;
  bool recording_ = false, in_graph_ = false;
  // The number of launches that were recorded into the graph so far. Empty if an execution could
  // not be recorded.
  std::optional<std::size_t> recorded_;
  std::size_t executions_ = 0;
};

}  // namespace atc::simulated
