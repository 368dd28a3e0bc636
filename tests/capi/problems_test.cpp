// Tests calls that note their problems for later tuning (ATC_TUNE_LATER), and the lists of problems
// that are tuned later.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conv_call.hpp"
#include "entry_points.hpp"
#include "own_extensions.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

struct ProblemsDeleter {
  void operator()(atc_problems* problems) const { atc_problems_destroy(problems); }
};
using Problems = std::unique_ptr<atc_problems, ProblemsDeleter>;
struct ReportDeleter {
  void operator()(atc_tune_report* report) const { atc_tune_report_destroy(report); }
};
using Report = std::unique_ptr<atc_tune_report, ReportDeleter>;

Problems empty_list() {
  atc_problems* problems = nullptr;
  EXPECT_DONE(atc_problems_create(&problems));
  return Problems(problems);
}

Problems noted() {
  Problems problems = empty_list();
  EXPECT_DONE(atc_problems_add_noted(problems.get()));
  return problems;
}

std::size_t size_of(const Problems& problems) {
  std::size_t count = 99;
  EXPECT_DONE(atc_problems_count(&count, problems.get()));
  return count;
}

std::string json_of(const Problems& problems) {
  atc_bytes* bytes = nullptr;
  EXPECT_DONE(atc_problems_json(&bytes, problems.get()));
  std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  return text;
}

Problems from_json(const std::string& text) {
  Problems problems = empty_list();
  EXPECT_DONE(atc_problems_add_json(problems.get(), text.data(), text.size()));
  return problems;
}

atc_conv_options later() {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_TUNE_LATER;
  return options;
}

// Returns options with which a decision is stored as soon as two candidates were timed.
atc_tune_options measuring(const Problems& problems) {
  atc_tune_options options = ATC_TUNE_OPTIONS_INIT;
  options.technique = ATC_TECHNIQUE_ONCE;
  // The budget of a race in seconds. It is so long that it never ends the race, even on a busy
  // machine.
  options.problem_budget_seconds = 60;
  options.problems = problems.get();
  return options;
}

Report tuned(const Problems& problems) {
  const atc_tune_options options = measuring(problems);
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, kCpu, nullptr, 0, &options, nullptr, nullptr));
  return Report(report);
}

std::vector<atc_tuned_problem> rows_of(const Report& report) {
  std::size_t count = 0;
  EXPECT_DONE(atc_tune_report_count(&count, report.get()));
  std::vector<atc_tuned_problem> rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    rows[i] = ATC_TUNED_PROBLEM_INIT;
    EXPECT_DONE(atc_tune_report_problem(&rows[i], report.get(), i));
  }
  return rows;
}

// Returns a pointwise problem, which the test's engine supports in each build.
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

class NotedProblems : public testing::Test {
 protected:
  void SetUp() override {
    const atc_engine engine = own_.callbacks();
    ASSERT_EQ(atc_engine_register(&engine), ATC_OK) << atc_last_error();
  }
  void TearDown() override {
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_problems_forget_noted());
    EXPECT_DONE(atc_store_use(nullptr));
    EXPECT_DONE(atc_engine_unregister("own"));
  }

  // Makes one eager call of a front end (a library such as LibTorch that passes its convolutions to
  // atc), and returns the source of its decision.
  static std::int32_t acquired(const atc_conv_problem& problem, const atc_conv_options& options) {
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_acquire(&plan, kCpu, &problem, &options, nullptr));
    const std::int32_t source = plan == nullptr ? 0 : source_of(plan);
    atc_conv_plan_release(plan);
    return source;
  }

  static std::uint64_t misses() {
    atc_cache_statistics statistics = ATC_CACHE_STATISTICS_INIT;
    EXPECT_DONE(atc_cache_stats(&statistics));
    return statistics.misses;
  }

  OwnEngine own_;
};

