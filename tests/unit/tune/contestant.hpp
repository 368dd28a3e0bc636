// A contestant (a candidate of a race) on the simulated device. It behaves as a script says, and
// counts the calls that it gets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "simulated/device.hpp"
#include "tune/race.hpp"

namespace atc::simulated {

// The behaviour of one contestant. A run is one execution, also as a warm-up. The first run has the
// number 1.
struct Script : Load {
  // The factors by which the times of run 1, 2, ... are multiplied. The last factor holds for all
  // later runs, too. Empty: all factors are 1.
  std::vector<double> factors;

  double prepare_seconds = 0;
  double check_seconds = 0;
  std::uint64_t workspace = 0;
  bool compiles = false;
  // the members `kept` and `opaque` of the contestant's tune::Burden
  bool kept = false, opaque = false;
  std::vector<std::string> groups;
  tune::Belief belief;
  bool yardstick = false;
  std::optional<Status> prepare_fails;  // if set, preparing the contestant fails with this status
  // true if the gate (the check against the reference) refuses the results of the contestant
  bool wrong = false;
  // True if the check of the contestant's results runs the contestant: twice, or only once if two
  // runs would take too long.
  bool checked_by_runs = false;
  std::size_t fails_at_run = 0;  // the number of the run that fails; 0: no run fails
  Status run_status = Status::device;
  std::size_t hangs_at_run = 0;  // the number of the run that hangs; 0: no run hangs
  double hang_seconds = 0;
};

// Executes the script on the simulated device. If a race misuses the contestant (for example runs
// it unprepared or checks it twice), misuse() returns a text that describes the misuse.
class Contestant final : public tune::Contestant, private Runnable {
 public:
  Contestant(Device& device, Script script) : device_(device), script_(std::move(script)) {}

  void begin_compiling() noexcept override;
  void prepare() override;
  tune::Verdict check(double patience) override;
  Runnable& runnable() override { return *this; }
  tune::Burden burden() const override {
    return {script_.compiles, script_.workspace, script_.kept, script_.opaque};
  }
  std::vector<std::string> groups() const override { return script_.groups; }
  tune::Belief belief() const override { return script_.belief; }
  bool is_yardstick() const override { return script_.yardstick; }
  void release() noexcept override;

  const Script& script() const { return script_; }
  bool prepared() const { return prepared_; }
  std::size_t runs() const { return runs_; }
  std::size_t check_runs() const { return check_runs_; }
  std::size_t prepares() const { return prepares_; }
  // The time at which the race called begin_compiling(), by the device's clock.
  std::optional<double> began_compiling() const { return began_compiling_; }
  std::size_t releases() const { return releases_; }
  std::size_t highest_operand_set() const { return highest_set_; }
  const std::string& misuse() const { return misuse_; }

 private:
  void run(std::size_t operand_set) override;

  Device& device_;
  Script script_;
  std::optional<double> began_compiling_;
  bool prepared_ = false;
  bool checked_ = false;
  std::size_t runs_ = 0, check_runs_ = 0, prepares_ = 0, releases_ = 0, highest_set_ = 0;
  std::string misuse_;
};

}  // namespace atc::simulated
