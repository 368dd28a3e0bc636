// Calls the OpenMP runtime that oneDNN has loaded. The functions are looked up by name, so that no
// test needs a compiler with OpenMP.
#pragma once

#include <dlfcn.h>

namespace atc::test {

// Returns the function of this name, or null if the process has no OpenMP runtime.
template <typename Function>
Function* openmp(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

inline void use_threads(int count) {
  if (auto* const set = openmp<void(int)>("omp_set_num_threads")) set(count);
}

// Runs `body(thread)` on each thread of a parallel region of OpenMP. Returns false if there is no
// OpenMP runtime. GCC compiles `#pragma omp parallel num_threads(threads)` to the same calls of the
// runtime.
template <typename Body>
bool in_region(unsigned threads, const Body& body) {
  auto* const parallel = openmp<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  if (parallel == nullptr) return false;
  const auto run = [](void* context) {
    const auto number = openmp<int()>("omp_get_thread_num");
    (*static_cast<const Body*>(context))(static_cast<unsigned>(number()));
  };
  parallel(run, const_cast<Body*>(&body), threads, 0);
  return true;
}

}  // namespace atc::test
