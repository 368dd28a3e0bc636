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

// The fault of an engine of the simulated cuDNN: how its results are wrong.
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
  reads_workspace,  // the engine adds the old contents of the workspace to its result
  // If the problem is a depthwise layer, and the engine has computed a problem of another size just
  // before, the engine adds 1 to one element of the output.
  remembers_sizes,
};

struct Engine {
  std::int64_t index = 0;
  double seconds = 1e-3;  // the seconds of an execution of the engine on the device
  std::int64_t workspace = 0;
  // cuDNN's numerical notes and behaviour notes of the engine
  std::vector<int> numerical, behavior;
  std::vector<std::pair<int, std::int64_t>> knobs;
  Deed deed = Deed::right;
  // True if the mode "fallback" of cuDNN's heuristics proposes the engine. Otherwise mode A
  // proposes it.
  bool fallback = false;
  double host_seconds = 0;  // the seconds for which the host really sleeps in each execution
  // The seconds of an execution of the engine in a graph that atc has recorded. 0: an execution in
  // a graph takes `seconds`, like an execution outside of a graph.
  double graph_seconds = 0;
  std::size_t kernels = 1;
  int plan_status = 0;       // the status that finalizing a plan of the engine returns
  int execution_status = 0;  // the status that an execution of the engine returns
};

struct Script {
  std::size_t cudnn_version = 91900;
  // `device_bytes` is the memory of the simulated device, and `program_bytes` the part of the
  // memory that the program holds. If `device_bytes` is 0, the memory has no limit.
  std::uint64_t device_bytes = 0, program_bytes = 0;
  int cache_bytes = 1024;  // the size of the device's last-level cache, in bytes
  // the engines of the simulated cuDNN, in the order in which cuDNN proposes them
  std::vector<Engine> engines;
  // Whether cuDNN can load a serialized plan (a text that cuDNN has written for a plan before).
  bool loads_plans = true;
  std::size_t text_bytes = 0;  // the least size, in bytes, of the text of a serialized cuDNN plan
  // The streams that are being captured. The value is the number of the stream's capture (not 0).
  std::map<const void*, std::uint64_t> captures;
  std::set<const void*> streams;  // the streams that the program under test has created
  // A stamp is a reading of the device's clock by a small kernel. The first `prompt_stamps` stamps
  // take no time. The next `late_stamps` stamps wait for other work on the device.
  std::uint64_t late_stamps = 0;
  std::uint64_t prompt_stamps = 0;
};

}  // namespace atc::fault