TEST_F(NotedProblems, ACallMeasuresNothingAndLaterTuningServesItsCachedPlan) {
  const atc_conv_problem problem = pointwise(31);
  const atc_conv_options options = later();
  EXPECT_EQ(size_of(noted()), 0u);
  EXPECT_THAT(acquired(problem, options), AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));
  const int executed = own_.calls;
  const std::uint64_t before = misses();
  for (int i = 0; i < 3; ++i) acquired(problem, options);
  EXPECT_EQ(misses(), before) << "its plan is cached";
  EXPECT_EQ(own_.calls, executed) << "nothing is measured";

  const Problems list = noted();
  ASSERT_EQ(size_of(list), 1u);
  const Report report = tuned(list);
  const auto rows = rows_of(report);
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].status, ATC_OK) << rows[0].why;
  EXPECT_EQ(rows[0].source, ATC_SOURCE_TUNED);
  EXPECT_GT(own_.calls, executed);

  EXPECT_EQ(acquired(problem, options), ATC_SOURCE_MEMORY) << "its plan was made before";
  EXPECT_EQ(size_of(noted()), 0u);
  const int after = own_.calls;
  EXPECT_EQ(rows_of(tuned(list))[0].source, ATC_SOURCE_MEMORY);
  EXPECT_EQ(own_.calls, after) << "the list still names it, and it is known";
}

TEST_F(NotedProblems, APlanOfACallerIsNotedToo) {
  const atc_conv_problem problem = pointwise(32);
  const atc_conv_options options = later();
  atc_conv_plan* plan = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, &options), ATC_OK) << atc_last_error();
  atc_conv_plan_destroy(plan);
  EXPECT_EQ(size_of(noted()), 1u);
  atc_conv_options off = options;
  off.tune = ATC_OFF;
  EXPECT_DONE(atc_problems_forget_noted());
  acquired(problem, off);
  EXPECT_EQ(size_of(noted()), 0u) << "only calls that ask for it note anything";
}

TEST_F(NotedProblems, EachIsNotedOnceForTheOptionsThatADecisionDependsOn) {
  const atc_conv_problem problem = pointwise(33);
  atc_conv_options options = later();
  acquired(problem, options);
  // With another budget the call has a plan of its own in the cache, but it needs the same
  // decision. So the problem is not noted again.
  options.budget_seconds = 0.5;
  acquired(problem, options);
  EXPECT_EQ(size_of(noted()), 1u);
  options.deterministic = ATC_ON;
  acquired(problem, options);
  options.workspace_limit = 64 << 20;
  acquired(problem, options);
  options.strict_precision = ATC_ON;
  acquired(problem, options);
  const Problems list = noted();
  ASSERT_EQ(size_of(list), 4u);

  atc_device device{};
  atc_conv_problem seen = problem;
  atc_conv_options terms = ATC_CONV_OPTIONS_INIT;
  std::uint64_t count = 99;
  ASSERT_EQ(atc_problems_get(&device, &seen, &terms, &count, list.get(), 3), ATC_OK);
  EXPECT_EQ(device.type, ATC_DEVICE_CPU);
  EXPECT_EQ(seen.input[1], 33);
  EXPECT_EQ(terms.deterministic, ATC_ON);
  EXPECT_EQ(terms.strict_precision, ATC_ON);
  EXPECT_EQ(terms.workspace_limit, UINT64_C(32) << 20);
  EXPECT_EQ(terms.tune, 0);
  EXPECT_EQ(count, 0u);
  EXPECT_EQ(atc_problems_get(nullptr, nullptr, nullptr, nullptr, list.get(), 4),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("index is 4, the list has 4"));

  tuned(list);
  EXPECT_EQ(acquired(problem, options), ATC_SOURCE_MEMORY);
  options = later();
  EXPECT_EQ(acquired(problem, options), ATC_SOURCE_MEMORY);
  EXPECT_EQ(size_of(noted()), 0u);
}

