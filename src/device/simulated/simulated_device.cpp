#include "device/simulated/simulated_device.hpp"

#include <algorithm>
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

void Device::execute(const Script& script, double factor) {
  if (!drawn_) {
    drawn_ = true;
    // Both numbers are drawn always, so that one script's options do not shift another's numbers.
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform;
    const double noise = normal(random_);
    const bool outlier = uniform(random_) < script.outlier_rate;
    disturbance_ = std::exp(script.noise * noise) * (outlier ? script.outlier_factor : 1);
  }
  const double ratio = clock();
  const double seconds =
      script.seconds * factor * disturbance_ * (script.slowdown ? script.slowdown(ratio) : 1);
  ++executions_;
  warm(seconds, 1);
  load_seconds_ += seconds;
  clock_seconds_ += ratio * seconds;
}

BatchTime Device::time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) {
  drawn_ = false;
  clock_seconds_ = load_seconds_ = 0;
  const double start = now_;
  for (std::size_t call = 0; call < calls; ++call) runnable.run(call % operand_sets);
  BatchTime batch;
  batch.seconds_per_call = (now_ - start) / static_cast<double>(calls);
  const double ratio = load_seconds_ > 0 ? clock_seconds_ / load_seconds_ : clock();
  if (machine_.full_clock_hz) batch.clock_hz = *machine_.full_clock_hz * ratio;
  batch.throttled = machine_.thermal.tells_throttling && heat_ > machine_.thermal.limit;
  return batch;
}

void Contestant::prepare() {
  if (prepares_ != 0) misuse_ += "prepared twice; ";
  ++prepares_;
  device_.rest(script_.prepare_seconds);
  if (script_.prepare_fails) fail(*script_.prepare_fails, "the script says that preparing fails");
  prepared_ = true;
}

tune::Verdict Contestant::check() {
  if (!prepared_) misuse_ += "checked without being prepared; ";
  if (checked_) misuse_ += "checked twice; ";
  checked_ = true;
  device_.rest(script_.check_seconds);
  if (script_.wrong) return {false, "the script says that the result is wrong"};
  return {true, {}};
}

void Contestant::run(std::size_t operand_set) {
  if (!prepared_ || !checked_) misuse_ += "run without being prepared and checked; ";
  ++runs_;
  highest_set_ = std::max(highest_set_, operand_set);
  if (runs_ == script_.hangs_at_run) device_.rest(script_.hang_seconds);
  if (runs_ == script_.fails_at_run)
    fail(script_.run_status, "the script says that run {} fails", runs_);
  const auto& factors = script_.factors;
  device_.execute(script_, factors.empty() ? 1 : factors[std::min(runs_, factors.size()) - 1]);
}

void Contestant::release() noexcept {
  if (releases_ != 0) misuse_ += "released twice; ";
  if (prepares_ == 0) misuse_ += "released without being prepared; ";
  ++releases_;
  prepared_ = false;
}

}  // namespace atc::simulated
