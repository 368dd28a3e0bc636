// Tests calls whose candidates are measured beside the running program (ATC_TUNE_BESIDE): a worker
// thread of atc tries candidates while the program computes.
#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conv_call.hpp"
#include "log_lines.hpp"
#include "own_extensions.hpp"
#include "status.hpp"
#include "support/background_share.hpp"
#include "support/noted.hpp"
#include "support/temp_folder.hpp"

namespace {

// While it is true, no thread can be started.
std::atomic<bool> no_threads{false};
std::atomic<int> threads_refused{0};

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
// Replaces the function of libc, also for libatc.
extern "C" __attribute__((visibility("default"))) int pthread_create(
    pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* of) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto next = reinterpret_cast<Create>(dlsym(RTLD_NEXT, "pthread_create"));
  if (!no_threads) return next(thread, attributes, run, of);
  ++threads_refused;
  return EAGAIN;
}
#endif

namespace {

using namespace atc_test;
using std::chrono::milliseconds;
using testing::HasSubstr;

// kPatience is the longest time for which a test waits for a decision. On a busy machine a decision
// can take minutes, because the worker thread only runs on idle cores.
// kRepetition is the time after which a test clears the cache, so that the candidates of the
// problem are tried again. This is necessary if other programs had the cores while a candidate ran
// in the gate (the check of a candidate's results): the candidate then looked too slow, and was not
// tried.
constexpr std::chrono::minutes kPatience{4};
constexpr std::chrono::seconds kRepetition{15};

atc_conv_problem pointwise(std::int64_t width) {
  atc_conv_problem problem = small_problem();
  problem.in_channels = problem.out_channels = 1;
  for (int i = 0; i < 2; ++i) {
    problem.kernel[i] = 1;
    problem.padding_low[i] = problem.padding_high[i] = 0;
  }
  problem.input[1] = width;
  return problem;
}

atc_conv_options beside() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_BESIDE;
  return options;
}

// Returns options of calls whose candidates are measured beside the program, and whose default
// engine is "own", the engine of the test.
atc_conv_options by_default_own() {
  atc_conv_options options = beside();
  std::snprintf(options.front_end, sizeof(options.front_end), "own");
  return options;
}

struct Used {
  std::int32_t source = 0;
  std::string choice;
  std::int32_t provisional = 0;
};

// Makes one eager call, and expects the right result, whichever candidate computes it.
Used used(Call& call, const atc_conv_options& options) {
  atc_conv_plan* plan = nullptr;
  Used used;
  std::fill(call.y.data.begin(), call.y.data.end(), std::nanf(""));
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCpu, &call.problem, &options, nullptr));
  if (plan == nullptr) return used;
  const char* choice = "";
  EXPECT_DONE(atc_conv_plan_source(&used.source, plan));
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
  EXPECT_DONE(atc_conv_plan_provisional(&used.provisional, nullptr, plan));
  used.choice = choice;
  EXPECT_DONE(call.run(plan));
  atc_conv_plan_release(plan);
  const float w = call.w.data[0];
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < call.y.data.size(); ++i)
    wrong += std::abs(call.y.data[i] - w * call.x.data[i]) <= 1e-6F ? 0U : 1U;
  EXPECT_EQ(wrong, 0u) << used.choice;
  return used;
}

// Repeats the call until the worker thread has made the decision, or until kPatience is over. Then
// makes one more call, and returns what used() has returned for it.
Used used_until_decided(Call& call, const atc_conv_options& options) {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + kPatience;
  auto next = steady_clock::now() + kRepetition;
  while (steady_clock::now() < end) {
    used(call, options);
    atc::test::give_background_threads_a_share();
    std::this_thread::sleep_for(milliseconds(1));  // leaves a core to atc's worker
    if (atc::test::count_noted() == 0) break;
    if (steady_clock::now() < next) continue;
    EXPECT_DONE(atc_cache_clear());
    next = steady_clock::now() + kRepetition;
  }
  return used(call, options);
}