TEST_F(NotedProblems, AreTunedForTheStoreOfTheirCalls) {
  const atc::test::TempFolder folder;
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_open(&store, (folder / "own").c_str(), ATC_STORE_READ_WRITE), ATC_OK);
  const atc_conv_problem problem = pointwise(34);
  atc_conv_options with = later(), without = later();
  with.store = store;
  without.use_store = ATC_OFF;
  acquired(problem, with);
  acquired(problem, without);
  Problems list = noted();
  ASSERT_EQ(size_of(list), 2u);
  for (const atc_tuned_problem& row : rows_of(tuned(list))) EXPECT_EQ(row.source, ATC_SOURCE_TUNED);
  EXPECT_EQ(acquired(problem, with), ATC_SOURCE_RECORD);
  EXPECT_EQ(acquired(problem, without), ATC_SOURCE_MEMORY);
  atc_bytes* entry = nullptr;
  EXPECT_DONE(atc_store_get(&entry, store, kCpu, &problem, nullptr));
  atc_bytes_destroy(entry);

  const atc_conv_problem other = pointwise(35);
  acquired(other, with);
  list = noted();
  ASSERT_EQ(size_of(list), 1u);
  EXPECT_DONE(atc_cache_clear());
  atc_store_close(store);
  const Report refused = tuned(list);
  ASSERT_EQ(rows_of(refused).size(), 1u);
  EXPECT_EQ(rows_of(refused)[0].status, ATC_ERROR_NOT_TUNED);
  EXPECT_THAT(rows_of(refused)[0].why, HasSubstr("store of the calls that noted it is closed"));
  EXPECT_EQ(size_of(noted()), 0u);
}

TEST_F(NotedProblems, ARecordOfTheStoreIsADecisionAndReplayOnlyNotesNothing) {
  const atc::test::TempFolder folder;
  const std::string path = (folder / "store").string();
  atc_store* store = nullptr;
  ASSERT_EQ(atc_store_open(&store, path.c_str(), ATC_STORE_READ_WRITE), ATC_OK);
  EXPECT_DONE(atc_store_use(store));
  atc_store_close(store);
  const atc_conv_problem problem = pointwise(36);
  const atc_conv_options options = later();
  acquired(problem, options);
  tuned(noted());
  EXPECT_EQ(acquired(problem, options), ATC_SOURCE_RECORD);
  atc_conv_problem twice = problem;
  twice.batch *= 2;
  EXPECT_EQ(acquired(twice, options), ATC_SOURCE_INHERITED);
  EXPECT_EQ(size_of(noted()), 1u) << "a record of another batch size serves until it is measured";

  EXPECT_DONE(atc_problems_forget_noted());
  ASSERT_EQ(atc_store_open(&store, path.c_str(), ATC_STORE_REPLAY_ONLY), ATC_OK);
  EXPECT_DONE(atc_store_use(store));
  atc_store_close(store);
  EXPECT_EQ(acquired(problem, options), ATC_SOURCE_RECORD);
  const atc_conv_problem unknown = pointwise(37);
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_acquire(&plan, kCpu, &unknown, &options, nullptr), ATC_ERROR_NOT_TUNED);
  EXPECT_EQ(size_of(noted()), 0u);
}

TEST_F(NotedProblems, CancelledOnesStayNotedAndFailedOnesAreNotRepeated) {
  const atc_conv_problem first = pointwise(38), second = pointwise(39);
  const atc_conv_options options = later();
  acquired(first, options);
  acquired(second, options);
  const atc_tune_options how = measuring(noted());
  const Problems list = noted();
  atc_tune_options measured = how;
  measured.problems = list.get();
  const auto cancel = [](const atc_tune_progress* progress, void*) -> std::int32_t {
    return progress->problem == 1 ? 1 : 0;
  };
  EXPECT_EQ(atc_tune(nullptr, kCpu, nullptr, 0, &measured, cancel, nullptr), ATC_ERROR_CANCELLED);
  EXPECT_EQ(size_of(noted()), 1u);

  measured.total_budget_seconds = 1e-9;
  EXPECT_DONE(atc_tune(nullptr, kCpu, nullptr, 0, &measured, nullptr, nullptr));
  EXPECT_EQ(size_of(noted()), 1u) << "the total budget did not reach it";

  measured.total_budget_seconds = 0;
  measured.engines_allowed = "none";  // no engine has this name, so the race has no candidates
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, kCpu, nullptr, 0, &measured, nullptr, nullptr));
  EXPECT_NE(rows_of(Report(report)).at(1).status, ATC_OK);
  EXPECT_EQ(size_of(noted()), 0u);
  EXPECT_DONE(atc_cache_clear());
  acquired(second, options);
  EXPECT_EQ(size_of(noted()), 0u) << "tuning it failed";
  EXPECT_DONE(atc_problems_forget_noted());
  EXPECT_DONE(atc_cache_clear());
  acquired(second, options);
  EXPECT_EQ(size_of(noted()), 1u);
}

