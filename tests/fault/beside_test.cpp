// Tests calls on CUDA whose candidates are measured beside the running program (ATC_TUNE_BESIDE).
// The driver and cuDNN are stand-ins.
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

// The time limit of a decision is long, because the worker that makes decisions only runs on idle
// cores. On a busy machine a decision can take minutes.
constexpr std::chrono::minutes kPatience{4};

atc_conv_options beside() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_BESIDE;
  options.allow_tf32 = ATC_OFF;
  return options;
}

// Runs steps of eight calls, and waits for the device after each step. Returns when the worker has
// made the decision and has freed the events that timed the calls.
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

// The driver's stand-in does not have all kernels of atc. So candidates that cannot be loaded are
// dropped, and the others are explored.
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
    // Exploring does not pay for so few calls: no candidate saves more than 5 us in a call, and
    // checking the first candidate costs more than 6 ms.
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

// Collects the lines of the process's log. The worker thread logs lines, too.
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