// Stops the worker thread in its first execution of the engine, until the test lets it go on.
class StoppedWorker {
 public:
  explicit StoppedWorker(Own& own) {
    own.called = [this, program = std::this_thread::get_id()] {
      if (std::this_thread::get_id() == program || was_in_step_.exchange(true)) return;
      while (!goes_on_) std::this_thread::sleep_for(milliseconds(1));
      std::this_thread::sleep_for(milliseconds(50));
      in_step_ = false;
    };
  }
  // Makes calls until the worker is in a step.
  void wait_for_step(Call& call) {
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (!was_in_step_ && std::chrono::steady_clock::now() < end) {
      used(call, beside());
      atc::test::give_background_threads_a_share();
      std::this_thread::sleep_for(milliseconds(1));
    }
    ASSERT_TRUE(was_in_step_) << "the worker tries no candidate";
  }
  // Lets the step end after 50 ms.
  void go_on() { goes_on_ = true; }
  bool is_in_step() const { return in_step_; }

 private:
  std::atomic<bool> was_in_step_{false}, in_step_{true}, goes_on_{false};
};

class Beside : public testing::Test {
 protected:
  void SetUp() override {
    own_.called = [] { std::this_thread::sleep_for(milliseconds(2)); };
    const atc_engine engine = own_.callbacks();
    ASSERT_EQ(atc_engine_register(&engine), ATC_OK) << atc_last_error();
  }
  void TearDown() override {
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_problems_forget_noted());
    EXPECT_DONE(atc_store_use(nullptr));
    if (registered_) {
      EXPECT_DONE(atc_engine_unregister("own"));
    }
  }

  OwnEngine own_;
  bool registered_ = true;
};

TEST_F(Beside, CallsFindAFasterCandidateAndUseItWithoutARace) {
  Call call(pointwise(51));
  const atc_conv_options options = by_default_own();
  const Used first = used(call, options);
  EXPECT_EQ(first.source, ATC_SOURCE_DEFAULT);
  EXPECT_EQ(first.choice, OwnEngine::kChoice);
  EXPECT_EQ(atc::test::count_noted(), 1u);

  const Used decided = used_until_decided(call, options);
  EXPECT_EQ(decided.source, ATC_SOURCE_BESIDE);
  EXPECT_NE(decided.choice, OwnEngine::kChoice);
  EXPECT_EQ(decided.provisional, 1);
  EXPECT_EQ(atc::test::count_noted(), 0u);

  const int calls = own_.calls;
  atc_cache_statistics before = ATC_CACHE_STATISTICS_INIT, after = ATC_CACHE_STATISTICS_INIT;
  EXPECT_DONE(atc_cache_stats(&before));
  for (int i = 0; i < 10; ++i) EXPECT_EQ(used(call, options).choice, decided.choice);
  EXPECT_DONE(atc_cache_stats(&after));
  EXPECT_EQ(after.misses, before.misses);
  EXPECT_EQ(own_.calls, calls);

  EXPECT_DONE(atc_cache_clear());
  const Used again = used(call, options);
  EXPECT_EQ(again.source, ATC_SOURCE_MEMORY);
  EXPECT_EQ(again.choice, decided.choice);
}

TEST_F(Beside, TheDecisionIsStoredAsProvisional) {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_open(&store, (folder / "store").c_str(), ATC_STORE_READ_WRITE), ATC_OK);
  EXPECT_DONE(atc_store_use(store));
  Call call(pointwise(52));
  const Used decided = used_until_decided(call, by_default_own());
  EXPECT_EQ(decided.source, ATC_SOURCE_BESIDE);
  EXPECT_DONE(atc_cache_clear());
  atc_conv_options off = by_default_own();
  off.tune = ATC_OFF;
  const Used recorded = used(call, off);
  EXPECT_EQ(recorded.source, ATC_SOURCE_RECORD);
  EXPECT_EQ(recorded.choice, decided.choice);
  EXPECT_EQ(recorded.provisional, 1);
  atc_store_close(store);
}

TEST_F(Beside, AWrongCandidateNeverComputesAResultOfTheProgram) {
  // The engine `wrong` is far faster than all others, but its results are wrong.
  atc_engine wrong = own_.callbacks();
  registered_ = false;
  EXPECT_DONE(atc_engine_unregister("own"));
  OwnEngine fast;
  wrong = fast.callbacks();
  wrong.execute = [](void* user, void*, atc_engine_operands* operands) -> atc_status {
    Own::of(user).call();
    static_cast<float*>(operands->y)[0] = 17;
    return ATC_OK;
  };
  ASSERT_EQ(atc_engine_register(&wrong), ATC_OK) << atc_last_error();
  Call call(pointwise(53));
  used_until_decided(call, beside());
  for (int i = 0; i < 50; ++i) EXPECT_NE(used(call, beside()).choice, OwnEngine::kChoice);
  EXPECT_GT(fast.calls, 0) << "the gate has run it";
  EXPECT_DONE(atc_cache_clear());
  EXPECT_DONE(atc_engine_unregister("own"));
}

