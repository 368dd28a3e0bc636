// Tests the memory of races (the timing of the candidates of a problem) on the CPU. While a race
// runs, its memory is limited. After the race the memory is given back.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <fstream>
#include <memory>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using atc_test::Call;
using atc_test::kCpu;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

struct Pages {
  std::uint64_t size = 0, resident = 0, shared = 0, text = 0, library = 0, data = 0;
};

// Returns the memory of this process in bytes.
Pages memory_in_use() {
  Pages pages;
  std::ifstream("/proc/self/statm") >> pages.size >> pages.resident >> pages.shared >> pages.text >>
      pages.library >> pages.data;
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  for (std::uint64_t* const number : {&pages.size, &pages.resident, &pages.data}) *number *= page;
  return pages;
}

atc_conv_problem layer(std::int64_t channels, std::int64_t extent) {
  atc_conv_problem problem = atc_test::small_problem();
  problem.batch = 8;
  problem.in_channels = problem.out_channels = channels;
  problem.input[0] = problem.input[1] = extent;
  return problem;
}

atc_tuned_problem tune(const atc_conv_problem& problem, double seconds) {
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = seconds;
  options.retune = ATC_ON;
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, kCpu, &problem, 1, &options, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
  atc_tune_report_destroy(report);
  return tuned;
}

// Limits the memory of the process (RLIMIT_DATA), so that it can allocate `bytes` more bytes.
void limit_to(std::uint64_t bytes) {
  const rlim_t most = memory_in_use().data + bytes;
  const rlimit limit{most, RLIM_INFINITY};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limit), 0);
}

class RaceMemory : public testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "the sanitizer keeps memory of its own";
#endif
    // The first race of a process allocates some memory that later races reuse. This memory must
    // not be counted below, so one race runs first.
    tune(layer(16, 14), 0.1);
  }
};

TEST_F(RaceMemory, OperandsShrinkBeforeALimitIsMet) {
  limit_to(200 * kMiB);
  EXPECT_EQ(tune(layer(64, 56), 0.5).source, ATC_SOURCE_TUNED);
}

// A race of this layer needs more memory than is left. So the call runs the default candidate, as
// it does without tuning.
TEST_F(RaceMemory, ALayerThatDoesNotFitIntoARaceRunsByDefault) {
  Call call(layer(64, 112));  // x and y have 25 MiB each
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.tune = ATC_ON;
  limit_to(100 * kMiB);
  atc_conv_plan* made = nullptr;
  ASSERT_DONE(atc_conv_plan_create(&made, kCpu, &call.problem, &options));
  const std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter> plan(made);
  EXPECT_DONE(call.run(plan.get()));
}

TEST_F(RaceMemory, StaysWithinTheLimitOfTheCall) {
  constexpr std::uint64_t kLimit = 48 * kMiB;
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = 0.5;
  options.race_memory_limit = kLimit;
  const atc_conv_problem problem = layer(64, 56);  // x and y have 12 MiB together
  atc_tune_report* report = nullptr;
  ASSERT_DONE(atc_tune(&report, kCpu, &problem, 1, &options, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
  EXPECT_GT(tuned.memory_bytes, 30 * kMiB);
  EXPECT_LE(tuned.memory_bytes, kLimit);
  atc_tune_report_destroy(report);
}

TEST(RaceMemoryLimit, OfZeroIsRefusedWithTheWayOut) {
  const atc_conv_problem problem = layer(16, 14);
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.race_memory_limit = ATC_NONE;
  EXPECT_REFUSED(atc_tune(nullptr, kCpu, &problem, 1, &options, nullptr, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "race_memory_limit allows 0 bytes",
                 "use a number of bytes");
  atc_conv_options plan_options{};
  plan_options.struct_size = sizeof(plan_options);
  plan_options.race_memory_limit = ATC_NONE;
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &problem, &plan_options),
                 ATC_ERROR_INVALID_ARGUMENT, "race_memory_limit allows 0 bytes",
                 "use a number of bytes");
}

TEST_F(RaceMemory, GoesBackWhenTheRaceEnds) {
  tune(layer(64, 56), 0.5);
  const std::uint64_t before = memory_in_use().resident;
  // Each layer has another size. So the memory that one race has freed does not fit the next race.
  for (std::int64_t i = 0; i < 8; ++i) tune(layer(64, 24 + i), 0.1);
  const std::uint64_t after = memory_in_use().resident;
  std::printf("resident memory: %.0f MiB, then %.0f MiB\n", static_cast<double>(before / kMiB),
              static_cast<double>(after / kMiB));
  EXPECT_LT(after, before + 64 * kMiB);
}

}  // namespace
