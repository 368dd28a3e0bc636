// Simulates a job of many ranks (processes that tune together) in one thread. Each rank has a stack
// of its own. The clock is simulated. A seed determines which rank runs next.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/random.hpp"
#include "group/agree.hpp"

namespace atc::group::testing {

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}
  std::uint64_t below(std::uint64_t bound) { return mix(seed_, index_++) % bound; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }

 private:
  std::uint64_t seed_, index_ = 0;
};

enum class Fault { none, absent, killed, loses_store, slow, cancelled };

// A rank (process) of the simulated job, with its settings and its results.
struct Rank {
  Member member;
  double starts = 0;  // the time at which the rank starts, in seconds
  Fault fault = Fault::none;
  // The number of the step of the rank at which its fault happens. A step is an operation on the
  // store, or work.
  std::size_t at = 0;
  // The decision that the rank knows for each key. Decisions are ordered by their first letters.
  std::map<std::string, std::string> known;
  // How long a slow rank pauses, as a multiple of the bound (the longest time without progress).
  double slow_bounds = 3.5;
  double check_seconds = 0.1;  // the seconds that the rank needs to check one decision
  std::function<bool(const std::string&key)> cannot_measure, refuses;
  // Results
  std::size_t steps = 0;
  bool returned = false, io_error = false, faulted = false;
  std::optional<Agreement> agreement;
  double ended = 0;
  std::vector<std::string> measured;
};

class Job {
 public:
  Job(std::vector<Rank> ranks, std::uint64_t seed, std::map<std::string, std::string> store = {});
  void run();

  std::vector<Rank>& ranks() { return ranks_; }
  const std::map<std::string, std::string>& store() const { return store_; }
  // The largest number of ranks that measured on one device at the same time.
  double most_at_once() const { return most_at_once_; }

 private:
  friend class Port;
  struct Fiber {
    ucontext_t context{};
    // a value that AddressSanitizer has returned and needs to switch back to this stack
    void* kept = nullptr;
    bool dead = false;
    double wakes = 0;
    // If another rank writes this key to the store, the waiting rank continues before the time
    // `wakes`. "": the rank waits until `wakes`.
    std::string key;
  };
  static void enter(unsigned high, unsigned low);
  void prepare(std::size_t rank);
  void body(std::size_t rank);
  void pause(std::size_t rank, double seconds, const std::string& key = "");
  enum class Step { store, work };
  void step(std::size_t rank, Step kind);

  std::vector<Rank> ranks_;
  Dice dice_;
  std::map<std::string, std::string> store_;
  std::vector<Fiber> fibers_;
  ucontext_t scheduler_{};
  const void* bottom_ = nullptr;  // the bottom of the scheduler's stack
  std::size_t size_ = 0;
  double now_ = 0;
  std::size_t running_ = 0;
  std::map<std::string, int> measuring_;
  int most_at_once_ = 0;
};

}  // namespace atc::group::testing
