// The correctness gate's verdicts, which the process remembers: of choices for a problem, and of
// kinds (kind.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "conv/chain.hpp"
#include "conv/decision.hpp"
#include "conv/options.hpp"

namespace atc::conv {

// The verdict on the choice for the problem, "" or why its result is refused, if it is known.
std::optional<std::string> known_verdict(const Choice& choice, const Problem& problem,
                                         const Request& request);
// Why the gate has refused the choice for the problem; "" if it has not.
std::string known_refusal(const Choice& choice, const Problem& problem, const Request& request);

// Remembers a verdict: `refusal` is "" if the choice passed.
void note_verdict(const Choice& choice, const Problem& problem, const Request& request,
                  const std::string& refusal);

// The result of the checks of a kind so far.
enum class Standing {
  unknown,
  passed,    // some problem of the kind, so that the others are believed
  doubtful,  // refused for some problem: each one is checked
};

Standing standing_of(const std::string& kind);
// One refusal outweighs all that passed.
void note_kind(const std::string& kind, bool passed);

// Remembers the gate's verdicts of a race. `chains` and `in_doubt`: one for each of the first
// candidates. A candidate in doubt was compared at samples alone where more was possible: its kind
// has not passed.
void note_verdicts(const std::vector<Candidate>& candidates, const std::vector<Chain>& chains,
                   const std::vector<bool>& in_doubt, const Problem& problem,
                   const Request& request);

// Forgets all verdicts: an engine that comes after one of the same name may be another one.
void forget_verdicts();

}  // namespace atc::conv
