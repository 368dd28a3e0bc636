// What was decided for a problem, among which candidates, and how that came about.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "conv/choice.hpp"
#include "conv/roster.hpp"
#include "device/conditions.hpp"
#include "engines/engine.hpp"
#include "store/sidecar_name.hpp"
#include "tune/race.hpp"

namespace atc::conv {

// Values equal ATC_SOURCE_* in include/atc/conv.h.
enum class Source : std::int32_t {
  given = 1,
  record = 2,
  inherited = 3,
  memory = 4,
  tuned = 5,
  default_engine = 6,
  reference = 7,
  pinned = 8,
};

// Values equal ATC_OUTCOME_*; the first nine are tune::Outcome's.
enum class CandidateOutcome : std::int32_t { offered = 10 };
static_assert(static_cast<std::int32_t>(tune::Outcome::skipped) == 9);

struct Candidate {
  Choice choice;
  std::string rewrites;  // rewrites_text(choice)
  std::string notes;
  std::string reason;                      // why it was not chosen, or in what it is imprecise
  std::uint64_t workspace = 0;             // bytes
  Exactness exactness = Exactness::exact;  // of the offer, for races alone
  bool original = false;                   // likewise
  bool compiles = false;                   // likewise, not recorded
  std::string kin;                         // likewise: tune::Contestant::kin
  bool imprecise = false;                  // its partial sums have less precision than is allowed
  bool returns_output = false;             // runs only for calls of its engine's own front end
  std::int32_t outcome = static_cast<std::int32_t>(CandidateOutcome::offered);
  tune::Statistics statistics;
  tune::Spent spent;  // of the race just run, for people, and not stored

  bool ran() const { return outcome >= 1 && outcome <= 4; }  // won, lost, dropped, tied
};

struct Decision {
  Choice choice;
  std::string compiled;                       // of the winner: Prepared::compiled
  std::optional<store::SidecarName> sidecar;  // the file with `compiled`, named by the record
  Source source = Source::default_engine;
  std::vector<Candidate> candidates;
  std::optional<std::size_t> winner, default_candidate;  // into candidates
  std::optional<std::size_t> captured;                   // the winner of captured calls, if another
  Roster roster;                                         // who was asked
  bool unstable = false, incomplete = false, cancelled = false, stored = false;
  bool unwritten = false;     // the store refused it; `why` says so
  bool received = false;      // not measured by a user of the store: store/origin.hpp
  bool put_off = false;       // it would have been tuned, but its stream was being captured
  bool unchecked = false;     // a capture did not allow its check, which the next call makes
  bool uncompared = false;    // the budget ended before two candidates were timed
  bool narrowed = false;      // strict_precision passed over a recorded winner
  double budget_seconds = 0;  // of the race
  double risk = 0;            // tune::Result::risk
  std::string why;
  double seconds = 0;
  std::uint64_t executions = 0;
  tune::Technique technique = tune::Technique::interleaved;
  Conditions conditions;  // at the end of the race; for people, and not read again

  // A cancelled race is not remembered. An incomplete one is, in this process alone, so that it
  // does not race again at every call. Unstable decisions are stored as provisional. Narrowed ones
  // are not stored: they serve strict requests, and the record that they come from serves the
  // others.
  bool may_be_remembered() const { return winner && !cancelled; }
  bool may_be_stored() const { return may_be_remembered() && !incomplete && !narrowed; }
  // Called once the choice is built: nobody reads the text after that.
  void free_compiled() { std::string().swap(compiled); }
  // Called where another choice is built than was recorded, or the same one for another problem.
  void forget_compiled() {
    free_compiled();
    sidecar.reset();
  }
  // The choice for captured calls, or for eager ones.
  const Choice& choice_of(bool in_capture) const {
    return in_capture && captured ? candidates[*captured].choice : choice;
  }
};

// The JSON has the sidecar's name in place of `compiled`, whose text is in a file of its own.
nlohmann::json to_json(const Decision& decision);
Decision decision_from_json(const nlohmann::json& value);  // throws Error(bad_record)

}  // namespace atc::conv
