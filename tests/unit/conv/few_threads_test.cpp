// Tests the measurement of the CPU's ceilings (bytes and operations per second) if the system
// refuses to start threads. The bytes per second are measured by a copy of memory on several
// threads.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>

#include "conv/explain/measure_ceilings.hpp"
#include "conv/race/ceilings.hpp"
#include "device/cpu/cpu_description.hpp"
#include "policy_fixture.hpp"

namespace {

constexpr int kEnough = 1 << 20;
// the number of threads that can still be started before the simulated system refuses
std::atomic<int> left{kEnough};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*run)(void*), void* of) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  return --left < 0 ? EAGAIN : next(thread, attributes, run, of);
}
#endif

namespace atc::conv {
namespace {

class FewThreads : public Policy {
 protected:
  void TearDown() override {
    left = kEnough;
    Policy::TearDown();
  }
};

TEST_F(FewThreads, ACopyIsMeasuredWithThoseThereAre) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has pthread_create for itself";
#endif
  if (cpu_threads() < 2) GTEST_SKIP() << "a copy asks for one thread alone";
  const Problem problem = problem_of(530);
  const store::Json environment = key_for(problem, request(problem)).environment;
  // The operations per second are set, so that they count as known. Otherwise a race would be run
  // to measure them, and would start further threads.
  keep_ceilings(environment, Knowledge::of_process(), {{}, {{"f32", 1e12}}});
  left = 1;
  measure_ceilings(problem, {}, {});
  EXPECT_LT(left, 0) << "nobody was refused a thread";
  EXPECT_GT(known_ceilings(environment, Knowledge::of_process()).bytes_per_second.value_or(0), 0);
}

}  // namespace
}  // namespace atc::conv