TEST_F(NotedProblems, ThreadsNoteEachProblemOnce) {
  constexpr int kThreads = 4, kProblems = 20;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < kProblems; ++i) acquired(pointwise(100 + i), later());
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(size_of(noted()), std::size_t{kProblems});
}

TEST_F(NotedProblems, AreBoundedAndNotedAfterTuningMadeRoom) {
  constexpr std::int64_t kMost = 4096;
  std::vector<std::string> lines;
  atc_log_sink sink = ATC_LOG_SINK_INIT;
  sink.user = &lines;
  sink.write = [](void* user, std::int32_t, const char* line) {
    static_cast<std::vector<std::string>*>(user)->emplace_back(line);
  };
  EXPECT_DONE(atc_log_sink_set(&sink));
  atc_conv_options options = later();
  for (std::int64_t i = 1; i <= kMost + 3; ++i) acquired(pointwise(i), options);
  EXPECT_DONE(atc_log_sink_set(nullptr));
  Problems list = noted();
  EXPECT_EQ(size_of(list), static_cast<std::size_t>(kMost));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) {
                            return line.find("4096 problems are noted") != std::string::npos;
                          }),
            1);

  atc_conv_problem first = pointwise(1);
  Problems one = empty_list();
  ASSERT_EQ(atc_problems_add(one.get(), nullptr, &first, nullptr, 0), ATC_OK);
  // The number of noted problems has reached its limit. If a problem that was not noted is decided,
  // no further problem may be noted.
  tuned(one);
  acquired(pointwise(kMost + 2), options);
  EXPECT_EQ(size_of(noted()), static_cast<std::size_t>(kMost));

  atc_tune_options how = measuring(list);
  const auto after_two = [](const atc_tune_progress* progress, void*) -> std::int32_t {
    return progress->problem == 2 ? 1 : 0;
  };
  EXPECT_EQ(atc_tune(nullptr, kCpu, nullptr, 0, &how, after_two, nullptr), ATC_ERROR_CANCELLED);
  EXPECT_EQ(size_of(noted()), static_cast<std::size_t>(kMost - 2));
  acquired(pointwise(kMost + 2), options);
  EXPECT_EQ(size_of(noted()), static_cast<std::size_t>(kMost - 1))
      << "its cached plan is made anew after the tuning";
}

// The test runs in a process of its own, because a process reads ATC_TUNE once.
TEST_F(NotedProblems, TheEnvironmentSaysWhatCallsWithoutTheOptionDo) {
  ASSERT_EQ(setenv("ATC_TUNE", "later", 1), 0);
  Call call(pointwise(41));
  EXPECT_DONE(call.eager());
  EXPECT_EQ(size_of(noted()), 1u);
  const int executed = own_.calls;
  tuned(noted());
  EXPECT_GT(own_.calls, executed);
  EXPECT_EQ(size_of(noted()), 0u);
  atc_conv_options options = later();
  options.tune = ATC_OFF;
  acquired(pointwise(42), options);
  EXPECT_EQ(size_of(noted()), 0u) << "the option comes before the variable";
}

TEST_F(NotedProblems, AnEnvironmentThatSaysSomethingElseIsIgnoredWithOneWarning) {
  ASSERT_EQ(setenv("ATC_TUNE", "soon", 1), 0);
  testing::internal::CaptureStderr();
  Call call(pointwise(43));
  EXPECT_DONE(call.eager());
  EXPECT_DONE(call.eager());
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("ATC_TUNE=soon in the environment: use off, on, later, beside or predict"));
  EXPECT_EQ(size_of(noted()), 0u);
}

