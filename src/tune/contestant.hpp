// A contestant of a race, as its caller implements it.
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
  double seconds = 0;      // hopeless: time of its only execution; 0: not known
};

// The costs of using a winner besides its time. Of two contestants that tie, the one with the
// lighter burden wins.
struct Burden {
  bool compiles = false;        // each process that uses it compiles it first, in up to seconds
  std::uint64_t workspace = 0;  // bytes
  bool kept = false;  // its compiled form is stored for later processes; known after prepare
  // The contestant may compile in each process without atc noticing, so its compiled form cannot be
  // stored. As the default it loses a tie with one that is `kept`: most likely both run the same
  // kernel.
  bool opaque = false;

  bool operator<(const Burden& other) const {
    return std::tie(compiles, workspace) < std::tie(other.compiles, other.workspace);
  }
};

// What is believed of a contestant's turn. The defaults are those of a contestant of which nothing
// is known.
struct Belief {
  // Mean and standard deviation of the natural logarithm of its time / the default's time.
  double log_ratio = 0.3, deviation = 0.8;
  // Seconds that its turn takes (preparing, check, first batch) beside its executions.
  double seconds = 0.5e-3;
  double compiling = 0.3;  // and for compiling, if it compiles
};

// Anything that can be raced. The race calls begin_compiling, prepare, check and release on each
// contestant, in this order, each at most once; executions come between check and release.
// `release` is called exactly once for each `prepare`, also if `prepare` threw, and must free
// whatever was built. Only the winner is not released: it comes back prepared, and the caller uses
// and releases it. If `race` throws, all contestants have been released.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Called on a contestant that has to be compiled, if it is certain to get a turn: it may start to
  // compile while others are timed. prepare reports errors.
  virtual void begin_compiling() noexcept {}
  virtual void prepare() = 0;  // if it throws, the contestant is out with that text
  // The correctness gate; called once, after prepare. May end as hopeless if an execution takes
  // longer than `patience` (seconds). A default that is hopeless has been executed once, with a
  // right result, and that execution is its time.
  virtual Verdict check(double patience) = 0;
  virtual Runnable& runnable() = 0;   // valid between prepare and release
  virtual Burden burden() const = 0;  // known before prepare, but for `kept`
  // What is believed of the contestant's turn before the race.
  virtual Belief belief() const { return {}; }
  // The groups that the contestant is in, from the widest to the narrowest, in equal places for all
  // contestants ("": in none of that place). Contestants of one group are slow or fast together, as
  // far as earlier races and the race itself do not show otherwise.
  virtual std::vector<std::string> groups() const { return {}; }
  // Whether gains are computed over this contestant although it is not the default. It is then
  // timed like the default, so that gains are certain.
  virtual bool is_yardstick() const { return false; }
  virtual void release() noexcept = 0;  // out of the race: give resources back
};

}  // namespace atc::tune
