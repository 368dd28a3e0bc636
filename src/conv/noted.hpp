// The problems that calls met without a decision while their option `tune` was TuningMode::later,
// shared by all threads.
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
  std::string id;  // equal for calls that one decision answers
  DeviceId device;
  Problem problem;
  PlanOptions terms;  // without knowledge
  KnowledgeReference knowledge;
};

// With so many notes, further problems are not noted, with one warning. Tuning makes room, and
// makes each call decide anew, so that they are noted then.
constexpr std::size_t kMostNoted = 4096;

// Takes part in decisions alone, never in calls whose plan is cached. `request`: as the call asked.
void note(const Problem& problem, const Request& request, const store::Key& key);
// In the order of their first calls, without those that tuning failed to decide.
std::vector<NotedProblem> noted();
// After tuning: removes the note, or, if the problem was not decided, keeps it so that the problem
// is neither listed nor noted again.
void settle_note(const std::string& id, bool decided);
void forget_notes();

}  // namespace atc::conv
