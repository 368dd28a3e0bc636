// The result of a race: the winner, and the standing of each contestant (why it won or did not
// win).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atc::tune {

enum class Outcome : std::int32_t {
  won = 1,
  lost,           // timed to the end of the race, and slower
  dropped,        // timed, fell behind early
  tied,           // within the tie margin of the winner, but not chosen
  not_prepared,   // prepare threw
  wrong_result,   // the correctness gate refused its result
  failed,         // an execution failed
  out_of_memory,  // prepare or an execution ran out of memory; the race is incomplete
  skipped,        // never timed: budget, candidate limit or cancellation
};

struct Statistics {            // of one candidate, seconds per call
  std::size_t samples = 0;     // the number of batches from which the figures below are computed
  std::size_t executions = 0;  // in all batches, including warm-ups and batches that do not count
  double mean = 0, median = 0, min = 0, max = 0, deviation = 0;
  std::optional<double> clock_hz;  // median over the samples
  // The host's time to issue a call, median over the samples; 0: not known.
  double host = 0;
  // Whether the times were measured in graphs, because the host could not issue calls fast enough.
  bool in_graph = false;
  std::size_t launches = 0;  // kernels, copies and fills of one call; 0: not known

  // Whether the host limits eager calls: issuing a call takes the host longer than running it takes
  // the device.
  bool host_bound() const { return host > median; }
};

struct Spent {  // the time that a race spent on one candidate, in seconds of the device's clock
  double preparing = 0, checking = 0, timing = 0;
  double releasing = 0;  // only releasing during the race
  // If an execution in its check was hopelessly slow: the time of this execution.
  double hopeless = 0;
};

struct Standing {
  Outcome outcome = Outcome::skipped;
  std::string reason;       // set for every outcome except won and lost
  std::string imprecision;  // set if it passed its check but is less precise than was asked for
  Statistics statistics;
  Spent spent;
};

struct Result {
  // Empty if no contestant passed, or if the race was cancelled before any contestant was timed.
  std::optional<std::size_t> winner;
  // The choice for captured calls, if it differs from the winner. It is faster on the device than
  // the winner, but the host cannot issue it fast enough for eager calls. Empty if the winner is
  // used for both.
  std::optional<std::size_t> captured;
  std::vector<Standing> standings;  // one per contestant, same order
  // Whether the problem should be raced again with more time. This is so for one of these reasons:
  // - clocks or times were not steady, or other work was on the device;
  // - a `sustained` race ended early;
  // - the race had less than its usual budget, and candidates had no turn because the time was
  //   spent;
  // - `risk` is above kToleratedRisk (decide.hpp).
  bool unstable = false;
  // By how much the winner may be slower than another contestant that was in the race to its end
  // (relative). 0 with `once`, `median_of_three` and `till_stable`, which do not estimate it.
  double risk = 0;
  // Whether memory for a candidate ran out, or the race was cancelled. Such a result must not be
  // stored.
  bool incomplete = false;
  bool cancelled = false;
  bool out_of_budget = false;  // candidates were skipped or timing ended early; what was decided
                               // is as trustworthy as `unstable` says, so it may be stored
  std::string why;             // the reasons for the flags above, in sentences
  double seconds = 0;          // spent, on the device's clock
  std::size_t executions = 0;  // in all, warm-ups included
};

}  // namespace atc::tune
