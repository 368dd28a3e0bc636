// Tests ATC_TUNE_BESIDE: the candidates of a call on CUDA are measured while the program runs.
// Libraries of the tests replace CUDA's driver and cuDNN.
#include <algorithm>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

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

// Collects the lines that atc logs. A mutex protects them, because the worker thread logs lines,
// too.
class Log {
 public:
  Log() {
    atc_log_sink sink = ATC_LOG_SINK_INIT;
    sink.user = this;
    sink.write = [](void* user, std::int32_t, const char* line) {
      auto& log = *static_cast<Log*>(user);
      const std::lock_guard lock(log.mutex_);
      log.lines_.emplace_back(line);
    };
    EXPECT_DONE(atc_log_sink_set(&sink));
  }
  ~Log() { EXPECT_DONE(atc_log_sink_set(nullptr)); }
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  std::size_t count(const std::string& part) {
    const std::lock_guard lock(mutex_);
    return static_cast<std::size_t>(std::count_if(
        lines_.begin(), lines_.end(),
        [&](const std::string& line) { return line.find(part) != std::string::npos; }));
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

TEST(Beside, ADeviceThatFailsEndsExploringWithOneWarning) {
  on_machine(usual_script(), [] {
    constexpr const char* kWarning = "problems are not tuned beside the program";
    Log log;
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
    EXPECT_EQ(log.count(kWarning), 1u);
    EXPECT_DONE(atc_problems_forget_noted());
  });
}

TEST(Beside, ACapturedCallRunsWhatIsKnown) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const atc_conv_options options = beside();
    used(layer, options);
    machine().script.captures[nullptr] = 1;
    for (int i = 0; i < 20; ++i) EXPECT_EQ(used(layer, options).choice, choice_of(kFirst));
    machine().script.captures.clear();
    machine().graphs.destroy(1);
    EXPECT_DONE(atc_problems_forget_noted());
  });
}

}  // namespace
}  // namespace atc::fault