TEST_F(Beside, AFailingCandidateIsReplacedByTheDefaultInTheSameCall) {
  registered_ = false;
  EXPECT_DONE(atc_engine_unregister("own"));
  OwnEngine failing;
  static thread_local bool is_program = false;
  is_program = true;
  atc_engine engine = failing.callbacks();
  engine.execute = [](void* user, void* prepared, atc_engine_operands* operands) -> atc_status {
    if (is_program) return ATC_ERROR_UNSUPPORTED;
    OwnEngine scales;
    return scales.callbacks().execute(user, prepared, operands);
  };
  ASSERT_EQ(atc_engine_register(&engine), ATC_OK) << atc_last_error();
  Call call(pointwise(54));
  used_until_decided(call, beside());
  for (int i = 0; i < 20; ++i) EXPECT_NE(used(call, beside()).choice, OwnEngine::kChoice);
  EXPECT_DONE(atc_cache_clear());
  EXPECT_DONE(atc_engine_unregister("own"));
}

TEST_F(Beside, PromisesThatExploringWouldBreakTurnItOffWithOneMessage) {
  LogLines log;
  atc_conv_options deterministic = by_default_own(), firm = by_default_own(),
                   constant = by_default_own();
  deterministic.deterministic = ATC_ON;
  firm.require_firm = ATC_ON;
  constant.constant_weights = ATC_ON;
  Call call(pointwise(55));
  for (const atc_conv_options& options : {deterministic, firm, constant})
    for (int i = 0; i < 20; ++i) EXPECT_NE(used(call, options).source, ATC_SOURCE_BESIDE);
  EXPECT_EQ(atc::test::count_noted(), 3u) << "they can be tuned later";
  constexpr const char* kMessage = "not tuned beside the program";
  EXPECT_EQ(log.count(kMessage), 3);
  EXPECT_EQ(log.count(kMessage, "deterministic results"), 1);
  EXPECT_EQ(log.count(kMessage, "only firm decisions"), 1);
  EXPECT_EQ(log.count(kMessage, "the weights are constant"), 1);
}

// The test runs in a process of its own, because it changes settings of the process.
TEST_F(Beside, AProcessWithReproducibleResultsDoesNotExplore) {
  LogLines log;
  EXPECT_DONE(atc_set_reproducible(nullptr, 0));
  Call call(pointwise(66));
  for (int i = 0; i < 20; ++i) EXPECT_NE(used(call, by_default_own()).source, ATC_SOURCE_BESIDE);
  EXPECT_EQ(log.count("not tuned beside the program", "deterministic results"), 1);
}

TEST_F(Beside, AReplayOnlyStoreIsReplayedAsEver) {
  const atc::test::TempFolder folder;
  const std::string path = (folder / "store").string();
  Call known(pointwise(67)), unknown(pointwise(68));
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_open(&store, path.c_str(), ATC_STORE_READ_WRITE), ATC_OK);
  EXPECT_DONE(atc_store_use(store));
  atc_store_close(store);
  EXPECT_EQ(used_until_decided(known, by_default_own()).source, ATC_SOURCE_BESIDE);
  EXPECT_DONE(atc_cache_clear());
  ASSERT_EQ(atc_store_open(&store, path.c_str(), ATC_STORE_REPLAY_ONLY), ATC_OK);
  EXPECT_DONE(atc_store_use(store));
  atc_store_close(store);
  const Used first = used(known, by_default_own());
  for (int i = 0; i < 20; ++i) {
    const Used now = used(known, by_default_own());
    EXPECT_EQ(now.source, ATC_SOURCE_RECORD);
    EXPECT_EQ(now.choice, first.choice);
  }
  atc_conv_plan* plan = nullptr;
  const atc_conv_options options = by_default_own();
  EXPECT_EQ(atc_conv_plan_acquire(&plan, kCpu, &unknown.problem, &options, nullptr),
            ATC_ERROR_NOT_TUNED);
  EXPECT_EQ(atc::test::count_noted(), 0u);
}