// ---- Lists of problems
// ---------------------------------------------------------------------------------------

// Returns problems that together use each member of the JSON form of a problem.
std::vector<atc_conv_problem> varied() {
  atc_conv_problem plain = small_problem();
  atc_conv_problem line = pointwise(7);
  line.spatial_dims = 1;
  line.input[0] = 12;
  line.kernel[0] = 3;
  line.direction = ATC_BACKWARD_WEIGHT;
  line.layout = ATC_LAYOUT_CHANNELS_LAST;
  // A problem with one dimension, in which all extents of the input and the kernel are 1. These
  // extents do not show the number of dimensions, so the JSON form has a member for it.
  atc_conv_problem pixel = line;
  pixel.input[0] = pixel.kernel[0] = 1;
  pixel.direction = ATC_FORWARD;
  atc_conv_problem volume = small_problem();
  volume.spatial_dims = 3;
  for (int i = 0; i < 3; ++i) {
    volume.input[i] = 6 + i;
    volume.kernel[i] = 2;
    volume.stride[i] = i + 1;
    volume.dilation[i] = 1 + i % 2;
    volume.padding_low[i] = 1;
    volume.padding_high[i] = i;
  }
  volume.epilogue = ATC_EPILOGUE_BIAS_RELU;
  volume.accumulate = 1;
  atc_conv_problem ended = small_problem();
  ended.epilogue = ATC_EPILOGUE_BIAS;
  ended.scale = ended.residual = 1;
  ended.activation = ATC_ACTIVATION_CLAMP;
  ended.activation_low = -0.1F;
  ended.activation_high = 6;
  atc_conv_problem leaky = small_problem();
  leaky.activation = ATC_ACTIVATION_LEAKY_RELU;
  leaky.activation_slope = 0.01F;
  atc_conv_problem transposed = small_problem();
  transposed.transposed = 1;
  transposed.stride[0] = 1;
  transposed.stride[1] = 2;
  transposed.dilation[0] = 3;
  // The output padding is not below the stride. The extents of a usual problem never imply such an
  // output padding, so the JSON form must have a member for the output padding.
  transposed.output_padding[0] = 2;
  transposed.output_padding[1] = 1;
  transposed.groups = 2;
  transposed.direction = ATC_BACKWARD_DATA;
  atc_conv_problem strided = small_problem();
  strided.layout = ATC_LAYOUT_STRIDED;
  for (const auto& [operand, strides] :
       {std::pair{ATC_OPERAND_X, strided.x_strides}, std::pair{ATC_OPERAND_W, strided.w_strides},
        std::pair{ATC_OPERAND_Y, strided.y_strides}}) {
    const atc_conv_problem dense = small_problem();
    EXPECT_DONE(atc_conv_operand_shape(nullptr, strides, &dense, operand));
  }
  strided.x_strides[0] *= 2;
  strided.x_dtype = strided.w_dtype = strided.y_dtype = ATC_DTYPE_BF16;
  atc_conv_problem flat = small_problem();
  flat.input[0] = flat.kernel[0] = 1;
  flat.padding_low[0] = flat.padding_high[0] = 0;
  atc_conv_problem mixed = small_problem();
  mixed.y_dtype = ATC_DTYPE_F16;
  return {plain, line, pixel, volume, ended, leaky, transposed, strided, flat, mixed};
}

std::string described(const atc_conv_problem& problem) {
  atc_bytes* bytes = nullptr;
  EXPECT_DONE(atc_conv_problem_describe(&bytes, &problem));
  std::string text(atc_bytes_data(bytes), atc_bytes_size(bytes));
  atc_bytes_destroy(bytes);
  return text;
}

