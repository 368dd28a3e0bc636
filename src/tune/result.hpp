// The result of a race: the winner, and how each contestant stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atc::tune {

enum class Outcome : std::int32_t {
  won = 1,
  lost,           // timed to the end, slower
  dropped,        // timed, fell behind early
  tied,           // within the margin of the winner, not taken
  not_prepared,   // prepare threw
  wrong_result,   // the gate refused it
  failed,         // an execution failed
  out_of_memory,  // prepare or execution ran out of memory: the race is incomplete
  skipped,        // never timed: budget, candidate limit or cancellation
};

struct Statistics {            // of one candidate, seconds per call
  std::size_t samples = 0;     // batches that count: the figures below are over these
  std::size_t executions = 0;  // of all batches: warm-ups and those that do not count included
  double mean = 0, median = 0, min = 0, max = 0, deviation = 0;
  std::optional<double> clock_hz;  // median over the samples
  double host = 0;           // of the host to issue a call, median over the samples; 0: not known
  bool in_graph = false;     // the times are those of graphs: the host could not keep up
  std::size_t launches = 0;  // kernels, copies and fills of one call; 0: not known

  // Whether eager calls are bound by the host: it takes longer to issue one than the device to run
  // it.
  bool host_bound() const { return host > median; }
};

struct Spent {  // of a race's time on one candidate, seconds on the device's clock
  double preparing = 0, checking = 0, timing = 0;
  double releasing = 0;  // while the race went on
};

struct Standing {
  Outcome outcome = Outcome::skipped;
  std::string reason;       // for every outcome but won and lost
  std::string imprecision;  // how it is imprecise, if it passed its check nevertheless
  Statistics statistics;
  Spent spent;
};

struct Result {
  // None: nothing passed, or the race was cancelled before anything was timed.
  std::optional<std::size_t> winner;
  // The choice for captured calls, if it is not the winner: it is faster on the device, but the
  // host cannot issue it fast enough for eager calls. None: the winner is used for both.
  std::optional<std::size_t> captured;
  std::vector<Standing> standings;  // one per contestant, same order
  // The problem should be raced again, with more time, for one of these reasons:
  // - clocks or times did not settle, or other work was on the device;
  // - a `sustained` race was cut short;
  // - the race had less than its usual budget, and candidates had no turn for want of time;
  // - `risk` is above kToleratedRisk (decide.hpp).
  bool unstable = false;
  // The risk: by how much, relative, the winner may be slower than another contestant that was in
  // the race to its end. 0 with `once`, `median_of_three` and `till_stable`, which do not estimate
  // it.
  double risk = 0;
  bool incomplete = false;  // lost a candidate to out of memory, or cancelled: do not store
  bool cancelled = false;
  bool out_of_budget = false;  // candidates were skipped or timing ended early; what was decided
                               // is as trustworthy as `unstable` says, so it may be stored
  std::string why;             // why any of the above, in sentences
  double seconds = 0;          // spent, on the device's clock
  std::size_t executions = 0;  // in all, warm-ups included
};

}  // namespace atc::tune
