// The result of a race: the winner, and the standing of each contestant (the reason why it won or
// did not win).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace atc::tune {

enum class Outcome : std::int32_t {
  won = 1,
  lost,          // the contestant was timed to the end of the race, and was slower
  dropped,       // the contestant was timed, and left the race early because it was far behind
  tied,          // the contestant was within the tie margin of the winner, but was not chosen
  not_prepared,  // `prepare` threw an exception
  wrong_result,  // the correctness gate refused the contestant's result
  failed,        // an execution failed
  // There was not enough memory for prepare or an execution; the result of the race is incomplete.
  out_of_memory,
  // The contestant was never timed, because of the budget, the limit of candidates or a
  // cancellation.
  skipped,
};

struct Statistics {         // The times of one contestant, in seconds per call.
  std::size_t samples = 0;  // the number of batches from which the figures below are computed
  // The number of executions in all batches, including warm-ups and batches that do not count.
  std::size_t executions = 0;
  double mean = 0, median = 0, min = 0, max = 0, deviation = 0;
  std::optional<double> clock_hz;  // median of the clock frequencies of the samples
  // The host's time to issue one call in seconds (median of the samples); 0: not known.
  double host = 0;
  // True if the times were measured by replaying graphs, because the host could not issue calls
  // fast enough.
  bool in_graph = false;
  std::size_t launches = 0;  // number of kernels, copies and fills of one call; 0: not known

  // Returns whether the host limits eager calls: the host takes longer to issue a call than the
  // device takes to run it.
  bool host_bound() const { return host > median; }
};

struct Spent {  // The seconds that a race spent on one contestant, on the device's clock.
  double preparing = 0, checking = 0, timing = 0;
  double releasing = 0;  // without the time of releases after the race
  // If an execution in the contestant's check was hopelessly slow: the time of this execution.
  // Otherwise 0.
  double hopeless = 0;
};

struct Standing {
  Outcome outcome = Outcome::skipped;
  // The reason why the contestant did not win. Empty for the outcome `won`. Also empty for `lost`
  // if the only reason is that the contestant was slower; otherwise the text names a further
  // reason, such as a host that is too slow to issue the calls. For every other outcome a race
  // always sets the text.
  std::string reason;
  // A text that says how imprecise the contestant's result is, if the contestant passed its check
  // with less precision than was asked for. Otherwise empty.
  std::string imprecision;
  Statistics statistics;
  Spent spent;
};

struct Result {
  // The index of the winner. Empty if no contestant passed its check, or if the race was cancelled
  // before any contestant was timed.
  std::optional<std::size_t> winner;
  // The choice for captured calls (calls in a CUDA graph), if it differs from the winner. The
  // choice for captured calls is faster on the device than the winner, but the host cannot issue
  // eager calls of this choice fast enough. Empty if the winner is used for eager and for captured
  // calls.
  std::optional<std::size_t> captured;
  std::vector<Standing> standings;  // one for each contestant, in the order of the contestants
  // True if the problem should be raced again with more time, for one of these reasons:
  // - clocks or times were not steady, or other work was on the device;
  // - a `sustained` race ended early;
  // - the race had less than its usual budget, and candidates had no turn because the time was
  //   spent;
  // - `risk` is above kToleratedRisk (decide.hpp).
  bool unstable = false;
  // The fraction by which the winner may be slower than another contestant that remained to the end
  // of the race, for example 0.01 for 1 %. It is 0 for `once`, `median_of_three` and `till_stable`,
  // because these techniques do not estimate it.
  double risk = 0;
  // True if memory for a contestant ran out, or the race was cancelled. A result that is incomplete
  // must not be stored.
  bool incomplete = false;
  bool cancelled = false;
  // True if candidates were skipped or timing ended early because the budget was spent. Such a
  // result may be stored. `unstable` says whether it can be trusted.
  bool out_of_budget = false;
  // The reasons for `unstable`, `incomplete`, `cancelled` and `out_of_budget`, as text.
  std::string why;
  double seconds = 0;          // seconds that the race took, on the device's clock
  std::size_t executions = 0;  // number of executions in the whole race, including warm-ups
};

}  // namespace atc::tune
