// Checks choices that run without a race of this process, before they run. A recorded choice from
// outside and a pinned choice are checked once for each problem. A default, and a choice that the
// caller passes to a call, are checked once for each kind of problem (race/kind.hpp). The verdicts
// are remembered (race/verdicts.hpp).
#pragma once

#include <functional>
#include <string>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"
#include "conv/race/verdicts.hpp"

namespace atc::conv {

// Which recorded choices are checked before a plan runs them.
enum class CheckRecords {
  always,
  // Check records that were imported or put, records in files that others may write, and records
  // that were written elsewhere.
  foreign,
  never,  // but pinned ones
};

// The value of the environment variable ATC_CHECK_RECORDS, which the first call reads. If it is not
// set, the result is `foreign`. If it is an unknown word, a warning is logged and the result is
// `always`.
CheckRecords checks_of_process();

// The verdict on the candidate: the known one, or else that of a check now. `compiled` is the
// candidate's compiled text, or "". Throws what building and executing throw; then no verdict is
// remembered.
std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled = "");

struct Checked {
  std::string refusal;  // "": it may run
  // A stream capture did not allow the check: the choice runs, and the next call checks it.
  bool owed = false;
};

enum class Asked { by_default, by_call };

// Checks a choice that runs without a race, if no choice of its kind has passed the gate in this
// process. `candidate` makes the candidate of the choice; it is called only if there is a check.
// `built` is the choice, built for the problem. Two engines are exempt: the one that the program
// runs without atc, and the reference. Throws what executing throws.
Checked check_once_for_kind(const Choice& choice, const Chain& chain, const Problem& problem,
                            const Request& request, const Prepared& built, Asked asked,
                            const std::function<Candidate()>& candidate);

}  // namespace atc::conv
