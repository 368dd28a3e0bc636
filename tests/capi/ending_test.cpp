// Tests threads that end, and processes that exit, while convolutions run.
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/child.hpp"

namespace {

using atc::test::in_child;
using atc_test::Call;
using atc_test::kCpu;

// Makes eager calls in an endless loop. Each call has another problem than the call before, so that
// many plans are made.
void convolve_for_ever(std::int64_t first) {
  for (std::int64_t extent = first;; extent = extent < first + 200 ? extent + 1 : first) {
    atc_conv_problem problem = atc_test::small_problem();
    problem.input[0] = extent;
    problem.out_channels = 16;
    Call(problem).eager();
  }
}

// The test starts 40 processes. Each of them exits at a different moment.
TEST(Ending, AProgramMayExitWhileItsThreadsConvolve) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "under AddressSanitizer a plan takes longer to make than exit() waits";
#endif
  for (unsigned i = 0; i < 40; ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(atc::test::kChildSeconds);
      for (std::int64_t thread = 0; thread < 3; ++thread)
        std::thread(convolve_for_ever, 10 + 300 * thread).detach();
      // By now oneDNN's static objects are made (src/engines/onednn/ending.cpp).
      usleep(100000 + 1000 * i);
      std::exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "ended by signal " << WTERMSIG(status);
  }
}

std::atomic<bool> tuning{false};

void* tune(void* result) {
  const atc_conv_problem problem = atc_test::small_problem();
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = 1;
  options.retune = ATC_ON;
  tuning = true;
  atc_tune_report* report = nullptr;
  *static_cast<atc_status*>(result) =
      atc_tune(&report, kCpu, &problem, 1, &options, nullptr, nullptr);
  atc_tune_report_destroy(report);
  for (;;) pthread_testcancel();
}

TEST(Ending, AThreadThatIsCancelledInARaceEndsAfterIt) {
  in_child([] {
    // At the log level debug a race writes log lines. POSIX lets a cancelled thread end while it
    // writes, but this thread must not end in the middle of a race.
    ASSERT_DONE(atc_log_level_set(ATC_LOG_DEBUG));
    // Cancels two threads, one after the other, each in a race. The second race only runs if the
    // cancelled first race has released its locks.
    for (int turn = 0; turn < 2; ++turn) {
      atc_status status = ATC_ERROR_INTERNAL;
      pthread_t thread{};
      tuning = false;
      ASSERT_EQ(pthread_create(&thread, nullptr, tune, &status), 0);
      while (!tuning) std::this_thread::yield();
      usleep(20000);
      ASSERT_EQ(pthread_cancel(thread), 0);
      void* result = nullptr;
      ASSERT_EQ(pthread_join(thread, &result), 0);
      EXPECT_EQ(result, PTHREAD_CANCELED);
      EXPECT_EQ(status, ATC_OK);
    }
  });
}

}  // namespace
