// The noted problems: those without a decision that were called while the option `tune` was
// TuningMode::later. All threads share them.
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

// A problem and the terms of the first call that noted it.
struct NotedProblem {
  std::string id;  // two calls have equal ids if one decision is enough for both
  DeviceId device;
  Problem problem;
  PlanOptions terms;  // without knowledge
  KnowledgeReference knowledge;
};

// The largest number of notes. Further problems are not noted, with one warning. After any tuning
// every call looks up its decision again, and then notes its problem if there is room.
constexpr std::size_t kMostNoted = 4096;

// Returns a text that identifies the notes of a problem. Calls that one decision answers have equal
// texts. The text consists of the key, and of the options that are no part of the key but decide
// whether a decision can be used.
std::string note_id(const Request& request, const store::Key& key);
// Notes the problem. Called when a decision is looked up, and never in calls whose plan is cached.
// `request` is the request as the call made it.
void note(const Problem& problem, const Request& request, const store::Key& key);
// The noted problems in the order of their first calls, without those that tuning could not decide.
std::vector<NotedProblem> noted();
// Called after tuning. If the problem was decided, removes the note. Otherwise marks the note, so
// that the problem is neither listed nor noted again.
void settle_note(const std::string& id, bool decided);
void forget_notes();

}  // namespace atc::conv
