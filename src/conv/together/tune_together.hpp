// Tunes a list of problems together with the other ranks (processes) of a distributed job.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "conv/decide/tuning.hpp"
#include "conv/together/rank_work.hpp"
#include "group/transport.hpp"

namespace atc::conv {

// A rank of a distributed job, as the caller describes it.
struct RankOfJob {
  std::size_t rank = 0, size = 1;
  // The prefix of all keys that this call writes to the store that the ranks share. Each job, and
  // each attempt to run a job, must have a prefix of its own. The number of the call is added to
  // the prefix.
  std::string prefix;
  double bound = 60;  // the longest time, in seconds, for which the rank waits without progress
};

// A class of ranks: all ranks whose environments (device, versions and options) are equal. They
// decide together.
struct RankClass {
  std::vector<std::uint64_t> ranks;
  std::string environment;  // the environment of the class as JSON
  // The differences between the environment of this class and that of the first class; "" for the
  // first class.
  std::string differences;
};

struct GroupReport {
  bool agreed = false;
  std::size_t rank = 0;  // if the ranks have not agreed: the rank that is the cause
  std::string reason;    // the reason why the ranks have not agreed
  std::string digest;    // a hash of the decisions of this rank's class
  std::vector<RankClass> classes;
  std::size_t own_class = 0;
};

struct TogetherReport {
  // The tasks of this rank, in the order in which the rank passed them. They are followed by the
  // tasks that this rank lacks and other ranks of its class (RankClass) have.
  TuningReport tuning;
  GroupReport group;
};

struct SharedTask {
  TuningTask task;
  std::string text;  // the task as a text that another rank can read
};

// Tunes the tasks together with the other ranks. If the ranks do not agree, each shared task has
// the status not_agreed, and this process uses no new decision of these tasks. Throws Error(io) if
// the transport (the job's shared store) cannot be reached. `total_seconds` is the time limit for
// the measurements of this rank.
TogetherReport tune_together(DeviceId device, const PlanOptions& how,
                             const std::vector<SharedTask>& tasks, const ReadTask& read,
                             const RankOfJob& job, group::Transport& transport,
                             double total_seconds, const OnTuning& on_progress);

}  // namespace atc::conv
