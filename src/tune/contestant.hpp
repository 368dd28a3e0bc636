// The interface of a contestant: a candidate that a race executes and times. The caller of the race
// implements the interface.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "device/device.hpp"

namespace atc::tune {

struct Verdict {
  bool passed = false;
  // The reason why the contestant did not pass its check. If the contestant passed with less
  // precision than was asked for: a text that says how imprecise its result is. Otherwise "".
  std::string reason;
  // True if the contestant did not pass its check because it is so slow that its check was ended
  // early.
  bool hopeless = false;
  // True if the contestant passed its check with less precision than was asked for.
  bool imprecise = false;
  // If `hopeless` is true: the time, in seconds, of the execution that was too slow. 0 if the time
  // is not known.
  double seconds = 0;
};

// The costs of using a winner, apart from its time. If two contestants tie (their times differ by
// no more than the tie margin), the contestant with the lighter burden wins.
struct Burden {
  // True if each process that uses the contestant has to compile it before the first use, which can
  // take seconds.
  bool compiles = false;
  std::uint64_t workspace = 0;  // the size of the contestant's workspace in bytes
  // True if the compiled form of the contestant is stored, so that later processes need not compile
  // it. Known only after `prepare`.
  bool kept = false;
  // True if the contestant may compile code in each process without atc noticing it, so that its
  // compiled form cannot be stored (LibTorch's own convolution, for example). If the default is
  // opaque and ties with a contestant that is `kept`, that contestant wins: most likely both run
  // the same kernel.
  bool opaque = false;

  bool operator<(const Burden& other) const {
    return std::tie(compiles, workspace) < std::tie(other.compiles, other.workspace);
  }
};

// The expectations of a contestant before its turn (prepare, check, first batch): its speed, and
// the time that the turn takes. The default values are for a contestant about which nothing is
// known.
struct Belief {
  // The expected value of log(time of the contestant / time of the default), and its standard
  // deviation.
  double log_ratio = 0.3, deviation = 0.8;
  // The seconds that the contestant's turn (prepare, check, first batch) is expected to take,
  // without the time of its executions.
  double seconds = 0.5e-3;
  // The seconds that compiling the contestant adds to the turn, if it has to be compiled.
  double compiling = 0.3;
};

// A contestant is a candidate that can be raced. The race calls begin_compiling, prepare, check and
// release on each contestant, in this order, each at most once. Executions happen between check and
// release. `release` is called exactly once for each `prepare`, also if `prepare` threw, and must
// free everything that was built. Only the winner is not released: the caller of the race gets the
// winner prepared, uses it and releases it. If `race` throws, all contestants have been released.
class Contestant {
 public:
  virtual ~Contestant() = default;
  // Starts to compile the contestant in the background, while other contestants are timed. Called
  // only if the contestant has to be compiled and its turn is expected to pay. Errors are reported
  // by `prepare`.
  virtual void begin_compiling() noexcept {}
  // Builds everything that the executions need. If `prepare` throws, the contestant leaves the
  // race, and the text of the exception is the reason.
  virtual void prepare() = 0;
  // The correctness gate: compares the contestant's result with a reference. Called once, after
  // `prepare`. If an execution takes longer than `patience` (seconds), the verdict may be
  // "hopeless". If the default is "hopeless", it remains in the race: it has been executed once
  // with a right result, and `Verdict::seconds` is the time of this execution.
  virtual Verdict check(double patience) = 0;
  // Returns the object that executes the contestant. May be called only between prepare and
  // release.
  virtual Runnable& runnable() = 0;
  // The costs of using the contestant. They are known before `prepare`, except `Burden::kept`,
  // which is known after `prepare`.
  virtual Burden burden() const = 0;
  // Returns what is expected of the contestant before the race: its speed, and the time that its
  // turn takes.
  virtual Belief belief() const { return {}; }
  // The names of the groups that the contestant belongs to, from the widest group to the narrowest.
  // Contestants of one group are expected to be slow or fast together, unless earlier races or this
  // race show otherwise. All contestants return the same number of names; "" means that the
  // contestant has no group at this position.
  virtual std::vector<std::string> groups() const { return {}; }
  // Returns whether this contestant is a yardstick, such as LibTorch's own convolution: reports
  // compare the winner not only with the default, but also with the yardsticks. So a race times a
  // yardstick as carefully as the default.
  virtual bool is_yardstick() const { return false; }
  // Frees everything that `prepare` and the executions have allocated.
  virtual void release() noexcept = 0;
};

}  // namespace atc::tune
