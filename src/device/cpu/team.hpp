// A team of threads of the OpenMP runtime that oneDNN uses, for code of atc's own. libatc is not
// compiled with OpenMP, because it would load a runtime of its own.
#pragma once

#include <cstdint>
#include <type_traits>

namespace atc {

// The team as one of its threads sees it.
class Team {
 public:
  Team(int member, int members) : member_(member), members_(members) {}

  // Waits until all threads of the team have called this. Each thread then sees the earlier writes
  // of the others.
  void wait() const noexcept;

  // Calls f(item) for this thread's part of the items [0, count). The parts are contiguous, and
  // depend only on `count` and the size of the team.
  template <typename F>
  void share(std::int64_t count, F&& f) const {
    const std::int64_t last = count * (member_ + 1) / members_;
    for (std::int64_t item = count * member_ / members_; item < last; ++item) f(item);
  }

 private:
  int member_, members_;
};

void run_in_team(int threads, void (*work)(void* context, const Team& team),
                 void* context) noexcept;

// Calls work(team) on `threads` threads at once, the calling thread among them. Without an OpenMP
// runtime it calls `work` on the calling thread alone. `work` must not throw. Call this inside of
// with_team_of (live_pool.hpp).
template <typename Work>
void run_in_team(int threads, Work&& work) noexcept {
  using Type = std::remove_reference_t<Work>;
  run_in_team(
      threads, [](void* context, const Team& team) { (*static_cast<Type*>(context))(team); },
      &work);
}

}  // namespace atc
