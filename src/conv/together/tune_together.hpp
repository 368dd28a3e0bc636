// Tunes a list of problems together with the other ranks of a job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conv/decide/tuning.hpp"
#include "conv/together/rank_work.hpp"
#include "group/transport.hpp"

namespace atc::conv {

// A rank of a job, as the caller describes it.
struct RankOfJob {
  std::size_t rank = 0, size = 1;
  // Of one job and one attempt. Each call gets a number of its own, which is added.
  std::string prefix;
  double bound = 60;  // seconds that the rank waits without progress at most
};

// Ranks with equal environments.
struct RankClass {
  std::vector<std::uint64_t> ranks;
  std::string environment;  // JSON
  std::string differences;  // from the first class; "" for the first class itself
};

struct GroupReport {
  bool agreed = false;
  std::size_t rank = 0;  // if the ranks have not agreed: the one because of which
  std::string reason;    // likewise
  std::string digest;    // of the decisions of this rank's class
  std::vector<RankClass> classes;
  std::size_t own_class = 0;
};

struct TogetherReport {
  // The tasks of this rank in their order, then those that only other ranks of its class have.
  TuningReport tuning;
  GroupReport group;
};

struct SharedTask {
  TuningTask task;
  std::string text;  // by which another rank reads the task
};

// Throws Error(io) if the group's store cannot be reached. If the ranks do not agree, each task has
// the status not_agreed, and nothing new is used.
TogetherReport tune_together(DeviceId device, const PlanOptions& how,
                             const std::vector<SharedTask>& tasks, const ReadTask& read,
                             const RankOfJob& job, group::Transport& transport,
                             double total_seconds, const OnTuning& on_progress);

}  // namespace atc::conv
