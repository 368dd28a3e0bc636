// The results of the correctness gate (the check of results against the reference) that this
// process remembers. Some are for a choice and a problem. Others are for a kind: all problems that
// the same kernel computes (kind.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// Returns the verdict on the choice for the problem: the reason why it is refused, or "" if it has
// passed. Empty if there is no verdict yet.
std::optional<std::string> known_verdict(const Choice& choice, const Problem& problem,
                                         const Request& request);
// Returns the reason why the choice was refused for the problem; "" if it was not refused.
std::string known_refusal(const Choice& choice, const Problem& problem, const Request& request);

// Returns the reason why the caller refuses the choice for the problem; "" if the caller does not
// refuse it. No check and no race removes this refusal. give_refusal sets it.
std::string given_refusal(const Choice& choice, const Problem& problem, const Request& request);
void give_refusal(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal);

// Remembers a verdict: `refusal` is "" if the choice passed.
void note_verdict(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal);

// The combined result of all checks of a kind so far.
enum class Standing {
  unknown,
  passed,    // a problem of this kind has passed; all problems of the kind are assumed to pass
  doubtful,  // a problem of this kind was refused; each problem of the kind is checked
};

Standing standing_of(const std::string& kind);
// Remembers that a problem of the kind has passed the gate or was refused. After one refusal the
// kind remains doubtful (each of its problems is checked), even if other problems of the kind pass.
void note_kind(const std::string& kind, bool passed);

// Remembers the verdicts that the gate gave in a race. `chains` and `in_doubt` have one element for
// each candidate that was in the race; these are the first elements of `candidates`. A candidate is
// in doubt if its output was compared only at samples, although its whole output could have been
// compared. If a candidate in doubt has passed, its kind does not count as passed.
void note_verdicts(const std::vector<Candidate>& candidates, const std::vector<Chain>& chains,
                   const std::vector<bool>& in_doubt, const Problem& problem,
                   const Request& request);

// Forgets all verdicts. Called when an engine is unregistered, because another engine may be
// registered under the same name later.
void forget_verdicts();

}  // namespace atc::conv
