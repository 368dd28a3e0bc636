// Counts the actions, and ends the run if something is wrong.
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
  eager,         // convolutions, each compared
  planned,       // by plans of their own
  given,         // by plans of a given choice
  acquired,      // by plans of the cache
  packed,        // with weights that were set
  race,          // of one problem
  toggle,        // of a switch
  restoration,   // of all switches at once
  registration,  // of an engine
  removal,       // of an engine
  store_opened,
  store_used,     // the store was put into use or taken out of use
  store_read,     // entries read
  store_written,  // entries put or removed
  store_bundled,  // exports, imports, merges
  store_swept,    // verified, pruned
  cache_clear,
  capture,  // of a CUDA graph
  replay,   // of a call in a captured graph
  checked,  // the answers on CUDA that were compared with the expected ones; not all are
  count_of_kinds
};

class Report {
 public:
  explicit Report(std::uint64_t seed) : seed_(seed) {}

  void count(Kind kind, std::uint64_t times = 1) { at(kind).fetch_add(times, kRelaxed); }
  std::uint64_t of(std::initializer_list<Kind> kinds) const;
  // Returns the names of those of these kinds that never happened, or "".
  std::string missing(std::initializer_list<Kind> kinds) const;

  // Returns true for ATC_OK. Another status is counted if `documented` lists it for such a call;
  // otherwise it ends the process.
  bool done(atc_status status, const char* call, const std::string& subject,
            std::initializer_list<atc_status> documented = {});
  std::string refusals() const;  // Returns the counts as text: "ATC_ERROR_BUSY 12,
                                 // ATC_ERROR_NOT_TUNED 3".

  // Prints what is wrong, with the seed, and ends the process with status 1.
  [[noreturn]] void stop(const std::string& what);

 private:
  using Count = std::atomic<std::uint64_t>;
  static constexpr auto kRelaxed = std::memory_order_relaxed;
  Count& at(Kind kind) { return counts_[static_cast<std::size_t>(kind)]; }

  const std::uint64_t seed_;
  std::array<Count, static_cast<std::size_t>(Kind::count_of_kinds)> counts_{};
  std::array<Count, 16> refused_{};  // by status
  std::mutex stopping_;
};

}  // namespace soak
