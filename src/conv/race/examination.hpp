// Checks one candidate without a race. This is done before a choice runs that no race of this
// process has checked, and in the background of the program.
#pragma once

#include <memory>
#include <string>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

// Builds one candidate and checks it by the correctness gate, without timing it. The check waits
// until no race of this process runs. `compiled` is the candidate's compiled text from a record, or
// "". Errors of building and executing are passed on.
tune::Verdict check_alone(const Problem& problem, const Request& request,
                          const Candidate& candidate, const Chain& chain,
                          const std::string& compiled = "");

// Checks one candidate as check_alone does, but does not wait for races, so this function is meant
// for short checks. Unlike check_alone, it does not repeat the check after problems of other sizes
// have run. If `lenient` is true, a result with less precision than is allowed passes, unless the
// request has strict_precision.
tune::Verdict check_beside(const Problem& problem, const Request& request,
                           const Candidate& candidate, const Chain& chain,
                           const std::string& compiled, bool lenient);

// Checks candidates of one problem in the background of the program, before these candidates may
// compute results of the program. The work on a GPU has a low priority. Races are not waited for.
class Examination {
 public:
  struct Result {
    tune::Verdict verdict;
    // The time of one execution of the candidate, in seconds. If the program uses the device at the
    // same time, the measured time is larger than the true one.
    double seconds = 0;
    std::unique_ptr<Prepared> prepared;  // null if the candidate has not passed
  };

  // Allocates the operands. `problem` and `request` must outlive the object. Throws
  // Error(out_of_memory), Error(library) and Error(device).
  Examination(const Problem& problem, const Request& request);
  ~Examination();
  // Builds the candidate, makes all checks that the winner of a race has to pass, and times it. If
  // a run takes longer than `patience` seconds, the verdict is hopeless (too slow). Errors of
  // building and executing are passed on.
  Result examine(const Candidate& candidate, const Chain& chain, double patience);
  // Waits for the device. Throws if the device has failed.
  void require_device();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atc::conv
