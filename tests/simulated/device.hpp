// A device that a test scripts: a virtual clock, noise and outliers from a seeded generator, clocks
// that ramp up or that heat brings down. The library atc_simulated is linked by tests alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>

#include "device/device.hpp"

namespace atc::simulated {

// The cost of one execution.
struct Load {
  double seconds = 1e-3;      // seconds of one execution, at full clock and without other work
  double noise = 0;           // standard deviation of the logarithm of a batch's time
  double outlier_rate = 0;    // fraction of the batches that other work disturbs
  double outlier_factor = 1;  // the time of a disturbed batch, as a multiple of the undisturbed
                              // time
  // The factor by which `seconds` is multiplied if the clock is this fraction (0, 1] of the full
  // clock. Empty: the time does not depend on the clock.
  std::function<double(double)> slowdown;
  double host_seconds = 0;   // seconds that the host takes to issue the execution
  double graph_seconds = 0;  // seconds of the execution in a recorded graph; 0: as `seconds`
  std::size_t launches = 1;  // the number of launches on the device; 0: the execution cannot be
                             // recorded
};

// Heat is a number that goes to 1 under load and to 0 at rest, with the time constant
// `tau_seconds`. Above `limit` the clock falls, in proportion, to `least_clock` of the full one at
// heat 1.
struct Thermal {
  double tau_seconds = 1;
  double limit = 1;
  double least_clock = 1;
  bool tells_throttling = false;  // whether batches report throttling
};

struct Machine {
  std::uint64_t seed = 0;
  // Other work on the device, by time: executions take this multiple of their time. A batch is
  // marked as shared if it begins or ends while the multiple is above 1. Empty: there is no other
  // work.
  std::function<double(double seconds)> beside;
  std::optional<double> full_clock_hz;  // the full clock frequency; empty: the device does not
                                        // report its clock
  std::function<double(double seconds)>
      clock_ramp;  // fraction of the full clock at each time; empty: always 1
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

  void rest(double seconds);  // time passes without load
  // Executes the load once: time passes, and the device warms up.
  void execute(const Load& load, double factor = 1);
  // The present clock as a fraction of the full clock.
  double clock() const;
  double heat() const { return heat_; }
  // True while a recording runs: then execute() counts launches and takes no time.
  bool recording() const { return recording_; }
  std::size_t executions() const { return executions_; }

 private:
  void warm(double seconds, double towards);
  double beside() const { return machine_.beside ? machine_.beside(now_) : 1; }

  Machine machine_;
  std::mt19937_64 random_;
  double now_ = 0;
  double heat_ = 0;
  double disturbance_ = 1;  // of the batch under way
  bool drawn_ = false;
  double clock_seconds_ = 0, load_seconds_ = 0, host_seconds_ = 0;  // of the batch under way
  bool recording_ = false, in_graph_ = false;
  std::optional<std::size_t> recorded_;  // the number of launches in the recording so far; empty if
                                         // something cannot be recorded
  std::size_t executions_ = 0;
};

}  // namespace atc::simulated