TEST(ListOfProblems, JsonCarriesEveryProblem) {
  const Problems list = empty_list();
  for (const atc_conv_problem& problem : varied())
    ASSERT_EQ(atc_problems_add(list.get(), nullptr, &problem, nullptr, 3), ATC_OK)
        << atc_last_error();
  const std::string text = json_of(list);
  const Problems read = from_json(text);
  ASSERT_EQ(size_of(read), varied().size()) << text;
  for (std::size_t i = 0; i < varied().size(); ++i) {
    atc_conv_problem seen = small_problem();
    std::uint64_t count = 0;
    ASSERT_EQ(atc_problems_get(nullptr, &seen, nullptr, &count, read.get(), i), ATC_OK);
    EXPECT_EQ(described(seen), described(varied()[i]));
    EXPECT_EQ(seen.transposed, varied()[i].transposed);
    EXPECT_EQ(seen.epilogue, varied()[i].epilogue);
    EXPECT_EQ(seen.activation, varied()[i].activation);
    EXPECT_EQ(count, 3u);
  }
  EXPECT_EQ(json_of(read), text);
  EXPECT_THAT(text, testing::Not(HasSubstr("\"relu\":"))) << "the command line has no such member";
}

TEST(ListOfProblems, NotedProblemsAreThoseOfTheirCallers) {
  for (const atc_conv_problem& problem : varied()) {
    if (problem.accumulate != 0 || problem.y_dtype != problem.x_dtype) continue;
    EXPECT_DONE(atc_problems_forget_noted());
    const atc_conv_options options = later();
    atc_conv_plan* plan = nullptr;
    ASSERT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, &options), ATC_OK) << atc_last_error();
    const std::int32_t source = source_of(plan);
    atc_conv_plan_destroy(plan);
    // Only the reference can run this problem, so there is nothing to tune.
    if (source == ATC_SOURCE_REFERENCE) continue;
    const Problems list = noted();
    ASSERT_EQ(size_of(list), 1u);
    atc_conv_problem seen = small_problem();
    ASSERT_EQ(atc_problems_get(nullptr, &seen, nullptr, nullptr, list.get(), 0), ATC_OK);
    EXPECT_EQ(described(seen), described(problem));
    EXPECT_EQ(seen.transposed, problem.transposed);
    EXPECT_EQ(seen.direction, problem.direction);
    EXPECT_EQ(seen.output_padding[0], problem.output_padding[0]);
  }
  EXPECT_DONE(atc_problems_forget_noted());
}

TEST(ListOfProblems, EqualProblemsAreOneAndTheirCallsAreAdded) {
  const Problems list = empty_list();
  const atc_conv_problem problem = small_problem();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  EXPECT_DONE(atc_problems_add(list.get(), nullptr, &problem, nullptr, 2));
  EXPECT_DONE(atc_problems_add(list.get(), nullptr, &problem, &options, 5));
  EXPECT_EQ(size_of(list), 1u);
  std::uint64_t count = 0;
  EXPECT_DONE(atc_problems_get(nullptr, nullptr, nullptr, &count, list.get(), 0));
  EXPECT_EQ(count, 7u);
  options.deterministic = ATC_ON;
  EXPECT_DONE(atc_problems_add(list.get(), nullptr, &problem, &options, 1));
  EXPECT_DONE(atc_problems_add(list.get(), &kCpu, &problem, &options, 1));
  EXPECT_EQ(size_of(list), 3u);
}

