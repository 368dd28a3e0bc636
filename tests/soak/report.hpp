// Counts the actions of all threads, and ends the run if a check fails.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <mutex>
#include <string>
#include <vector>

#include "atc/atc.h"

namespace soak {

enum class Kind : std::size_t {
  eager,         // eager convolutions; each of their results was compared with the expected one
  planned,       // executions of plans that the executing thread has made
  given,         // executions of plans whose choice the caller has given
  acquired,      // executions of plans that the cache of plans has provided
  packed,        // executions of plans on which constant weights were set
  race,          // races of one problem
  toggle,        // changes of one switch
  restoration,   // changes of all switches back to their initial values
  registration,  // registrations of an engine
  removal,       // removals of an engine
  store_opened,
  store_used,     // the store was made the store of the process, or no longer was it
  store_read,     // entries were read
  store_written,  // an entry of the store was put or removed
  store_bundled,  // entries of the store were exported, imported or merged
  store_swept,    // the store was verified, or old entries of it were pruned
  cache_clear,
  capture,  // captures of a CUDA graph
  replay,   // calls that were replayed in a captured graph
  checked,  // results on CUDA that were compared with the expected ones; not all results are
  count_of_kinds
};

class Report {
 public:
  explicit Report(std::uint64_t seed) : seed_(seed) {}

  void count(Kind kind, std::uint64_t times = 1) { at(kind).fetch_add(times, kRelaxed); }
  std::uint64_t of(std::initializer_list<Kind> kinds) const;
  // Returns the names of the actions in `kinds` that have never happened (count 0). Returns "" if
  // all actions in `kinds` have happened.
  std::string missing(std::initializer_list<Kind> kinds) const;

  // Returns true for ATC_OK. Another status that is in `documented` is counted, and false is
  // returned. A status that is not in `documented` ends the process.
  bool done(atc_status status, const char* call, const std::string& subject,
            std::initializer_list<atc_status> documented = {});
  // Returns the counts of refused calls, such as "ATC_ERROR_BUSY 12, ATC_ERROR_NOT_TUNED 3".
  std::string refusals() const;

  // Prints `what` and the seed, and ends the process with status 1.
  [[noreturn]] void stop(const std::string& what);

 private:
  using Count = std::atomic<std::uint64_t>;
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  Count& at(Kind kind) { return counts_[static_cast<std::size_t>(kind)]; }

  const std::uint64_t seed_;
  std::array<Count, static_cast<std::size_t>(Kind::count_of_kinds)> counts_{};
  // the number of refused calls for each status; the index is the status
  std::array<Count, 16> refused_{};
  std::mutex stopping_;
};

}  // namespace soak