// A decision that calls of the program have made is provisional, so that a race can replace it.
TEST_F(Beside, ARaceMakesTheDecisionFirm) {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_open(&store, (folder / "store").c_str(), ATC_STORE_READ_WRITE), ATC_OK);
  EXPECT_DONE(atc_store_use(store));
  atc_store_close(store);
  Call call(pointwise(69));
  const Used decided = used_until_decided(call, by_default_own());
  EXPECT_EQ(decided.source, ATC_SOURCE_BESIDE);
  EXPECT_EQ(decided.provisional, 1);
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  // With this technique a race decides without doubt, however busy the machine is.
  options.technique = ATC_TECHNIQUE_ONCE;
  options.problem_budget_seconds = 60;
  EXPECT_DONE(atc_tune(nullptr, kCpu, &call.problem, 1, &options, nullptr, nullptr));
  const Used firm = used(call, by_default_own());
  EXPECT_EQ(firm.source, ATC_SOURCE_RECORD);
  EXPECT_EQ(firm.provisional, 0);
}

// The test runs in a process of its own, because a process reads WORLD_SIZE (the number of ranks in
// its job) only once.
TEST_F(Beside, RanksOfAJobDoNotExplore) {
  ASSERT_EQ(setenv("WORLD_SIZE", "2", 1), 0);
  Call call(pointwise(56));
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20; ++i) EXPECT_NE(used(call, by_default_own()).source, ATC_SOURCE_BESIDE);
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("one of 2 ranks (WORLD_SIZE)"));
  EXPECT_EQ(atc::test::count_noted(), 1u);
}

TEST_F(Beside, TheEnvironmentMayAskForIt) {
  ASSERT_EQ(setenv("ATC_TUNE", "beside", 1), 0);
  atc_conv_options inherited = by_default_own();
  inherited.tune = 0;
  Call call(pointwise(57));
  EXPECT_EQ(used_until_decided(call, inherited).source, ATC_SOURCE_BESIDE);
}

TEST_F(Beside, PlansKeepTheirChoice) {
  Call call(pointwise(58));
  const atc_conv_options options = by_default_own();
  atc_conv_plan* plan = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&plan, kCpu, &call.problem, &options), ATC_OK);
  const int before = own_.calls;
  for (int i = 0; i < 20; ++i) EXPECT_DONE(call.run(plan));
  EXPECT_EQ(own_.calls, before + 20);
  atc_conv_plan_destroy(plan);
  EXPECT_EQ(atc::test::count_noted(), 1u);
}

TEST_F(Beside, AnEngineCanBeRemovedWhileItIsExplored) {
  Call call(pointwise(59));
  const atc_conv_options options = by_default_own();
  for (int i = 0; i < 30; ++i) used(call, options);
  EXPECT_DONE(atc_engine_unregister("own"));
  registered_ = false;
  EXPECT_EQ(own_.live, 0);
  for (int i = 0; i < 30; ++i) used(call, beside());
}

TEST_F(Beside, ThreadsShareALayerAndClearTheCacheMeanwhile) {
  const atc_conv_options options = by_default_own();
  own_.called = {};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      Call call(pointwise(60 + t % 2));
      for (int i = 0; i < 400; ++i) {
        used(call, options);
        if (t == 0 && i % 100 == 50) {
          EXPECT_DONE(atc_cache_clear());
        }
      }
    });
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Beside, AChildOfAForkCallsOnAndTheProcessEndsBesideTheWorker) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a child of a process with threads may hang under AddressSanitizer of GCC 12";
#endif
  const atc_conv_options options = by_default_own();
  own_.called = {};
  Call call(pointwise(62)), other(pointwise(63));
  for (int i = 0; i < 20; ++i) used(call, options);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    for (int i = 0; i < 20; ++i) used(call, options);
    for (int i = 0; i < 20; ++i) used(other, options);
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// Forks while the worker thread runs a step. fork() must wait until the step has ended. Otherwise
// the child, in which this thread does not exist, would inherit a lock of the thread that is never
// released.
TEST_F(Beside, AForkWaitsForTheStepOfTheWorker) {
  StoppedWorker worker(own_);
  Call call(pointwise(65));
  worker.wait_for_step(call);
  worker.go_on();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(worker.is_in_step() ? 1 : 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0) << "the process forked in the middle of a step";
  EXPECT_EQ(used_until_decided(call, beside()).source, ATC_SOURCE_BESIDE);
}

