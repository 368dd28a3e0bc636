// The script of the stand-ins.
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
  wrong,             // one element is off by one
  imprecise,         // inputs of 8 significant bits, as if converted down
  leaves_one,        // unwritten
  before_the_start,  // writes the element before the first one, too
  behind_the_end,
  into_its_input,
  not_finite,
  reads_workspace,  // adds what it finds there before it has written it
  remembers_sizes,  // depthwise, one element is off by one if it last ran at another size
};

struct Engine {
  std::int64_t index = 0;
  double seconds = 1e-3;  // on the device's clock
  std::int64_t workspace = 0;
  std::vector<int> numerical, behavior;  // notes
  std::vector<std::pair<int, std::int64_t>> knobs;
  Deed deed = Deed::right;
  bool fallback = false;     // proposed by that mode instead of mode A
  double host_seconds = 0;   // really slept in each execution
  double graph_seconds = 0;  // instead of `seconds` in a graph of atc's own; 0: the same
  std::size_t kernels = 1;
  int plan_status = 0;       // what its plans say when they are finalized
  int execution_status = 0;  // what its executions say
};

struct Script {
  std::size_t cudnn_version = 91900;
  // The memory of the device, and the part of it that the program holds, in bytes. 0: no limit.
  std::uint64_t device_bytes = 0, program_bytes = 0;
  int cache_bytes = 1024;                         // of the last level
  std::vector<Engine> engines;                    // as proposed
  bool loads_plans = true;                        // from the texts that it gave for them
  std::size_t text_bytes = 0;                     // at least, of such a text
  std::map<const void*, std::uint64_t> captures;  // streams, and what into: not 0
  std::set<const void*> streams;                  // the program's own
  std::uint64_t late_stamps =
      0;  // so many stamps wait for other work first, once `prompt_stamps` came
  std::uint64_t prompt_stamps = 0;
};

}  // namespace atc::fault
