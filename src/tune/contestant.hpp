// The interface of a contestant: something that a race times. The caller of the race implements it.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"

namespace atc::tune {

struct Verdict {
  bool passed = false;
  std::string reason;      // why it did not pass, or how it is imprecise
  bool hopeless = false;   // not passed: too slow to be worth a check
  bool imprecise = false;  // passed, but with less precision than was asked for
  double seconds = 0;      // if hopeless: the time of the execution that showed it; 0: not known
};

// The costs of using a winner, apart from its time. If two contestants tie, the one with the
// lighter burden wins.
struct Burden {
  // Whether each process that uses the contestant has to compile it first, which can take seconds.
  bool compiles = false;
  std::uint64_t workspace = 0;  // bytes
  bool kept = false;  // its compiled form is stored for later processes; known after prepare
  // The contestant may compile in each process without atc noticing it, so its compiled form cannot
  // be stored. If the default is opaque, it loses a tie with a contestant that is `kept`: most
  // likely both run the same kernel.
  bool opaque = false;

  bool operator<(const Burden& other) const {
    return std::tie(compiles, workspace) < std::tie(other.compiles, other.workspace);
  }
};

// The expected time and cost of a contestant's turn (prepare, check, first batch). The defaults are
// for a contestant of which nothing is known.
struct Belief {
  // Mean and standard deviation of log(time of the contestant / time of the default), as expected
  // before its turn.
  double log_ratio = 0.3, deviation = 0.8;
  // The seconds that the turn is expected to take, without the time of executions.
  double seconds = 0.5e-3;
  double compiling = 0.3;  // seconds that compiling adds, if it compiles
};

// A contestant is anything that can be raced. The race calls begin_compiling, prepare, check and
// release on each contestant, in this order, each at most once. Executions come between check and
// release. `release` is called exactly once for each `prepare`, also if `prepare` threw, and must
// free everything that was built. Only the winner is not released: the caller gets it prepared,
// uses it and releases it. If `race` throws, all contestants have been released.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Starts to compile in the background, while other contestants are timed. Called on a contestant
  // that has to be compiled if its turn is expected to pay. Errors are reported by `prepare`.
  virtual void begin_compiling() noexcept {}
  // Builds what the executions need. If prepare throws, the contestant leaves the race, with the
  // exception's text as the reason.
  virtual void prepare() = 0;
  // The correctness gate: compares the result with a reference. Called once, after `prepare`. If an
  // execution takes longer than `patience` (seconds), the verdict may be "hopeless". If the default
  // is hopeless, it has been executed once with a right result, and the time of this execution is
  // its time.
  virtual Verdict check(double patience) = 0;
  virtual Runnable& runnable() = 0;   // valid between prepare and release
  virtual Burden burden() const = 0;  // known before `prepare`; only `kept` is known after it
  // Returns the expected time and cost of the contestant's turn, before the race.
  virtual Belief belief() const { return {}; }
  // The groups of the contestant, from the widest to the narrowest. All contestants have the same
  // number of places; "" means that the contestant is in no group of this place. Contestants of one
  // group are expected to be slow or fast together, unless earlier races or this race show
  // otherwise.
  virtual std::vector<std::string> groups() const { return {}; }
  // Whether gains are computed over this contestant although it is not the default (such as
  // LibTorch's own convolution). It is then timed as carefully as the default, so that gains are
  // certain.
  virtual bool is_yardstick() const { return false; }
  virtual void release() noexcept = 0;  // frees all resources
};

}  // namespace atc::tune
