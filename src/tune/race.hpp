// The race: which of several contestants is fastest on a device. Knows no engine, no convolution
// and no device by name; time comes from Device alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"

namespace atc::tune {

// Values equal `atc_technique` in include/atc/settings.h. The first three are as cuDNN's frontend
// defines them (docs/tuning.md); `interleaved` is the default.
enum class Technique : std::int32_t {
  once = 1,
  median_of_three = 2,
  till_stable = 3,
  interleaved = 4,
  sustained = 5,
};

struct Verdict {
  bool passed = false;
  std::string reason;      // why it did not pass, or in what it is imprecise
  bool hopeless = false;   // not passed: too slow to be worth a check
  bool imprecise = false;  // passed, but with less precision than was asked for
  double seconds = 0;      // hopeless: of an execution that is not to be repeated; 0: not known
};

// The costs of using a winner besides its time. Of two contestants that tie, the one with the
// lighter burden wins.
struct Burden {
  bool compiles = false;        // each process that uses it compiles it first, in up to seconds
  std::uint64_t workspace = 0;  // bytes
  bool kept = false;  // what it compiled is stored for later processes; known from prepare on
  // The contestant may compile in each process without a way to tell, and nothing of that can be
  // stored. As the default it loses a tie with one that is `kept`: most likely both run the same
  // kernel.
  bool opaque = false;

  bool operator<(const Burden& other) const {
    return std::tie(compiles, workspace) < std::tie(other.compiles, other.workspace);
  }
};

// What the race needs from something that can run. It calls on each contestant, at most once each,
// begin_compiling, prepare, check and release, with executions between check and release. `release`
// follows each prepare, one that threw as well (what was half built goes then), and never comes
// without. Everyone but the winner is released on leaving the race; the winner comes back prepared
// and is the caller's to use or release. When `race` throws, all are released.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Called on a contestant that compiles, whose turn will come: it may start to compile beside the
  // others' work. prepare reports errors.
  virtual void begin_compiling() noexcept {}
  virtual void prepare() = 0;  // if it throws, the contestant is out with that text
  // Correctness gate; once, after prepare. May end as hopeless where one execution takes longer
  // than `patience` (seconds). The default is hopeless after its first execution, whose result is
  // right, and whose time stands for it.
  virtual Verdict check(double patience) = 0;
  virtual Runnable& runnable() = 0;   // valid between prepare and release
  virtual Burden burden() const = 0;  // known before prepare, but for `kept`
  // Equal texts for contestants that run the same kernels, but for the sizes of tiles and the like:
  // if one is hopeless, so are the others. "": nothing is known of that.
  virtual std::string kin() const { return ""; }
  virtual void release() noexcept = 0;  // out of the race: give resources back
};

struct Options {
  Technique technique = Technique::interleaved;
  double budget_seconds = 2.0;  // prepare, check and timing together; infinity = none
  double usual_budget = 0;      // seconds; with less, a race that leaves candidates out is unstable
  double spent_seconds = 0;     // of the budget, before the race
  std::size_t max_candidates = 0;  // the default and the first of the others; 0 = all
  std::size_t spares = 0;          // number of last contestants, tried only while that is cheap
  double tie_margin = 0.01;        // relative
  std::uint64_t seed = 0;
  std::size_t operand_sets = 1;
  std::size_t default_index = 0;  // what would run without tuning: first, always raced, wins ties
};

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
  std::string imprecision;  // in what it is imprecise, if it passed its check all the same
  Statistics statistics;
  Spent spent;
};

struct Result {
  // None: nothing passed, or the race was cancelled before anything was timed.
  std::optional<std::size_t> winner;
  // The choice for captured calls, if another than the winner: faster on the device, as a graph
  // runs it, but the host cannot issue eager calls of it fast enough. None: the winner serves both.
  std::optional<std::size_t> captured;
  std::vector<Standing> standings;  // one per contestant, same order
  // Clocks or times did not settle, a `sustained` race was cut short, one with less than its usual
  // budget left candidates without a turn, or `risk` is above kToleratedRisk (decide.hpp): to be
  // raced again, given more time.
  bool unstable = false;
  // How much slower, relative, the winner may be than another one that was in the race to its end.
  // 0 with `once`, `median_of_three` and `till_stable`, which do not judge it.
  double risk = 0;
  bool incomplete = false;  // lost a candidate to out of memory, or cancelled: do not store
  bool cancelled = false;
  bool out_of_budget = false;  // candidates were skipped or timing ended early; what was decided
                               // is as trustworthy as `unstable` says, so it may be stored
  std::string why;             // why any of the above, in sentences
  double seconds = 0;          // spent, on the device's clock
  std::size_t executions = 0;  // in all, warm-ups included
};

struct Progress {
  std::size_t done = 0, total = 0;  // work units of this race, total may grow
};
using OnProgress = std::function<bool(const Progress&)>;  // false cancels; what was decided is kept

// Decides which contestant is fastest on `device` and why not the others. Throws
// Error(invalid_argument) for options that make no sense; trouble with a contestant is its
// standing, not an exception. What `on_progress` throws passes through. A running execution cannot
// be interrupted: the budget is overrun by at most the one step (prepare, check, batch) that is
// under way, or by those of the default. Where the default turns out wrong
// or does not run, the others are admitted in spite of the budget until one of them runs. One race
// per device at a time.
Result race(Device& device, const std::vector<Contestant*>& contestants, const Options& options,
            const OnProgress& on_progress = {});

}  // namespace atc::tune
