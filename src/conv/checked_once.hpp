// The correctness gate's verdicts on choices that no race of this process has checked: one check
// for each problem and choice, which the process remembers.
#pragma once

#include <optional>
#include <string>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// Which recorded choices are checked before a plan runs them.
enum class CheckRecords {
  always,
  foreign,  // those that were imported or put, and those of files that others may have written
  never,
};

// ATC_CHECK_RECORDS in the environment, read by the first call; `foreign` where it is not set, or
// malformed, which is logged.
CheckRecords checks_of_process();

// Whether the request's stream is being captured, so that nothing can be checked.
bool is_captured(const Request& request);

// The verdict on the candidate, "" or why its result is wrong, where it is known already.
std::optional<std::string> known_verdict(const Candidate& candidate, const Problem& problem,
                                         const Request& request);
// The known verdict, else that of a check now. `compiled`: the candidate's compiled text, or "".
// Throws what building and executing throw; then no verdict is known.
std::string verdict(const Candidate& candidate, const Chain& chain, const Problem& problem,
                    const Request& request, const std::string& compiled = "");

}  // namespace atc::conv
