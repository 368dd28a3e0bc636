// The noted problems, which the user can tune later. A problem is noted if a call finds no decision
// that was made for it, and the call's option `tune` is TuningMode::later or TuningMode::beside.
// All threads share the notes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conv/memory.hpp"
#include "conv/options.hpp"
#include "core/device_type.hpp"
#include "core/problem.hpp"

namespace atc::store {
struct Key;
}

namespace atc::conv {

// A problem, with the options of the first call that noted it.
struct NotedProblem {
  // The identity of the note. It is equal for two calls if one decision is enough for both calls.
  std::string id;
  DeviceId device;
  Problem problem;
  PlanOptions terms;  // the options of the call, without its knowledge (store and memory part)
  KnowledgeReference knowledge;
};

// The largest number of notes. If there are so many notes, further problems are not noted, and one
// warning is logged. After a tuning call all calls look up their decisions again. If a call still
// has no decision then, and if there is room for a note, the problem of the call is noted.
constexpr std::size_t kMostNoted = 4096;

// Returns the identity of a note. Two calls have the same identity if one decision is enough for
// both. The identity consists of the key, and of those options outside of the key that decide
// whether a decision can be used.
std::string note_id(const Request& request, const store::Key& key);
// Notes the problem. Called when a decision is looked up, never for a call whose plan is cached.
// `request` is the request before any change by the lookup.
void note(const Problem& problem, const Request& request, const store::Key& key);
// Returns the noted problems in the order of their first calls. Problems that tuning could not
// decide are left out.
std::vector<NotedProblem> noted();
// Call this after a problem was tuned. If the problem was decided, its note is removed. Otherwise
// the note is marked, so that the problem is neither listed nor noted again.
void settle_note(const std::string& id, bool decided);
void forget_notes();

}  // namespace atc::conv