TEST(ListOfProblems, OptionsAndDevicesGoThroughJson) {
  const Problems list = empty_list();
  const atc_conv_problem problem = small_problem();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.deterministic = ATC_ON;
  options.allow_tf32 = ATC_OFF;
  options.constant_weights = ATC_ON;
  options.workspace_limit = ATC_NONE;
  options.alignment = 8;
  options.use_store = ATC_OFF;
  const atc_device cuda = {ATC_DEVICE_CUDA, 3};
  EXPECT_DONE(atc_problems_add(list.get(), &cuda, &problem, &options, 1));
  const std::string text = json_of(list);
  EXPECT_THAT(text, AllOf(HasSubstr(R"("schema": "atc-tune")"), HasSubstr(R"("device":"cuda:3")"),
                          HasSubstr(R"("deterministic":true)"), HasSubstr(R"("allow_tf32":false)"),
                          HasSubstr(R"("constant_weights":true)")));
  const Problems read = from_json(text);
  atc_device device{};
  atc_conv_options terms = ATC_CONV_OPTIONS_INIT;
  ASSERT_EQ(atc_problems_get(&device, nullptr, &terms, nullptr, read.get(), 0), ATC_OK);
  EXPECT_EQ(device.type, ATC_DEVICE_CUDA);
  EXPECT_EQ(device.index, -1) << "another process counts its devices in another order";
  EXPECT_EQ(terms.deterministic, ATC_ON);
  EXPECT_EQ(terms.allow_tf32, ATC_OFF);
  EXPECT_EQ(terms.constant_weights, ATC_ON);
  EXPECT_EQ(terms.workspace_limit, ATC_NONE);
  EXPECT_EQ(terms.alignment, 8u);
  EXPECT_EQ(terms.use_store, ATC_OFF);

  atc_tune_options how = measuring(read);
  EXPECT_EQ(atc_tune(nullptr, kCpu, nullptr, 0, &how, nullptr, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), AllOf(HasSubstr("cuda"), HasSubstr("pass a CUDA device")));
}

TEST(ListOfProblems, ARecordingIsTunedWithAnArrayInFrontOfIt) {
  const Problems list = from_json(
      R"({"schema": "atc-tune", "version": 1, "atc": "0.1.0", "problems": [
        {"name":"conv_1","count":12,"original":"no_such_engine","op":"forward","dtype":"f32",
         "layout":"channels-first","columns":{"N":1,"C":3,"H":9,"W":9,"K":2,"R":3,"S":3}}]})");
  const atc_conv_problem first = small_problem();
  const atc_tune_options how = measuring(list);
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, kCpu, &first, 1, &how, nullptr, nullptr));
  const Report held(report);
  const auto rows = rows_of(held);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(std::string(rows[0].description), described(first));
  EXPECT_THAT(rows[1].description, HasSubstr("1x3x9x9"));
  EXPECT_EQ(rows[1].status, ATC_OK) << rows[1].why;
}

struct BadText {
  const char* name;
  // The JSON text of one problem, which is inserted into a list. If it begins with '=', the rest of
  // the text is the whole list.
  const char* text;
  std::vector<const char*> words;
};

class BadList : public testing::TestWithParam<BadText> {};

TEST_P(BadList, IsRefusedByNameAndNothingIsAdded) {
  const std::string good = R"({"name":"a","columns":{"N":1,"C":2,"H":8,"W":8,"K":4,"R":3,"S":3}})";
  const std::string given = GetParam().text;
  const std::string text = given[0] == '=' ? given.substr(1)
                                           : R"({"schema":"atc-tune","version":1,"problems":[)" +
                                                 good + "," + given + "]}";
  const Problems list = empty_list();
  EXPECT_EQ(atc_problems_add_json(list.get(), text.data(), text.size()), ATC_ERROR_INVALID_ARGUMENT)
      << text;
  for (const char* words : GetParam().words) EXPECT_THAT(atc_last_error(), HasSubstr(words));
  EXPECT_EQ(size_of(list), 0u);
}

#define COLUMNS(more) R"("columns":{"N":1,"C":2,"H":8,"W":8,"K":4,"R":3,"S":3)" more "}"

