// Tests ATC_TUNE_BESIDE: the candidates of a call on CUDA are measured while the program runs.
// Libraries of the tests replace CUDA's driver and cuDNN.
#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "capi/log_lines.hpp"
#include "fault/support.hpp"
#include "support/background_share.hpp"
#include "support/noted.hpp"

namespace atc::fault {
namespace {

// The time limit within which a decision must be made. It is long, because the worker thread that
// makes decisions only runs on idle cores. On a busy machine a decision can take minutes.
constexpr std::chrono::minutes kPatience{4};

atc_conv_options beside() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_BESIDE;
  options.allow_tf32 = ATC_OFF;
  return options;
}

// Runs steps of eight calls, and waits for the device after each step. Returns when the worker
// thread has made the decision and has destroyed the events by which it timed calls.
void steps_until_decided(Layer& layer, const atc_conv_options& options) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while ((test::count_noted() != 0 || machine().alive().count("event") != 0) &&
         std::chrono::steady_clock::now() < end) {
    for (int i = 0; i < 8; ++i) used(layer, options);
    EXPECT_DONE(atc_synchronize(kCuda.index));
    test::give_background_threads_a_share();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(test::count_noted(), 0u);
}

// The library that replaces the driver does not have all kernels of atc. So candidates whose
// kernels cannot be loaded are dropped, and the others are explored (tried in calls of the
// program).
TEST(Beside, CallsFindAFasterCandidate) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
    EXPECT_EQ(test::count_noted(), 1u);
    steps_until_decided(layer, options);
    for (int i = 0; i < 8; ++i) {
      const Used last = used(layer, options);
      EXPECT_EQ(last.choice, choice_of(kFastest));
      EXPECT_EQ(last.source, ATC_SOURCE_BESIDE);
    }
    layer.expect_right();
  });
}

TEST(Beside, ASmallLayerIsExploredOnceItHasBeenCalledOften) {
  Script script = usual_script();
  engine(script, kFirst).seconds = 5e-6;
  engine(script, kFastest).seconds = 2e-6;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    // For so few calls, exploring (trying other candidates) costs more than it saves: no candidate
    // saves more than 5 us in a call, and checking the first candidate costs more than 6 ms.
    for (int i = 0; i < 1200; ++i) {
      EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
      if (i % 8 != 7) continue;
      EXPECT_DONE(atc_synchronize(kCuda.index));
      test::give_background_threads_a_share();
    }
    EXPECT_EQ(test::count_noted(), 1u);
    steps_until_decided(layer, options);
    EXPECT_EQ(used(layer, options).choice, choice_of(kFastest));
  });
}

TEST(Beside, ADeviceThatFailsEndsExploringWithOneWarning) {
  on_machine(usual_script(), [] {
    constexpr const char* kWarning = "problems are not tuned beside the program";
    atc_test::LogLines log;
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    used(layer, options);
    machine().break_call({Part::driver, 1, "cuStreamSynchronize", 719, true});
    const auto end = std::chrono::steady_clock::now() + kPatience;
    while (log.count(kWarning) == 0 && std::chrono::steady_clock::now() < end) {
      for (int i = 0; i < 8; ++i) EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
      machine().wait_until(machine().device_time());
      test::give_background_threads_a_share();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    machine().mend();
    for (int i = 0; i < 50; ++i) EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
    layer.expect_right();
    EXPECT_EQ(log.count(kWarning), 1);
    EXPECT_DONE(atc_problems_forget_noted());
  });
}

// Calls in a capture must run the choice that is known, also while other calls try candidates.
TEST(Beside, ACapturedCallRunsWhatIsKnown) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    // Repeats steps until a call has run another candidate than the default.
    const auto end = std::chrono::steady_clock::now() + kPatience;
    bool explored = false;
    while (!explored && std::chrono::steady_clock::now() < end) {
      for (int i = 0; i < 8; ++i) explored |= used(layer, options).choice != choice_of(kFirst);
      EXPECT_DONE(atc_synchronize(kCuda.index));
      test::give_background_threads_a_share();
    }
    ASSERT_TRUE(explored);
    ASSERT_EQ(test::count_noted(), 1u) << "the decision is made already";
    machine().script.captures[nullptr] = 1;
    for (int i = 0; i < 40; ++i) EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
    machine().script.captures.clear();
    machine().graphs.destroy(1);
    steps_until_decided(layer, options);
    EXPECT_EQ(used(layer, options).choice, choice_of(kFastest));
    EXPECT_DONE(atc_cache_clear());
  });
}

