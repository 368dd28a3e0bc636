// Checks of one candidate without a race: before a choice runs that no race of this process has
// checked, and in the background of the program.
#pragma once

#include <memory>
#include <string>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "core/problem.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

// Builds one candidate and checks it by the correctness gate. It is not timed. The check waits
// until no race of this process runs. `compiled` is the candidate's compiled text from a record, or
// "". Throws what building and executing throw.
tune::Verdict check_alone(const Problem& problem, const Request& request,
                          const Candidate& candidate, const Chain& chain,
                          const std::string& compiled = "");

// The same as check_alone, but without waiting for races. So it is for short checks. Other sizes do
// not run before the check. If `lenient` is true, a result of less precision than is allowed
// passes, unless the request is strict about precision.
tune::Verdict check_beside(const Problem& problem, const Request& request,
                           const Candidate& candidate, const Chain& chain,
                           const std::string& compiled, bool lenient);

// Examines candidates of one problem in the background of the program, before they may compute its
// results. Its work on a GPU has a low priority. It does not wait for races.
class Examination {
 public:
  struct Result {
    tune::Verdict verdict;
    double seconds = 0;  // seconds of a run; too many if the program uses the device meanwhile
    std::unique_ptr<Prepared> prepared;  // null if the candidate has not passed
  };

  // Allocates the operands. `problem` and `request` must outlive the object. Throws
  // Error(out_of_memory), Error(library) and Error(device).
  Examination(const Problem& problem, const Request& request);
  ~Examination();
  // Builds the candidate and checks it as the winner of a race. If a run takes longer than
  // `patience` (seconds), the verdict is hopeless. Throws what building and executing throw.
  Result examine(const Candidate& candidate, const Chain& chain, double patience);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace atc::conv
