#include "contestant.hpp"

#include <algorithm>

namespace atc::simulated {

void Contestant::begin_compiling() noexcept {
  if (!script_.compiles) misuse_ += "told to compile what it does not; ";
  if (began_compiling_) misuse_ += "told to compile twice; ";
  if (prepares_ != 0) misuse_ += "told to compile after it was prepared; ";
  began_compiling_ = device_.now();
}

void Contestant::prepare() {
  if (prepares_ != 0) misuse_ += "prepared twice; ";
  ++prepares_;
  device_.rest(script_.prepare_seconds);
  if (script_.prepare_fails) fail(*script_.prepare_fails, "the script says that preparing fails");
  prepared_ = true;
}

tune::Verdict Contestant::check(double patience) {
  if (!prepared_) misuse_ += "checked without being prepared; ";
  if (checked_) misuse_ += "checked twice; ";
  checked_ = true;
  device_.rest(script_.check_seconds);
  if (script_.wrong) return {false, "the script says that the result is wrong"};
  if (script_.checked_by_runs) {
    ++check_runs_;
    device_.execute(script_);
    if (script_.seconds > patience)
      return {false, "too slow for a check", true, false, script_.seconds};
    ++check_runs_;
    device_.execute(script_);
  }
  if (script_.seconds > patience) return {false, "too slow for a check", true};
  return {true, {}};
}

void Contestant::run(std::size_t operand_set) {
  if (!prepared_ || !checked_) misuse_ += "run without being prepared and checked; ";
  if (device_.recording()) return device_.execute(script_);
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
