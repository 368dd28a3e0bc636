// The verdicts of the correctness gate that the process remembers: about choices for a problem, and
// about kinds (kind.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// The verdict on the choice for the problem: the reason why its result is refused, or "" if it
// passed. Not set if there is no verdict yet.
std::optional<std::string> known_verdict(const Choice& choice, const Problem& problem,
                                         const Request& request);
// The reason why the gate has refused the choice for the problem; "" if it has not refused it.
std::string known_refusal(const Choice& choice, const Problem& problem, const Request& request);

// The caller's refusal of the choice for the problem: the reason, or "". No check and no race can
// replace it.
std::string given_refusal(const Choice& choice, const Problem& problem, const Request& request);
void give_refusal(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal);

// Remembers a verdict: `refusal` is "" if the choice passed.
void note_verdict(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal);

// The result of all checks of a kind so far.
enum class Standing {
  unknown,
  passed,    // a problem of this kind has passed, so the others are taken to be right
  doubtful,  // a problem of this kind was refused, so each problem of the kind is checked
};

Standing standing_of(const std::string& kind);
// Remembers the result of a check of a kind. After one refusal the kind is doubtful, even if other
// problems of it have passed.
void note_kind(const std::string& kind, bool passed);

// Remembers the gate's verdicts of a race. `chains` and `in_doubt` have one element for each of the
// first candidates. A candidate is in doubt if its output was compared only at samples although its
// whole output could have been compared. The kind of such a candidate has not passed.
void note_verdicts(const std::vector<Candidate>& candidates, const std::vector<Chain>& chains,
                   const std::vector<bool>& in_doubt, const Problem& problem,
                   const Request& request);

// Forgets all verdicts. Called when an engine is unregistered: a later engine of the same name may
// be another one.
void forget_verdicts();

}  // namespace atc::conv
