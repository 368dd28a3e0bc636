// Checks choices that were not measured by this process, before they run. A recorded choice from
// elsewhere and a pinned choice are checked once for each problem. A default choice, and a choice
// that the caller gives, are checked once for each kind of problem (race/kind.hpp). The results of
// the checks are remembered (race/verdicts.hpp).
#pragma once

#include <functional>
#include <string>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "conv/race/verdicts.hpp"

namespace atc::conv {

// Says which recorded choices are checked before a plan runs them.
enum class CheckRecords {
  always,
  // Three kinds of records are checked: records that were imported or put, records in files that
  // other users may write, and records that another machine wrote.
  foreign,
  never,  // no recorded choice is checked; pinned choices are checked nevertheless
};

// The value of the environment variable ATC_CHECK_RECORDS. The variable is read by the first call
// only. If it is not set, the result is `foreign`. If it is an unknown word, a warning is logged
// and the result is `always`.
CheckRecords checks_of_process();

// Returns the reason why the correctness gate refuses the candidate; "" if the candidate passes. If
// no verdict is known, the candidate is checked now, and the verdict is remembered. `compiled` is
// the candidate's compiled text, or "". If the candidate cannot be built or executed, the error is
// thrown and no verdict is remembered.
std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled = "");

struct Checked {
  std::string refusal;  // the reason why the choice must not run; "" if it may run
  // True if the check was not possible, because the stream is being captured. The choice runs
  // unchecked, and the next call checks it.
  bool owed = false;
};

// Where the choice came from. by_default: from a default engine. by_call: from the caller, or from
// a record of another size.
enum class Asked { by_default, by_call };

// Checks a choice that was not measured by this process, unless a choice of the same kind has
// passed the correctness gate in this process. `candidate` is a function that makes the candidate
// of the choice. The function is usually called only if the choice has to be checked. `built` is
// the choice, built for the problem. The reference engine and the program's own convolution are not
// checked. If executing the choice throws, the error is passed on.
Checked check_once_for_kind(const Choice& choice, const Chain& chain, const Problem& problem,
                            const Request& request, const Prepared& built, Asked asked,
                            const std::function<Candidate()>& candidate);

}  // namespace atc::conv