INSTANTIATE_TEST_SUITE_P(
    All, BadList,
    testing::Values(
        BadText{"no_json", "={", {"is not JSON", "ATC_RECORD"}},
        BadText{"no_object", "=[]", {"\"schema\"", "atc-tune"}},
        BadText{"schema", R"(={"schema":"other","version":1,"problems":[]})", {"atc-tune"}},
        BadText{"version",
                R"(={"schema":"atc-tune","version":7,"problems":[]})",
                {"version 7", "version 1"}},
        BadText{"no_list", R"(={"schema":"atc-tune","version":1})", {"\"problems\""}},
        BadText{"row", "3", {"problems[1]", "no object"}},
        BadText{"no_columns", "{}", {"problems[1].columns", "missing"}},
        BadText{"column",
                R"({"columns":{"N":1,"C":2,"H":8,"W":8,"K":4,"R":3}})",
                {"problems[1].columns.S", "missing"}},
        BadText{"number",
                "{" COLUMNS(R"(,"groups":"two")") "}",
                {"columns.groups", "\"two\"", "whole number"}},
        BadText{"fraction", "{" COLUMNS(R"(,"strideW":1.5)") "}", {"strideW", "1.5"}},
        BadText{"huge",
                "{" COLUMNS(R"(,"padW":18446744073709551615)") "}",
                {"padW", "18446744073709551615"}},
        BadText{"activation",
                "{" COLUMNS(R"(,"activation":"mish")") "}",
                {"activation is \"mish\"", "hard-swish"}},
        BadText{"slope",
                "{" COLUMNS(R"(,"activation":"leaky-relu","activationSlope":1e300)") "}",
                {"activationSlope", "range of fp32"}},
        BadText{"unknown", "{" COLUMNS(R"(,"padX":1)") "}", {"\"padX\"", "does not know"}},
        BadText{"dims", "{" COLUMNS(R"(,"dims":4)") "}", {"dims is 4"}},
        BadText{
            "value", "{" COLUMNS(R"(,"groups":3)") "}", {"problems[1]", "in_channels is 2", "3"}},
        BadText{
            "op", "{\"op\":\"sideways\"," COLUMNS("") "}", {"op is \"sideways\"", "backward-data"}},
        BadText{"dtype", "{\"dtype\":\"f8\"," COLUMNS("") "}", {"dtype is \"f8\"", "bf16"}},
        BadText{"layout", "{\"layout\":7," COLUMNS("") "}", {"layout is 7", "channels-last"}},
        BadText{"strides",
                "{\"layout\":{\"x\":[1],\"w\":[1],\"y\":[1]}," COLUMNS("") "}",
                {"layout.x", "4 whole numbers"}},
        BadText{"bias", "{\"bias\":1," COLUMNS("") "}", {"bias is 1", "true or false"}},
        BadText{"count", "{\"count\":-1," COLUMNS("") "}", {"count is -1"}},
        BadText{"device", "{\"device\":\"gpu\"," COLUMNS("") "}", {"device is \"gpu\"", "cuda:0"}},
        BadText{"terms", "{\"terms\":[]," COLUMNS("") "}", {"terms is no object"}},
        BadText{"term",
                "{\"terms\":{\"quick\":true}," COLUMNS("") "}",
                {"terms has the member \"quick\""}},
        BadText{"alignment",
                "{\"terms\":{\"alignment\":24}," COLUMNS("") "}",
                {"alignment is 24", "power of 2"}},
        BadText{"workspace",
                "{\"terms\":{\"workspace_limit\":-5}," COLUMNS("") "}",
                {"workspace_limit is -5"}},
        BadText{"switch_of_terms",
                "{\"terms\":{\"deterministic\":2}," COLUMNS("") "}",
                {"deterministic is 2"}}),
    [](const auto& info) { return std::string(info.param.name); });

TEST(ListOfProblems, BadProblemsAndOptionsAreNamed) {
  const Problems list = empty_list();
  atc_conv_problem problem = small_problem();
  problem.batch = -2;
  EXPECT_EQ(atc_problems_add(list.get(), nullptr, &problem, nullptr, 1),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("batch is -2"));
  problem = small_problem();
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.deterministic = 9;
  EXPECT_EQ(atc_problems_add(list.get(), nullptr, &problem, &options, 1),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("deterministic is 9"));
  const atc_device nowhere = {5, 0};
  EXPECT_EQ(atc_problems_add(list.get(), &nowhere, &problem, nullptr, 1),
            ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), HasSubstr("device.type is 5"));
  EXPECT_EQ(size_of(list), 0u);
}

}  // namespace
