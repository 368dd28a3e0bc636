// Tests the trace of a process (a count of the calls of each problem) through the C ABI, on the
// CPU.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <utility>

#include "conv_call.hpp"
#include "support/temp_folder.hpp"
#include "trace_calls.hpp"

namespace {

using namespace atc_test;
namespace fs = std::filesystem;

std::string description(const atc_conv_problem& problem) {
  atc_bytes* bytes = nullptr;
  EXPECT_DONE(atc_conv_problem_describe(&bytes, &problem));
  std::string text = atc_bytes_data(bytes);
  atc_bytes_destroy(bytes);
  return text;
}

std::unique_ptr<atc_conv_plan, PlanDeleter> plan_of(const atc_conv_problem& problem) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &problem, nullptr));
  return std::unique_ptr<atc_conv_plan, PlanDeleter>(plan);
}

atc_conv_problem other_problem() {
  atc_conv_problem problem = small_problem();
  problem.out_channels = 5;
  return problem;
}

void report(const atc_conv_problem* problem, const char* choice) {
  atc_trace_call* call = nullptr;
  EXPECT_DONE(atc_trace_call_begin(&call, kCpu, problem, choice, nullptr));
  atc_trace_call_end(call);
}

TEST(Trace, CountsPlansAndEagerCallsByProblemAndChoice) {
  Call call(small_problem()), other(other_problem());
  const auto plan = plan_of(call.problem);
  // A call that is made before the trace starts is not counted.
  EXPECT_DONE(call.run(plan.get()));
  start();
  for (int i = 0; i < 5; ++i) EXPECT_DONE(call.run(plan.get()));
  for (int i = 0; i < 4; ++i) EXPECT_DONE(call.eager());
  for (int i = 0; i < 2; ++i) EXPECT_DONE(other.eager());
  const Trace trace = stop();
  // A call that is made after the trace has ended is not counted.
  EXPECT_DONE(call.run(plan.get()));
  const auto rows = rows_of(trace);
  const char* choice = nullptr;
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan.get()));
  std::uint64_t small = 0, large = 0;
  for (const atc_trace_row& row : rows) {
    if (row.kind != ATC_TRACE_ROW_PROBLEM) continue;
    EXPECT_EQ(row.device.type, ATC_DEVICE_CPU);
    EXPECT_EQ(row.timed, row.calls);
    EXPECT_LE(row.min, row.mean);
    EXPECT_LE(row.mean, row.max);
    EXPECT_GE(row.median, row.min);
    EXPECT_LE(row.p90, row.p99);
    EXPECT_LE(row.p99, row.max);
    EXPECT_GT(row.min, 0);
    if (row.problem == description(call.problem)) {
      small += row.calls;
      EXPECT_STREQ(row.choice, choice);
    }
    if (row.problem == description(other.problem)) large += row.calls;
  }
  EXPECT_EQ(small, 9u);
  EXPECT_EQ(large, 2u);
  EXPECT_EQ(rows.back().kind, ATC_TRACE_ROW_TOTAL);
  EXPECT_EQ(rows.back().calls, 11u);
}

std::int32_t is_running() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_trace_is_running(&out));
  return out;
}

TEST(Trace, OfAProcessIsOneAtATime) {
  EXPECT_EQ(is_running(), 0);
  EXPECT_REFUSED(atc_trace_stop(nullptr), ATC_ERROR_INVALID_ARGUMENT, "no trace runs");
  start();
  EXPECT_EQ(is_running(), 1);
  EXPECT_REFUSED(atc_trace_start(nullptr), ATC_ERROR_BUSY, "stop it first");
  EXPECT_DONE(atc_trace_stop(nullptr));
  EXPECT_REFUSED(atc_trace_stop(nullptr), ATC_ERROR_INVALID_ARGUMENT, "no trace runs");
}

// A plan must not use its row of an earlier trace, so its calls are counted in a new trace, too.
TEST(Trace, CountsFromItsStart) {
  Call call(small_problem());
  const auto plan = plan_of(call.problem);
  for (const int calls : {3, 0, 2}) {
    start(nullptr, 2);
    for (int i = 0; i < calls; ++i) EXPECT_DONE(call.run(plan.get()));
    const Trace trace = stop();
    EXPECT_EQ(calls_of(trace), static_cast<std::uint64_t>(calls));
    EXPECT_EQ(rows_of(trace).back().timed, static_cast<std::uint64_t>(calls + 1) / 2);
  }
}

