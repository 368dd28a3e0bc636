// The script: how the stand-ins for cuDNN and CUDA's driver behave.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace atc::fault {

// An engine's fault.
enum class Deed {
  right,
  wrong,             // the engine computes one element wrongly by one
  imprecise,         // the engine rounds its inputs to 8 significant bits, as if it had converted
                     // them
  leaves_one,        // unwritten
  before_the_start,  // the engine also writes the element before the first one
  behind_the_end,
  into_its_input,
  not_finite,
  reads_workspace,  // the engine adds to its result the old contents of the workspace
  remembers_sizes,  // a depthwise engine that computes one element wrongly by one if it has last
                    // run at another size
};

struct Engine {
  std::int64_t index = 0;
  double seconds = 1e-3;  // on the device's clock
  std::int64_t workspace = 0;
  std::vector<int> numerical, behavior;  // notes
  std::vector<std::pair<int, std::int64_t>> knobs;
  Deed deed = Deed::right;
  bool fallback = false;     // true if the engine is proposed by heuristic mode "fallback" and not
                             // by mode A
  double host_seconds = 0;   // really slept in each execution
  double graph_seconds = 0;  // the time in a graph of atc's own, in place of `seconds`; 0: the same
                             // time
  std::size_t kernels = 1;
  int plan_status = 0;       // the status that its plans return when they are finalized
  int execution_status = 0;  // what its executions say
};

struct Script {
  std::size_t cudnn_version = 91900;
  // The memory of the device, and the part of it that the program holds, in bytes. 0: no limit.
  std::uint64_t device_bytes = 0, program_bytes = 0;
  int cache_bytes = 1024;       // the bytes of the last level of the cache
  std::vector<Engine> engines;  // as proposed
  // True if plans can be loaded from the texts that the engine gave for them.
  bool loads_plans = true;
  std::size_t text_bytes = 0;                     // at least, of such a text
  std::map<const void*, std::uint64_t> captures;  // streams, and what into: not 0
  std::set<const void*> streams;                  // the program's own
  std::uint64_t late_stamps =
      0;  // once `prompt_stamps` stamps were prompt, so many stamps wait for other work
  std::uint64_t prompt_stamps = 0;
};

}  // namespace atc::fault
