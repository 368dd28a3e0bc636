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
  // The beginning of all keys. Each job, and each attempt to run it, must have its own prefix. The
  // number of the call is added to it.
  std::string prefix;
  double bound = 60;  // the most seconds that the rank waits without progress
};

// A class: ranks with equal environments.
struct RankClass {
  std::vector<std::uint64_t> ranks;
  std::string environment;  // JSON
  std::string differences;  // how the environment differs from that of the first class; "" for the
                            // first class
};

struct GroupReport {
  bool agreed = false;
  std::size_t rank = 0;  // if the ranks have not agreed: the rank that is the reason
  std::string reason;    // why the ranks have not agreed
  std::string digest;    // a hash of the decisions of this rank's class
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
  std::string text;  // the task as a text that another rank can read
};

// Throws Error(io) if the group's store cannot be reached. If the ranks do not agree, each task has
// the status not_agreed, and nothing new is used.
TogetherReport tune_together(DeviceId device, const PlanOptions& how,
                             const std::vector<SharedTask>& tasks, const ReadTask& read,
                             const RankOfJob& job, group::Transport& transport,
                             double total_seconds, const OnTuning& on_progress);

}  // namespace atc::conv
