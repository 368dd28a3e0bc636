// Access to the OpenMP runtime that oneDNN uses. The functions of the runtime are looked up by
// name, so that atc neither links nor loads a second runtime.
#pragma once

namespace atc {

// Returns the address of a function of the OpenMP runtime; null if there is no runtime, or if
// oneDNN uses none.
void* openmp_function(const char* name);

// Sets `function` to the address of the OpenMP function `name`. Returns false if there is no such
// function.
template <typename Function>
bool look_up_openmp(Function*& function, const char* name) {
  function = reinterpret_cast<Function*>(openmp_function(name));
  return function != nullptr;
}

// Returns the number of threads in the OpenMP team that computes for the calling thread. Inside an
// active parallel region the number is 1, because a thread of a region gets no team of its own.
// Outside of a region the function returns the number of threads that is set for the calling
// thread, but at most the runtime's thread limit. If there is no runtime, the function returns 0.
int team_size() noexcept;

// Whether a parallel region that the calling thread opens now would have exactly `threads` threads.
// True if there is no OpenMP runtime.
bool has_team_of(int threads) noexcept;

// Returns true if a parallel region of the calling thread can have a team of exactly `threads`
// threads after a TeamScope object has set this number of threads. For one thread the result is
// always true, because one thread needs no parallel region.
bool can_have_team_of(int threads) noexcept;

// Sets the number of OpenMP threads for the calling thread. The destructor restores the former
// number.
class TeamScope {
 public:
  explicit TeamScope(int threads) noexcept;
  ~TeamScope();
  TeamScope(const TeamScope&) = delete;
  TeamScope& operator=(const TeamScope&) = delete;

 private:
  int threads_ = 0;  // the number of threads before the scope; 0 if there is no OpenMP runtime
  // Whether, before the scope, the OpenMP runtime was allowed to start fewer threads than requested
  // (OpenMP's setting "dynamic").
  bool dynamic_ = false;
};

}  // namespace atc