// If the device waits for each call, the time of a call contains gaps between launches of the host.
// Such times must not count, so nothing can be decided.
TEST(Beside, CallsForWhichTheDeviceWaitsDoNotCount) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    for (int i = 0; i < 300; ++i) {
      EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
      EXPECT_DONE(atc_synchronize(kCuda.index));
      test::give_background_threads_a_share();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the time that a check takes
    }
    EXPECT_EQ(test::count_noted(), 1u) << "it was decided";
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_problems_forget_noted());
  });
}

TEST(Beside, CandidatesAreCheckedOnAStreamOfLowPriority) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    for (int i = 0; i < 3; ++i) used(layer, options);
    machine().listen();
    steps_until_decided(layer, options);
    const std::vector<std::string> calls = machine().calls(Part::driver);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuStreamCreateWithPriority"), 1);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "cuStreamCreate"), 0);
  });
}

// Waits until the worker has ended its step and has destroyed its stream and events.
void wait_for_worker() {
  const auto works = [] {
    const auto alive = machine().alive();
    const auto count = [&](const char* kind) {
      const auto found = alive.find(kind);
      return found == alive.end() ? 0 : found->second;
    };
    return count("stream") != 0 || count("event") != 0 || count("pushed context") != 0 ||
           count("device memory") != 0;
  };
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (works() && std::chrono::steady_clock::now() < end) {
    test::give_background_threads_a_share();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// One call of the driver fails, in the program's own call or in the worker. Calls of the program
// must succeed with a right result, or return the documented status. Afterwards they must succeed.
// The test runs in many processes, because a process ends all exploration if a device fails.
class OneFailure : public testing::TestWithParam<int> {};

TEST_P(OneFailure, LeavesTheProgramItsResults) {
  // An exploration makes more than kSurely calls of the driver. Calls after kMost may be those that
  // destroy its events. If such a call fails, the events remain, as if the device was lost.
  constexpr std::uint64_t kSurely = 200, kMost = 1000;
  for (std::uint64_t at = 1; at < kMost; at += 1 + at / 32) {
    SCOPED_TRACE("call " + std::to_string(at));
    on_each_machine(usual_script(), [at] {
      const int status = GetParam();
      const atc_status documented = status == 2 ? ATC_ERROR_OUT_OF_MEMORY : ATC_ERROR_DEVICE;
      Layer layer(tiny_problem());
      const atc_conv_options options = beside();
      used(layer, options);
      machine().break_call({Part::driver, at, "", status, false});
      const auto call = [&] {
        layer.unwrite();
        atc_conv_plan* plan = nullptr;
        atc_status ended =
            atc_conv_plan_acquire(&plan, kCuda, &layer.call.problem, &options, nullptr);
        if (ended == ATC_OK) ended = layer.call.run(plan);
        atc_conv_plan_release(plan);
        return ended;
      };
      const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      while (machine().broken().empty() && test::count_noted() != 0 &&
             std::chrono::steady_clock::now() < end) {
        for (int i = 0; i < 8; ++i) {
          const atc_status ended = call();
          EXPECT_TRUE(ended == ATC_OK || ended == documented) << atc_status_name(ended);
        }
        const atc_status waited = atc_synchronize(kCuda.index);
        EXPECT_TRUE(waited == ATC_OK || waited == documented) << atc_status_name(waited);
        test::give_background_threads_a_share();
      }
      SCOPED_TRACE(machine().broken());
      if (at <= kSurely) {
        EXPECT_NE(machine().broken(), "");
      }
      machine().mend();
      for (int i = 0; i < 20; ++i) EXPECT_DONE(call());
      EXPECT_DONE(atc_synchronize(kCuda.index));
      layer.expect_right();
      EXPECT_DONE(atc_cache_clear());
      wait_for_worker();
      EXPECT_DONE(atc_cache_clear());
      EXPECT_DONE(atc_problems_forget_noted());
    });
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Beside, OneFailure, testing::Values(2, 719),
                         [](const auto& info) { return std::to_string(info.param); });

}  // namespace
}  // namespace atc::fault
