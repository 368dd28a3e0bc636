// Runs atc's own code in a team of threads of the OpenMP runtime that oneDNN uses. libatc itself is
// not compiled with OpenMP, because libatc would then load a second runtime.
#pragma once

#include <cstdint>
#include <type_traits>

namespace atc {

// The number of one thread of an OpenMP team, and the number of threads of the team.
class Team {
 public:
  Team(int member, int members) : member_(member), members_(members) {}

  // Waits until all threads of the team have called this function. After that, each thread sees
  // everything that the others wrote before the call.
  void wait() const noexcept;

  // Calls f(item) for this thread's part of the items [0, count). Each part is contiguous, and
  // depends only on `count`, the number of this thread and the size of the team.
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

// Calls work(team) on `threads` threads at the same time; one of them is the calling thread. If
// there is no OpenMP runtime, calls `work` on the calling thread alone. `work` must not throw. The
// caller must call this function inside of with_team_of (live_pool.hpp), which runs it on a thread
// that can have a team of `threads` threads.
template <typename Work>
void run_in_team(int threads, Work&& work) noexcept {
  using Type = std::remove_reference_t<Work>;
  run_in_team(
      threads, [](void* context, const Team& team) { (*static_cast<Type*>(context))(team); },
      &work);
}

}  // namespace atc
