// A decision about a problem: the choice, all candidates, and the result of each candidate in the
// race (the comparison in which candidates are timed).
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

// Where a decision came from. The values equal ATC_SOURCE_* in include/atc/conv.h.
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
  adopted = 12,
};

struct Candidate {
  Choice choice;
  std::string rewrites;  // the text of the rewrites of `choice` (rewrites_text)
  std::string notes;
  // Why the candidate was not chosen. If the candidate is imprecise, the text states in which way
  // the candidate is imprecise.
  std::string reason;
  std::uint64_t workspace = 0;  // in bytes
  // Whether the engine promises exact results. Used during races only.
  Exactness exactness = Exactness::exact;
  // Used during races only: true if the candidate is the program's own convolution, which the
  // program runs without atc.
  bool original = false;
  // Used during races only, and not recorded: true if building the candidate compiles code.
  bool compiles = false;
  // Used during races only: the names of two groups of similar candidates to which the candidate
  // belongs (tune::Contestant::groups).
  std::string kin, family;
  // Used during races only: the position of the candidate among the offers of its engine, in the
  // order of the engine. 0 is the first.
  std::size_t place = 0;
  // True if the candidate's partial sums have less precision than the request allows.
  bool imprecise = false;
  // True if the candidate can only be used by calls of its engine's own front end (such as
  // LibTorch).
  bool returns_output = false;
  // The outcome of the candidate in a race. Empty if the candidate was offered but was not in a
  // race.
  std::optional<tune::Outcome> outcome;
  tune::Statistics statistics;
  // The seconds that the race spent on the candidate. For people, and not stored.
  tune::Spent spent;

  bool ran() const {
    return outcome == tune::Outcome::won || outcome == tune::Outcome::lost ||
           outcome == tune::Outcome::dropped || outcome == tune::Outcome::tied;
  }
};

// Whether the race that made a decision was complete.
enum class Completeness {
  complete,    // the race was complete, or there was no race
  uncompared,  // the budget (time limit) of the race ended before two candidates were timed
  incomplete,  // a candidate could not be timed, because memory did not suffice
  cancelled,
};

// Whether the decision is in the store. `refused`: the store could not write the decision, and the
// reason is in `why`.
enum class Keeping { unkept, stored, refused };

// The results of the correctness gate (the check of a candidate against the reference) for a
// received decision, that is, for a decision that was measured elsewhere. The user's own store
// keeps the results. A result is "" if the choice passed, and otherwise the reason why it is
// refused. A result is not set if the choice has not been checked.
struct GateResults {
  // The results of the checks without and with the option strict_precision.
  std::optional<std::string> lenient, strict;
  // The versions of the correctness gate and of the driver at the time of the check; "" if not
  // known.
  std::string by;
};

// Work that had to be put off because the stream is being captured. The next call that is not
// captured does this work.
enum class Owed { nothing, check, tuning };

struct Decision {
  Choice choice;
  // The compiled text of the winner (Prepared::compiled), from which the winner can be built again.
  std::string compiled;
  // The name of the sidecar (a file beside the record) that holds `compiled`.
  std::optional<store::SidecarName> sidecar;
  Source source = Source::default_engine;
  std::vector<Candidate> candidates;
  std::optional<std::size_t> winner, default_candidate;  // indices in `candidates`
  // The index in `candidates` of the choice for captured calls (calls that are recorded into a CUDA
  // graph), if this choice differs from the winner.
  std::optional<std::size_t> captured;
  // The roster of the decision: the engines and rewrites that were asked for candidates.
  Roster roster;
  Completeness completeness = Completeness::complete;
  Keeping keeping = Keeping::unkept;
  Owed owed = Owed::nothing;
  bool unstable = false;  // true: the decision is provisional (tune::Result::unstable)
  // True if the decision came from elsewhere, for example from an imported file: it was not
  // measured by a user of this store (store/origin.hpp).
  bool received = false;
  GateResults checked;  // Set only for a received decision (one that was measured elsewhere).
  // True if the option strict_precision excludes the record's winner, so that another candidate of
  // the record was chosen.
  bool narrowed = false;
  double budget_seconds = 0;  // the time limit of the race, in seconds
  // The fraction by which the winner may be slower than another candidate (tune::Result::risk).
  double risk = 0;
  // Why the decision is provisional or was not stored; "" if there is nothing to say.
  std::string why;
  // The time that the decision took, in seconds.
  double seconds = 0;
  std::uint64_t executions = 0;
  tune::Technique technique = tune::Technique::interleaved;
  // The largest amount of memory that the race held at once, in bytes: device memory, or main
  // memory on the CPU. Not stored. 0 if there was no race.
  std::uint64_t memory_bytes = 0;
  // The state of the device at the end of the race. For people; no code reads it back.
  Conditions conditions;

  // Where a decision is kept:
  // - The decision of a cancelled race is not kept.
  // - The decision of an incomplete race is kept in this process only, so that not every call
  //   repeats the race.
  // - An unstable decision is stored as provisional.
  // - A narrowed decision (see `narrowed`) is not stored. Only requests with strict_precision use
  //   it. Other requests use the record from which it was made.
  bool may_be_remembered() const { return winner && completeness != Completeness::cancelled; }
  bool may_be_stored() const { return may_be_remembered() && !is_incomplete() && !narrowed; }
  bool is_incomplete() const { return completeness != Completeness::complete; }
  // Frees the compiled text. Call this when the choice has been built, because nothing needs the
  // text afterwards.
  void free_compiled() { std::string().swap(compiled); }
  // Removes the compiled text and the name of its sidecar. Call this if the text does not fit the
  // plan that is going to be built, because the plan has another choice or another problem than the
  // record.
  void forget_compiled() {
    free_compiled();
    sidecar.reset();
  }
  // The choice for captured calls if `in_capture` is true, else the choice for eager calls.
  const Choice& choice_of(bool in_capture) const {
    return in_capture && captured ? candidates[*captured].choice : choice;
  }
};

// An estimate of the bytes of host memory that the decision takes, without the text `compiled`.
std::uint64_t host_bytes(const Decision& decision);

// The JSON contains the name of the sidecar (the file that holds `compiled`), but not the text of
// `compiled`.
nlohmann::json to_json(const Decision& decision);
nlohmann::json to_json(const GateResults& results);
Decision decision_from_json(const nlohmann::json& value);  // throws Error(bad_record)

}  // namespace atc::conv
