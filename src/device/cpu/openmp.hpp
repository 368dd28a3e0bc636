// The OpenMP runtime that oneDNN uses. Its functions are looked up by name, so that atc neither
// links nor loads a second runtime.
#pragma once

namespace atc {

// Returns the address of a function of the OpenMP runtime; null if there is no runtime, or if
// oneDNN uses none.
void* openmp_function(const char* name);

// Sets `function` to it. Returns false if it is not there.
template <typename Function>
bool look_up_openmp(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(openmp_function(name));
  return function != nullptr;
}

// The size of the team that computes for the calling thread. Inside an active parallel region it is
// 1, because threads of a region get no team of their own. Outside it is the number of threads in
// force, within the runtime's thread limit. It is 0 if there is no runtime.
int team_size() noexcept;

// Whether a parallel region that the calling thread opens now has `threads` threads.
bool has_team_of(int threads) noexcept;

// Whether the calling thread will have teams of `threads` threads inside a TeamScope of `threads`:
// has_team_of(threads) is true there, or one thread is asked for and no region is needed.
bool can_have_team_of(int threads) noexcept;

// Sets the number of threads in force for the calling thread. The destructor restores the former
// number.
class TeamScope {
 public:
  explicit TeamScope(int threads) noexcept;
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  int threads_ = 0;       // the number of threads before the scope; 0 if there is no OpenMP runtime
  bool dynamic_ = false;  // true if the OpenMP runtime might use smaller teams before the scope
};

}  // namespace atc