TEST(Trace, DoesNotCountRaces) {
  Call call(small_problem());
  start();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_ON;
  options.budget_seconds = 0.05;
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &call.problem, &options));
  atc_conv_plan_destroy(plan);
  EXPECT_EQ(calls_of(stop()), 0u);
}

TEST(Trace, HasTheCallsThatFrontEndsReport) {
  const atc_conv_problem problem = small_problem();
  report(&problem, "libtorch");  // no trace runs, so nothing is counted
  start();
  for (int i = 0; i < 3; ++i) report(&problem, "libtorch");
  report(&problem, "another");
  report(nullptr, "libtorch");
  const Trace trace = stop();
  std::vector<std::string> seen;
  for (const atc_trace_row& row : rows_of(trace))
    if (row.kind == ATC_TRACE_ROW_PROBLEM)
      seen.push_back(std::string(row.problem) + ": " + row.choice + " " +
                     std::to_string(row.calls) + " " + std::to_string(row.timed));
  const std::string name = description(problem);
  EXPECT_THAT(seen, testing::UnorderedElementsAre(name + ": libtorch 3 3", name + ": another 1 1",
                                                  "not described: libtorch 1 1"));
}

TEST(Trace, RefusesAWrongReport) {
  atc_conv_problem problem = small_problem();
  problem.groups = 0;
  atc_trace_call* call = nullptr;
  EXPECT_DONE(atc_trace_call_begin(&call, kCpu, &problem, "c", nullptr));  // no trace runs
  start();
  EXPECT_REFUSED(atc_trace_call_begin(&call, kCpu, &problem, "c", nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "groups");
  EXPECT_REFUSED(atc_trace_call_begin(&call, {77, 0}, nullptr, "c", nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "77");
  EXPECT_EQ(call, nullptr);
  EXPECT_EQ(calls_of(stop()), 0u);
}

TEST(Trace, OutlivesNothingThatACallHolds) {
  start();
  atc_trace_call* call = nullptr;
  EXPECT_DONE(atc_trace_call_begin(&call, kCpu, nullptr, "c", nullptr));
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(calls_of(stop()), 1u);
  atc_trace_call_end(call);
}

TEST(Trace, RefusesAnIndexAndAFormatThatAreNone) {
  start();
  const Trace trace = stop();
  atc_trace_row row = ATC_TRACE_ROW_INIT;
  EXPECT_REFUSED(atc_trace_row_get(&row, trace.get(), 1), ATC_ERROR_INVALID_ARGUMENT, "1");
  atc_bytes* bytes = nullptr;
  EXPECT_REFUSED(atc_trace_text(&bytes, trace.get(), 3), ATC_ERROR_INVALID_ARGUMENT, "format", "3");
}

TEST(Trace, WritesItsFileWhenItStops) {
  const atc::test::TempFolder folder;
  Call call(small_problem());
  for (const auto& [name, format] :
       {std::pair("t.%p.txt", ATC_TRACE_TABLE), std::pair("t.%p.json", ATC_TRACE_JSON)}) {
    start((folder / name).c_str());
    EXPECT_DONE(call.eager());
    const Trace trace = stop();
    std::string file = name;
    file.replace(file.find("%p"), 2, std::to_string(getpid()));
    EXPECT_EQ(contents(folder / file), text_of(trace, format));
  }
}

TEST(Trace, RefusesAFileThatCannotBeWritten) {
  const atc::test::TempFolder folder;
  const auto refused = [&](const std::string& file, atc_status status) {
    atc_trace_options options = ATC_TRACE_OPTIONS_INIT;
    options.file = file.c_str();
    EXPECT_REFUSED(atc_trace_start(&options), status, "file");
  };
  refused(folder / "%s", ATC_ERROR_INVALID_ARGUMENT);
  refused("", ATC_ERROR_INVALID_ARGUMENT);
  refused(std::string(100000, 'a'), ATC_ERROR_INVALID_ARGUMENT);
  refused("/dev/stdout", ATC_ERROR_IO);
  EXPECT_REFUSED(atc_trace_stop(nullptr), ATC_ERROR_INVALID_ARGUMENT, "no trace runs");

  fs::create_directory(folder / "gone");
  start((folder / "gone/t.json").c_str());
  fs::remove(folder / "gone");
  EXPECT_REFUSED(atc_trace_stop(nullptr), ATC_ERROR_IO, "gone");
  start();  // the earlier trace has ended, so a new one may start
  EXPECT_DONE(atc_trace_stop(nullptr));
}

}  // namespace
