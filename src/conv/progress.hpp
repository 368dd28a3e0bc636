// Reports how far decisions have come, and lets the caller cancel them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace atc::conv {

// Gets the progress of one decision, and the choice of the candidate that is prepared, checked or
// timed next ("" if none is). The progress is 0 before a race. It may decrease if another race
// follows. It is 1 when the race for a plan has ended, before the decision is kept. The function
// returns false to cancel.
using OnFraction = std::function<bool(double, const std::string& candidate)>;

struct TuningProgress {
  std::size_t problem = 0, problems = 0;
  double fraction = 0;  // progress of this problem: 0 at its start, never falls, 1 once at its end
  double seconds = 0;   // in all
  const std::string& description;
  const std::string& candidate;  // as in OnFraction
};
using OnTuning = std::function<bool(const TuningProgress&)>;  // false cancels

// Reports the problems of a call to an OnTuning, which may be empty, until the OnTuning cancels.
class Telling {
 public:
  Telling(const OnTuning& on_progress, std::size_t problems)
      : on_progress_(on_progress), problems_(problems) {}

  void expect(std::size_t problems) { problems_ = problems; }       // in place of the first number
  void begin(std::size_t problem, const std::string& description);  // the next problem
  bool tell(double fraction, const std::string& candidate = {});    // whether to go on
  bool cancelled() const { return cancelled_; }
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  const OnTuning& on_progress_;
  std::size_t problems_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::size_t problem_ = 0;
  std::string description_;
  double furthest_ = 0;
  bool ended_ = false, cancelled_ = false;
};

}  // namespace atc::conv
