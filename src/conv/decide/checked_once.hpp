// Checks choices that were not measured by this process, before they run. A recorded choice from
// elsewhere and a pinned choice are checked once for each problem. A default choice, and a choice
// that the caller gives, are checked once for each kind of problem, that is, once for all problems
// that the same kernel computes (race/kind.hpp). The results of the checks are remembered
// (race/verdicts.hpp).
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
  // Three kinds of records are checked: records that the user has copied into the store (by an
  // import or by atc_store_put), records in files that other users may write, and records that
  // another machine wrote.
  foreign,
  never,  // no recorded choice is checked; pinned choices are checked nevertheless
};

// The value of the environment variable ATC_CHECK_RECORDS. The variable is read by the first call
// only. If it is not set, the value is CheckRecords::foreign (only records from elsewhere are
// checked). If it is set to an unknown word, a warning is logged, and the value is
// CheckRecords::always.
CheckRecords checks_of_process();

// Returns the reason why the correctness gate refuses the candidate; "" if the candidate passes. If
// no verdict is known, the candidate is checked now, and the verdict is remembered. `compiled` is
// the candidate's compiled text, or "". If the candidate cannot be built or executed, the error is
// thrown and no verdict is remembered.
std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled = "");

struct Checked {
  std::string refusal;  // the reason why the choice must not run; "" if it may run
  // True if the choice could not be checked, because the stream is being captured. Then the choice
  // runs unchecked, and the next call outside of a capture checks it.
  bool owed = false;
};

// Where the choice came from. by_default: from a default engine. by_call: from the caller, or from
// a record of another size.
enum class Asked { by_default, by_call };

// Checks a choice that was not measured by this process, unless a choice of the same kind has
// passed the correctness gate in this process. `candidate` is a function that returns the choice as
// a Candidate. It is usually called only if the choice has to be checked. `built` is the
// convolution that was built from the choice for `problem`. The reference engine and the program's
// own convolution are not checked. If executing the choice throws, the error is passed on.
Checked check_once_for_kind(const Choice& choice, const Chain& chain, const Problem& problem,
                            const Request& request, const Prepared& built, Asked asked,
                            const std::function<Candidate()>& candidate);

}  // namespace atc::conv