TEST_F(Beside, TheRemovalOfAnEngineWaitsForTheStepOfTheWorker) {
  StoppedWorker worker(own_);
  Call call(pointwise(70));
  worker.wait_for_step(call);
  worker.go_on();
  EXPECT_DONE(atc_engine_unregister("own"));
  registered_ = false;
  EXPECT_FALSE(worker.is_in_step());
  EXPECT_EQ(own_.live, 0);
  EXPECT_EQ(own_.destroyed, 1);
}

// Runs `act` in a child process, and expects the child to exit with code 0. If no exit
// handler that `act` registers ends the child before, its code is 2.
void expect_child_to_exit(const std::function<void()>& act) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(600);
    act();
    std::exit(2);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// A process ends while its worker thread runs a step of an engine. The engine belongs to the
// program, which must not destroy it during the step.
TEST_F(Beside, TheEndOfTheProcessWaitsForTheStepOfTheWorker) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a child of a process with threads may hang under AddressSanitizer of GCC 12";
#endif
  expect_child_to_exit([&] {
    static StoppedWorker* worker = nullptr;
    worker = new StoppedWorker(own_);
    Call call(pointwise(71));
    // This handler was registered before the first step, so it runs after those of atc.
    std::atexit([] { _exit(worker->is_in_step() || testing::Test::HasFailure() ? 1 : 0); });
    worker->wait_for_step(call);
    worker->go_on();
  });
}

// A process whose worker hangs in an engine ends nevertheless, after at most 20 s.
TEST_F(Beside, AHangingCandidateDoesNotKeepTheProcessAlive) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "a child of a process with threads may hang under AddressSanitizer of GCC 12";
#endif
  expect_child_to_exit([&] {
    static StoppedWorker* worker = nullptr;
    worker = new StoppedWorker(own_);
    Call call(pointwise(75));
    // This handler was registered before the first step, so it runs after those of atc.
    std::atexit([] { _exit(worker->is_in_step() && !testing::Test::HasFailure() ? 0 : 1); });
    worker->wait_for_step(call);
    alarm(35);
  });
}

TEST_F(Beside, TheWorkerRunsOnIdleCoresAlone) {
  static std::atomic<int> policy{-1};
  own_.called = [program = std::this_thread::get_id()] {
    if (std::this_thread::get_id() == program || policy != -1) return;
    policy = sched_getscheduler(0);
  };
  Call call(pointwise(72));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (policy == -1 && std::chrono::steady_clock::now() < end) {
    used(call, beside());
    std::this_thread::sleep_for(milliseconds(5));
  }
  EXPECT_EQ(policy, SCHED_IDLE);
}

TEST_F(Beside, IfTheWorkerCannotStartTheProgramGoesOnWithOneWarning) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has pthread_create for itself";
#endif
  LogLines log;
  Call call(pointwise(73)), other(pointwise(74));
  no_threads = true;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(used(call, by_default_own()).choice, OwnEngine::kChoice);
    EXPECT_EQ(used(other, by_default_own()).choice, OwnEngine::kChoice);
  }
  no_threads = false;
  EXPECT_GT(threads_refused, 0);
  EXPECT_EQ(log.count("no thread can be started"), 1);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(used(call, by_default_own()).choice, OwnEngine::kChoice);
  EXPECT_EQ(log.count("not tuned beside the program"), 1);
  EXPECT_EQ(atc::test::count_noted(), 2u) << "they can be tuned later";
}

TEST_F(Beside, AnUnknownValueIsRefused) {
  atc_conv_options options = beside();
  options.tune = ATC_TUNE_PREDICT + 1;
  atc_conv_plan* plan = nullptr;
  const atc_conv_problem problem = pointwise(64);
  EXPECT_EQ(atc_conv_plan_acquire(&plan, kCpu, &problem, &options, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("tune is 6: use 0 (inherit), 1 (off), 2 (on), 3 (later), "
                                          "4 (beside) or 5 (predict)"));
}

}  // namespace
