// The OpenMP runtime that oneDNN uses. Its functions are looked up by name, so that atc neither
// links nor loads a second runtime.
#pragma once

namespace atc {

// Null where there is no runtime, or where oneDNN uses none.
void* openmp_function(const char* name);

// The size of the team that computes for the calling thread: 1 inside an active parallel region,
// whose threads get no team of their own; else the number of threads in force, within the runtime's
// thread limit. 0: there is no runtime.
int team_size() noexcept;

// Whether a parallel region that the calling thread opens now has `threads` threads.
bool has_team_of(int threads) noexcept;

// Whether a TeamScope of `threads` on the calling thread makes has_team_of(threads) true, or makes
// regions needless because one thread is asked for.
bool can_have_team_of(int threads) noexcept;

// Sets the number of threads in force for the calling thread, and puts the number back.
class TeamScope {
 public:
  explicit TeamScope(int threads) noexcept;
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  int threads_ = 0;       // as before; 0: there is no runtime
  bool dynamic_ = false;  // whether the runtime was allowed to make teams smaller
};

}  // namespace atc
