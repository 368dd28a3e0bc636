// The script of a test. It sets how the libraries behave that replace cuDNN and CUDA's driver (the
// stand-ins).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace atc::fault {

// The fault of an engine.
enum class Deed {
  right,
  wrong,  // the engine adds 1 to one element of the output
  // The engine rounds its inputs to 8 significant bits, as if it converted them to a narrower type.
  imprecise,
  leaves_one,        // the engine leaves one element of the output unwritten
  before_the_start,  // the engine also writes the element before the first one
  behind_the_end,
  into_its_input,
  not_finite,
  reads_workspace,  // the engine adds to its result the old contents of the workspace
  // If the problem is a depthwise layer, and the previous execution of the engine had another size,
  // the engine adds 1 to one element of the output.
  remembers_sizes,
};

struct Engine {
  std::int64_t index = 0;
  double seconds = 1e-3;  // the time of an execution on the device's clock
  std::int64_t workspace = 0;
  std::vector<int> numerical, behavior;  // cuDNN's numerical notes and behaviour notes
  std::vector<std::pair<int, std::int64_t>> knobs;
  Deed deed = Deed::right;
  // True if the mode "fallback" of cuDNN's heuristics proposes the engine. Otherwise mode A
  // proposes it.
  bool fallback = false;
  double host_seconds = 0;  // each execution really sleeps for this time
  // The time of an execution in a graph that atc has recorded, in seconds; 0: the time is
  // `seconds`.
  double graph_seconds = 0;
  std::size_t kernels = 1;
  int plan_status = 0;       // the status that finalizing a plan of the engine returns
  int execution_status = 0;  // the status that an execution of the engine returns
};

struct Script {
  std::size_t cudnn_version = 91900;
  // `device_bytes` is the memory of the device, and `program_bytes` the part of it that the program
  // holds. If `device_bytes` is 0, there is no limit.
  std::uint64_t device_bytes = 0, program_bytes = 0;
  int cache_bytes = 1024;       // the size of the last-level cache, in bytes
  std::vector<Engine> engines;  // in the order in which cuDNN proposes them
  // Whether cuDNN can load a plan from the text that it has written for the plan before.
  bool loads_plans = true;
  std::size_t text_bytes = 0;  // the least size of a serialized plan, in bytes
  // For each captured stream, the number of its capture (not 0).
  std::map<const void*, std::uint64_t> captures;
  std::set<const void*> streams;  // the streams that the program has created
  // A stamp is a reading of the device's clock by a small kernel. The first `prompt_stamps` stamps
  // take no time. The next `late_stamps` stamps wait for other work on the device.
  std::uint64_t late_stamps = 0;
  std::uint64_t prompt_stamps = 0;
};

}  // namespace atc::fault
