// Reports the progress of decisions to the caller, who can cancel them.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>

namespace atc::conv {

// A function that receives the progress of one decision, from 0 to 1. The progress is 0 before a
// race. The progress may decrease if a second race follows the first. It is 1 when the last race
// has ended, before the decision is kept. `candidate` is the choice of the candidate that is
// prepared, checked or timed next; "" if there is none. The function returns false to cancel the
// decision.
using OnFraction = std::function<bool(double, const std::string& candidate)>;

struct TuningProgress {
  std::size_t problem = 0, problems = 0;
  // The progress of this problem, from 0 at the start to 1 at the end. It never decreases. After 1
  // has been reported, nothing more is reported for this problem.
  double fraction = 0;
  double seconds = 0;  // the seconds since the start of the call
  const std::string& description;
  // The choice that is prepared, checked or timed next (see OnFraction).
  const std::string& candidate;
};
// The callback returns false to cancel the call.
using OnTuning = std::function<bool(const TuningProgress&)>;

// Reports the progress of all problems of a call to `on_progress`, until `on_progress` cancels the
// call. `on_progress` may be empty.
class Telling {
 public:
  Telling(const OnTuning& on_progress, std::size_t problems)
      : on_progress_(on_progress), problems_(problems) {}

  // Changes the number of problems that this call has to decide, if further ones were added.
  void expect(std::size_t problems) { problems_ = problems; }
  // begins to report the progress of the next problem
  void begin(std::size_t problem, const std::string& description);
  // Reports the progress of the current problem. Returns false if the call is cancelled.
  bool tell(double fraction, const std::string& candidate = {});
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
