#include "simulated/device.hpp"

#include <cmath>
#include <utility>

namespace atc::simulated {

Device::Device(Machine machine) : machine_(std::move(machine)), random_(machine_.seed) {}

double Device::clock() const {
  const Thermal& thermal = machine_.thermal;
  double ratio = machine_.clock_ramp ? machine_.clock_ramp(now_) : 1;
  if (heat_ > thermal.limit) {
    const double excess = (heat_ - thermal.limit) / (1 - thermal.limit);
    ratio *= 1 - excess * (1 - thermal.least_clock);
  }
  return ratio;
}

void Device::warm(double seconds, double towards) {
  heat_ = towards + (heat_ - towards) * std::exp(-seconds / machine_.thermal.tau_seconds);
  now_ += seconds;
}

void Device::rest(double seconds) { warm(seconds, 0); }

void Device::execute(const Load& load, double factor) {
  if (recording_) {
    if (load.launches == 0) recorded_.reset();
    if (recorded_) *recorded_ += load.launches;
    return;
  }
  if (!drawn_) {
    drawn_ = true;
    // Noise and outliers of a batch's time each need a random number. Both random numbers are
    // always drawn, even if the load has no noise or no outliers. So the settings of one load do
    // not change the random numbers that later loads get.
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const double noise = normal(random_);
    const bool outlier = uniform(random_) < load.outlier_rate;
    disturbance_ = std::exp(load.noise * noise) * (outlier ? load.outlier_factor : 1);
  }
  const double ratio = clock();
  const double alone = in_graph_ && load.graph_seconds > 0 ? load.graph_seconds : load.seconds;
  const double seconds =
      alone * factor * disturbance_ * beside() * (load.slowdown ? load.slowdown(ratio) : 1);
  ++executions_;
  host_seconds_ += load.host_seconds;
  warm(seconds, 1);
  load_seconds_ += seconds;
  clock_seconds_ += ratio * seconds;
}

BatchTime Device::time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) {
  drawn_ = false;
  clock_seconds_ = load_seconds_ = host_seconds_ = 0;
  const double start = now_;
  const bool shared_before = beside() > 1;
  for (std::size_t call = 0; call < calls; ++call) runnable.run(call % operand_sets);
  BatchTime batch;
  batch.seconds_per_call = (now_ - start) / static_cast<double>(calls);
  batch.host_seconds = host_seconds_ / static_cast<double>(calls);
  const double ratio = load_seconds_ > 0 ? clock_seconds_ / load_seconds_ : clock();
  if (machine_.full_clock_hz) batch.clock_hz = *machine_.full_clock_hz * ratio;
  batch.shared = batch.shared_at_any_attempt = shared_before || beside() > 1;
  batch.throttled = machine_.thermal.tells_throttling && heat_ > machine_.thermal.limit;
  return batch;
}

std::size_t Device::launches(Runnable& runnable) {
  if (!machine_.has_graphs) return 0;
  recording_ = true;
  recorded_ = 0;
  runnable.run(0);
  recording_ = false;
  return recorded_.value_or(0);
}

std::optional<BatchTime> Device::time_graph(Runnable& runnable, std::size_t operand_sets,
                                            std::size_t calls) {
  if (launches(runnable) == 0) return std::nullopt;
  in_graph_ = true;
  const BatchTime batch = time_batch(runnable, operand_sets, calls);
  in_graph_ = false;
  return batch;
}

}  // namespace atc::simulated
