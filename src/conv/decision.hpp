// A decision about a problem: the choice, the candidates, and how they stood in the race.
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
#include "tune/options.hpp"
#include "tune/result.hpp"

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
  agreed = 9,
  beside = 10,
  predicted = 11,
};

struct Candidate {
  Choice choice;
  std::string rewrites;  // rewrites_text(choice)
  std::string notes;
  std::string reason;                      // why the candidate was not chosen, or in which way it
                                           // is imprecise
  std::uint64_t workspace = 0;             // bytes
  Exactness exactness = Exactness::exact;  // whether the engine promises exact results; only races
                                           // need it
  bool original = false;                   // likewise
  bool compiles = false;                   // likewise, not recorded
  std::string kin, family;                 // likewise: groups of tune::Contestant
  // For races alone, too: its place in its engine's own order.
  std::size_t place = 0;
  // Whether its partial sums have less precision than is allowed.
  bool imprecise = false;
  // Whether it runs only for calls of its engine's own front end.
  bool returns_output = false;
  std::optional<tune::Outcome> outcome;  // the outcome of the candidate in a race; empty if it was
                                         // offered but not in a race
  tune::Statistics statistics;
  tune::Spent spent;  // the seconds that the race spent on the candidate; for people, and not
                      // stored

  bool ran() const {
    return outcome == tune::Outcome::won || outcome == tune::Outcome::lost ||
           outcome == tune::Outcome::dropped || outcome == tune::Outcome::tied;
  }
};

// How complete the race was that made a decision.
enum class Completeness {
  complete,    // or there was no race
  uncompared,  // the budget of the race ended before two candidates were timed
  incomplete,  // a candidate could not be timed, because memory did not suffice
  cancelled,
};

// Whether the store has the decision.
// Refused: the store could not write it, and `why` has the reason.
enum class Keeping { unkept, stored, refused };

// The correctness gate's results for a received decision, which the user's own store keeps: the
// reason why its choice is refused, or "" if it passed. Not set if there is no result yet.
struct GateResults {
  std::optional<std::string> lenient, strict;  // without and with strict_precision
  // The versions of the correctness gate and of the driver that checked it; "" if not known.
  std::string by;
};

// Work that could not be done because the stream is being captured. The next call does it.
enum class Owed { nothing, check, tuning };

struct Decision {
  Choice choice;
  std::string compiled;                       // of the winner: Prepared::compiled
  std::optional<store::SidecarName> sidecar;  // the sidecar (a file beside the record) that holds
                                              // `compiled`
  Source source = Source::default_engine;
  std::vector<Candidate> candidates;
  std::optional<std::size_t> winner, default_candidate;  // into candidates
  // The choice of captured calls, if it is not the winner.
  std::optional<std::size_t> captured;
  Roster roster;  // who was asked
  Completeness completeness = Completeness::complete;
  Keeping keeping = Keeping::unkept;
  Owed owed = Owed::nothing;
  bool unstable = false;      // provisional: tune::Result::unstable
  bool received = false;      // the decision came from elsewhere: no user of the store has measured
                              // it (store/origin.hpp)
  GateResults checked;        // of a received decision
  bool narrowed = false;      // the record's winner was replaced, because strict_precision excludes
                              // it
  double budget_seconds = 0;  // of the race
  double risk = 0;            // tune::Result::risk
  std::string why;
  double seconds = 0;
  std::uint64_t executions = 0;
  tune::Technique technique = tune::Technique::interleaved;
  // The most device memory (CPU: main memory) that the race held at once, in bytes; not stored. 0:
  // there was no race.
  std::uint64_t memory_bytes = 0;
  // The state of the device at the end of the race; for people, and not read again.
  Conditions conditions;

  // How the result of a race is kept:
  // - A cancelled race is not remembered.
  // - An incomplete one is remembered in this process only, so that not every call races again.
  // - Unstable decisions are stored as provisional.
  // - Narrowed decisions are not stored. Only strict requests use them; the others use the record
  //   that they come from.
  bool may_be_remembered() const { return winner && completeness != Completeness::cancelled; }
  bool may_be_stored() const { return may_be_remembered() && !is_incomplete() && !narrowed; }
  bool is_incomplete() const { return completeness != Completeness::complete; }
  // Discards the compiled text. Called once the choice is built: the text is not needed after that.
  void free_compiled() { std::string().swap(compiled); }
  // Drops the compiled text of the choice. Called if another choice is built than the recorded one,
  // or if the recorded choice is built for another problem.
  void forget_compiled() {
    free_compiled();
    sidecar.reset();
  }
  // The choice for captured calls if `in_capture` is true, else for eager ones.
  const Choice& choice_of(bool in_capture) const {
    return in_capture && captured ? candidates[*captured].choice : choice;
  }
};

// The bytes of host memory that the decision takes, without `compiled`.
std::uint64_t host_bytes(const Decision& decision);

// The JSON does not contain the text of `compiled`, which is in a file of its own (a sidecar). It
// has the name of this file.
nlohmann::json to_json(const Decision& decision);
nlohmann::json to_json(const GateResults& results);
Decision decision_from_json(const nlohmann::json& value);  // throws Error(bad_record)

}  // namespace atc::conv
