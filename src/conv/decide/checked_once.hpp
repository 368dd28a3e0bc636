// Checks what no race of this process has checked, before it runs: a recorded choice from outside
// and a pinned one once for each problem, a default and a choice that a call gives once for each
// kind (race/kind.hpp). The verdicts are remembered (race/verdicts.hpp).
#pragma once

#include <functional>
#include <string>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "conv/race/verdicts.hpp"

namespace atc::conv {

// Which choices are checked before a plan runs them.
enum class CheckRecords {
  always,
  // Of records those that were imported or put, and those of files that others may write or that
  // were written elsewhere.
  foreign,
  never,  // but pinned ones
};

// ATC_CHECK_RECORDS in the environment, read by the first call; `foreign` where it is not set, or
// malformed, which is logged.
CheckRecords checks_of_process();

// The known verdict, else that of a check now. `compiled`: the candidate's compiled text, or "".
// Throws what building and executing throw; then no verdict is known.
std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled = "");

struct Checked {
  std::string refusal;  // "": it may run
  bool owed = false;    // it may run this once: a capture did not allow the check
};

enum class Asked { by_default, by_call };

// Checks a choice that runs without a race, if no choice of its kind has passed the gate in this
// process. `candidate` makes the candidate of the choice, and is called if there is a check.
// `built`: the choice, built for the problem. The engine that the program runs without atc is
// exempt, and so is the reference. Throws what executing throws.
Checked check_once_for_kind(const Choice& choice, const Chain& chain, const Problem& problem,
                            const Request& request, const Prepared& built, Asked asked,
                            const std::function<Candidate()>& candidate);

}  // namespace atc::conv
