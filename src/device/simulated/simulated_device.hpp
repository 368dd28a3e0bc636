// A device that a test scripts: a virtual clock, noise and outliers from a seeded generator, clocks
// that ramp or that heat brings down, executions that fail, hang or are wrong. For tests alone: it
// is a library of its own that libatc does not hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "device/device.hpp"
#include "tune/race.hpp"

namespace atc::simulated {

// What one contestant is like. Runs are counted from 1, warm-ups included.
struct Script {
  double seconds = 1e-3;        // of one execution at full clock, undisturbed
  double noise = 0;             // standard deviation of the logarithm of a batch's time
  double outlier_rate = 0;      // part of the batches that are disturbed
  double outlier_factor = 1;    // how much longer those take
  std::vector<double> factors;  // of the first, second, ... run; the last goes on. Empty: 1
  // Time as a multiple of `seconds` when the clock is this part (0, 1] of the full one. Empty: the
  // clock does not matter to it.
  std::function<double(double)> slowdown;

  double prepare_seconds = 0;
  double check_seconds = 0;
  std::uint64_t workspace = 0;
  std::optional<Status> prepare_fails;  // with this status
  bool wrong = false;                   // refused by the gate
  std::size_t fails_at_run = 0;         // 0 = never
  Status run_status = Status::device;
  std::size_t hangs_at_run = 0;  // 0 = never
  double hang_seconds = 0;
};

// Heat is a number that goes to 1 under load and to 0 at rest, with the time constant
// `tau_seconds`. Above `limit` the clock falls, in proportion, to `least_clock` of the full one at
// heat 1.
struct Thermal {
  double tau_seconds = 1;
  double limit = 1;
  double least_clock = 1;
  bool tells_throttling = false;  // whether a batch says that it was braked
};

struct Machine {
  std::uint64_t seed = 0;
  std::optional<double> full_clock_hz;  // empty: the device cannot tell its clock
  std::function<double(double seconds)>
      clock_ramp;  // part of the full clock at this time; empty: 1
  Thermal thermal;
};

class Device final : public atc::Device {
 public:
  explicit Device(Machine machine);

  BatchTime time_batch(Runnable& runnable, std::size_t operand_sets, std::size_t calls) override;
  double now() override { return now_; }

  void rest(double seconds);                              // time passes without load
  void execute(const Script& script, double factor = 1);  // one execution: time passes under load
  double clock() const;                                   // part of the full clock right now
  double heat() const { return heat_; }
  std::size_t executions() const { return executions_; }

 private:
  void warm(double seconds, double towards);

  Machine machine_;
  std::mt19937_64 random_;
  double now_ = 0;
  double heat_ = 0;
  double disturbance_ = 1;  // of the batch under way
  bool drawn_ = false;
  double clock_seconds_ = 0, load_seconds_ = 0;  // of the batch under way
  std::size_t executions_ = 0;
};

// A contestant that follows a script and counts what is done to it. Misuse (running without
// prepare, checking twice, ...) is noted in `misuse` for the test to look at.
class Contestant final : public tune::Contestant, private Runnable {
 public:
  Contestant(Device& device, Script script) : device_(device), script_(std::move(script)) {}

  void prepare() override;
  tune::Verdict check() override;
  Runnable& runnable() override { return *this; }
  std::uint64_t workspace() const override { return script_.workspace; }
  void release() noexcept override;

  const Script& script() const { return script_; }
  bool prepared() const { return prepared_; }
  std::size_t runs() const { return runs_; }
  std::size_t prepares() const { return prepares_; }
  std::size_t releases() const { return releases_; }
  std::size_t highest_operand_set() const { return highest_set_; }
  const std::string& misuse() const { return misuse_; }

 private:
  void run(std::size_t operand_set) override;

  Device& device_;
  Script script_;
  bool prepared_ = false;
  bool checked_ = false;
  std::size_t runs_ = 0, prepares_ = 0, releases_ = 0, highest_set_ = 0;
  std::string misuse_;
};

}  // namespace atc::simulated
