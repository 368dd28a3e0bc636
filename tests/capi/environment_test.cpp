// Tests the environment variables of atc. A process reads them once, when the first of them is
// needed. Settings that a call makes have precedence over variables, and variables have precedence
// over defaults. Each case runs in a child process, because a process reads the environment once.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;

struct Lines {
  std::vector<std::string> lines;
  static void take(void* user, std::int32_t, const char* line) {
    static_cast<Lines*>(user)->lines.emplace_back(line);
  }
  atc_status use() { return atc_test::use_log_sink(take, this); }
};

class Environment : public testing::Test {
 protected:
  Environment() {
    for (const char* name : {"ATC_BENCHMARK", "ATC_DETERMINISTIC", "ATC_STORE", "ATC_MODE",
                             "ATC_PINS", "ATC_LOG", "ATC_LIBRARY_PATH"})
      unsetenv(name);
  }

  // Runs `check` in a child process. The parent process must not call atc before, because atc would
  // then read the environment in the parent.
  static void in_child(const std::function<void()>& check) {
    EXPECT_EXIT(
        {
          // A death test only captures standard error, so standard output is redirected to standard
          // error.
          dup2(2, 1);
          check();
          _exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
  }

  const atc::test::TempFolder scratch_;
};

std::int32_t benchmark() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_get_benchmark_cudnn(&out));
  return out;
}
std::int32_t deterministic() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_get_deterministic_cudnn(&out));
  return out;
}
std::int32_t level() {
  std::int32_t out = -1;
  EXPECT_DONE(atc_log_level_get(&out));
  return out;
}
std::string path() {
  const char* out = nullptr;
  EXPECT_DONE(atc_get_library_path(&out));
  return out;
}
// Returns the mode of the store in use, or 0 if there is none.
std::int32_t mode() {
  atc_store* store = nullptr;
  EXPECT_DONE(atc_store_in_use(&store));
  if (store == nullptr) return 0;
  atc_store_info info{};
  info.struct_size = sizeof(info);
  EXPECT_DONE(atc_store_describe(&info, store));
  atc_store_close(store);
  return info.mode;
}

TEST_F(Environment, SetsTheSwitchesOfAnUnchangedProgram) {
  setenv("ATC_BENCHMARK", "1", 1);
  setenv("ATC_DETERMINISTIC", "1", 1);
  setenv("ATC_LOG", "debug", 1);
  setenv("ATC_LIBRARY_PATH", "/opt/one:/opt/two", 1);
  in_child([] {
    EXPECT_EQ(benchmark(), 1);
    EXPECT_EQ(deterministic(), 1);
    EXPECT_EQ(level(), ATC_LOG_DEBUG);
    EXPECT_EQ(path(), "/opt/one:/opt/two");
  });
  setenv("ATC_BENCHMARK", "0", 1);
  setenv("ATC_DETERMINISTIC", "", 1);
  in_child([] {
    EXPECT_EQ(benchmark(), 0);
    EXPECT_EQ(deterministic(), 0);
  });
}

TEST_F(Environment, IsReadOnce) {
  in_child([] {
    EXPECT_EQ(benchmark(), 0);
    setenv("ATC_BENCHMARK", "1", 1);
    EXPECT_EQ(benchmark(), 0);
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(benchmark(), 1);
  });
}

TEST_F(Environment, AnExplicitCallOutranksItWheneverItCame) {
  setenv("ATC_BENCHMARK", "1", 1);
  setenv("ATC_LOG", "info", 1);
  setenv("ATC_LIBRARY_PATH", "/opt/one", 1);
  in_child([] {
    // These calls set values before anything has read the environment. The values must nevertheless
    // have precedence over the environment variables.
    EXPECT_DONE(atc_set_benchmark_cudnn(0));
    EXPECT_DONE(atc_log_level_set(ATC_LOG_OFF));
    EXPECT_DONE(atc_set_library_path("/opt/two"));
    EXPECT_EQ(benchmark(), 0);
    EXPECT_EQ(level(), ATC_LOG_OFF);
    EXPECT_EQ(path(), "/opt/two");
    // atc_settings_from_env() reads the environment again and overrides earlier calls.
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(benchmark(), 1);
    EXPECT_EQ(level(), ATC_LOG_INFO);
    EXPECT_EQ(path(), "/opt/one");
  });
}

TEST_F(Environment, AMalformedValueIsIgnoredWithOneLine) {
  setenv("ATC_BENCHMARK", "yes", 1);
  setenv("ATC_DETERMINISTIC", "1", 1);
  in_child([] {
    Lines lines;
    EXPECT_DONE(lines.use());
    EXPECT_EQ(benchmark(), 0);
    EXPECT_EQ(deterministic(), 1);
    EXPECT_EQ(benchmark(), 0);
    EXPECT_THAT(lines.lines, testing::ElementsAre(testing::HasSubstr("ATC_BENCHMARK=yes")));
    EXPECT_DONE(atc_log_sink_set(nullptr));
  });
  unsetenv("ATC_BENCHMARK");
  unsetenv("ATC_DETERMINISTIC");
  setenv("ATC_LOG", "loud", 1);
  in_child([] {
    Lines lines;
    EXPECT_DONE(lines.use());
    EXPECT_EQ(level(), ATC_LOG_WARNING);
    EXPECT_EQ(level(), ATC_LOG_WARNING);
    EXPECT_THAT(lines.lines, testing::ElementsAre(testing::HasSubstr("ATC_LOG=loud")));
    EXPECT_DONE(atc_log_sink_set(nullptr));
  });
}

// A user who sets ATC_DETERMINISTIC wants reproducible bits. So a malformed value of the variable
// turns determinism on, and one warning is logged.
TEST_F(Environment, AMalformedDeterminismIsOnWithOneLine) {
  for (const char* value : {"yes", "true", "off", "2"}) {
    setenv("ATC_DETERMINISTIC", value, 1);
    in_child([value] {
      Lines lines;
      EXPECT_DONE(lines.use());
      EXPECT_EQ(deterministic(), 1);
      EXPECT_EQ(benchmark(), 0);
      EXPECT_THAT(lines.lines, testing::ElementsAre(testing::AllOf(
                                   testing::HasSubstr(std::string("ATC_DETERMINISTIC=") + value),
                                   testing::HasSubstr("use 0 or 1"),
                                   testing::HasSubstr("deterministic_cudnn is 1"))));
      EXPECT_DONE(atc_set_deterministic_cudnn(0));
      EXPECT_EQ(deterministic(), 0);
      EXPECT_DONE(atc_log_sink_set(nullptr));
    });
  }
}

// Makes one decision. Returns the text that the decision writes to standard error. During the
// decision, standard error is redirected to `file`.
std::string said_by_a_decision(const fs::path& file) {
  const int before = dup(2);
  const int instead = open(file.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
  dup2(instead, 2);
  close(instead);
  atc_conv_plan* plan = nullptr;
  const atc_conv_problem problem = atc_test::small_problem();
  const atc_status status = atc_conv_plan_create(&plan, atc_test::kCpu, &problem, nullptr);
  dup2(before, 2);
  close(before);
  EXPECT_DONE(status);
  atc_conv_plan_destroy(plan);
  std::stringstream said;
  said << std::ifstream(file).rdbuf();
  return said.str();
}

TEST_F(Environment, ADecisionIsOneLineOnStandardErrorAtInfo) {
  setenv("ATC_LOG", "info", 1);
  in_child([&] {
    EXPECT_THAT(said_by_a_decision(scratch_ / "said"),
                testing::MatchesRegex("atc: decided forward [^\n]*\n"));
    setenv("ATC_LOG", "warning", 1);
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(said_by_a_decision(scratch_ / "said"), "");
  });
}

TEST_F(Environment, StandardErrorGetsJsonWhereItIsAskedFor) {
  setenv("ATC_LOG", "info,json", 1);
  in_child([&] {
    EXPECT_EQ(level(), ATC_LOG_INFO);
    EXPECT_THAT(said_by_a_decision(scratch_ / "said"),
                testing::MatchesRegex("\\{\"time\":[^\n]*\"event\":\"decision\"[^\n]*\\}\n"));
    // The log sink gets plain text. ATC_LOG sets only the format of standard error, and the sink
    // has a format of its own.
    Lines lines;
    EXPECT_DONE(lines.use());
    EXPECT_EQ(said_by_a_decision(scratch_ / "said"), "");
    EXPECT_THAT(lines.lines, testing::ElementsAre(testing::StartsWith("decided forward")));
    EXPECT_DONE(atc_log_sink_set(nullptr));
    setenv("ATC_LOG", "info", 1);
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_THAT(said_by_a_decision(scratch_ / "said"), testing::StartsWith("atc: decided forward"));
  });
  for (const char* wrong : {"json", "info,", "info,text", "info,JSON", ",json", "info, json"}) {
    setenv("ATC_LOG", wrong, 1);
    in_child([wrong] {
      EXPECT_REFUSED(atc_settings_from_env(), ATC_ERROR_INVALID_ARGUMENT, "ATC_LOG", wrong);
    });
  }
}

TEST_F(Environment, RereadingAMalformedValueChangesNothing) {
  const struct {
    const char *name, *value;
  } cases[] = {
      {"ATC_BENCHMARK", "2"},      {"ATC_DETERMINISTIC", "on"}, {"ATC_LOG", "6"},
      {"ATC_MODE", "rw"},          {"ATC_EXPECTED_CALLS", "0"}, {"ATC_EXPECTED_CALLS", "nan"},
      {"ATC_EXPECTED_CALLS", "-3"}};
  for (const auto& [name, value] : cases) {
    in_child([&, name = name, value = value] {
      // The settings must be the same before and after the refused atc_settings_from_env(), because
      // all variables are checked before the first one is applied.
      EXPECT_EQ(benchmark(), 0);
      EXPECT_EQ(level(), ATC_LOG_WARNING);
      EXPECT_EQ(path(), "");
      EXPECT_EQ(mode(), 0);
      setenv("ATC_BENCHMARK", "1", 1);
      setenv("ATC_DETERMINISTIC", "1", 1);
      setenv("ATC_LOG", "debug", 1);
      setenv("ATC_LIBRARY_PATH", "/opt/one", 1);
      setenv("ATC_STORE", (scratch_ / "store").c_str(), 1);
      setenv(name, value, 1);
      EXPECT_REFUSED(atc_settings_from_env(), ATC_ERROR_INVALID_ARGUMENT, name, value);
      EXPECT_EQ(benchmark(), 0);
      EXPECT_EQ(deterministic(), 0);
      EXPECT_EQ(level(), ATC_LOG_WARNING);
      EXPECT_EQ(path(), "");
      EXPECT_EQ(mode(), 0);
    });
  }
}

TEST_F(Environment, NamesTheStoreAndItsMode) {
  const std::pair<const char*, std::int32_t> modes[] = {{"", ATC_STORE_READ_WRITE},
                                                        {"off", ATC_STORE_OFF},
                                                        {"read-write", ATC_STORE_READ_WRITE},
                                                        {"read", ATC_STORE_READ},
                                                        {"replay-only", ATC_STORE_REPLAY_ONLY}};
  setenv("ATC_STORE", (scratch_ / "store").c_str(), 1);
  for (const auto& [name, expected] : modes) {
    setenv("ATC_MODE", name, 1);
    in_child([expected = expected] { EXPECT_EQ(mode(), expected); });
  }
}

TEST_F(Environment, WithoutAStoreNothingIsWritten) {
  in_child([] { EXPECT_EQ(mode(), 0); });
  EXPECT_TRUE(fs::is_empty(scratch_.path()));
}

TEST_F(Environment, AnUnusableStoreIsOneLineAtFirstNeedAndAnErrorWhenReread) {
  std::ofstream(scratch_ / "file") << "in the way";
  setenv("ATC_STORE", (scratch_ / "file").c_str(), 1);
  in_child([&] {
    Lines lines;
    EXPECT_DONE(lines.use());
    EXPECT_EQ(benchmark(), 0);
    EXPECT_EQ(mode(), 0);
    EXPECT_EQ(mode(), 0);
    EXPECT_EQ(lines.lines.size(), 1U);
    setenv("ATC_BENCHMARK", "1", 1);
    EXPECT_REFUSED(atc_settings_from_env(), ATC_ERROR_IO, (scratch_ / "file").c_str());
    EXPECT_EQ(benchmark(), 0);
    setenv("ATC_STORE", (scratch_ / "good").c_str(), 1);
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(mode(), ATC_STORE_READ_WRITE);
    EXPECT_EQ(benchmark(), 1);
    EXPECT_DONE(atc_log_sink_set(nullptr));
  });
}

TEST_F(Environment, RereadingReplayOnlyWithoutAStoreIsAnErrorAndChangesNothing) {
  in_child([&] {
    setenv("ATC_STORE", (scratch_ / "store").c_str(), 1);
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(mode(), ATC_STORE_READ_WRITE);
    unsetenv("ATC_STORE");
    setenv("ATC_MODE", "replay-only", 1);
    setenv("ATC_BENCHMARK", "1", 1);
    EXPECT_REFUSED(atc_settings_from_env(), ATC_ERROR_IO, "ATC_STORE", "ATC_MODE");
    EXPECT_EQ(benchmark(), 0);
    EXPECT_EQ(mode(), ATC_STORE_READ_WRITE);
  });
}

// Expects that each call that needs a decision fails with an error that contains `variable` and
// `way_out`. Queries and setters must succeed.
void expect_no_decision(const std::string& variable, const std::string& way_out) {
  const atc_conv_problem problem = atc_test::small_problem();
  atc_conv_options tuned = ATC_CONV_OPTIONS_INIT;
  tuned.tune = ATC_ON;
  for (const atc_conv_options* options : {static_cast<const atc_conv_options*>(nullptr),
                                          static_cast<const atc_conv_options*>(&tuned)}) {
    atc_conv_plan* plan = nullptr;
    EXPECT_REFUSED(atc_conv_plan_create(&plan, atc_test::kCpu, &problem, options),
                   ATC_ERROR_NOT_TUNED, variable, way_out);
    EXPECT_REFUSED(atc_conv_plan_acquire(&plan, atc_test::kCpu, &problem, options, nullptr),
                   ATC_ERROR_NOT_TUNED, variable, way_out);
  }
  const atc_test::Operand x(problem, ATC_OPERAND_X, 1), w(problem, ATC_OPERAND_W, 2),
      y(problem, ATC_OPERAND_Y, 3);
  EXPECT_REFUSED(atc_convolution(&problem, &x.view, &w.view, nullptr, &y.view, nullptr),
                 ATC_ERROR_NOT_TUNED, variable, way_out);
  atc_tune_options budget = ATC_TUNE_OPTIONS_INIT;
  budget.problem_budget_seconds = 0.01;
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, atc_test::kCpu, &problem, 1, &budget, nullptr, nullptr));
  atc_tuned_problem told = ATC_TUNED_PROBLEM_INIT;
  EXPECT_DONE(atc_tune_report_problem(&told, report, 0));
  EXPECT_EQ(told.status, ATC_ERROR_NOT_TUNED);
  EXPECT_THAT(told.why, testing::AllOf(testing::HasSubstr(variable), testing::HasSubstr(way_out)));
  atc_tune_report_destroy(report);

  EXPECT_DONE(atc_set_benchmark_cudnn(1));
  EXPECT_EQ(benchmark(), 1);
  EXPECT_DONE(atc_set_reproducible(nullptr, 1));
  EXPECT_EQ(mode(), ATC_STORE_REPLAY_ONLY);
  std::int32_t available = 0;
  EXPECT_DONE(atc_cuda_is_available(&available));
  atc_explanation* explanation = nullptr;
  EXPECT_DONE(atc_conv_explain(&explanation, atc_test::kCpu, &problem, nullptr));
  atc_explanation_destroy(explanation);
}

TEST_F(Environment, NothingIsDecidedWhereTheStoreToReplayCannotBe) {
  setenv("ATC_MODE", "replay-only", 1);
  const std::string absent = scratch_ / "absent";
  for (const std::string& place : {absent, std::string()}) {
    setenv("ATC_STORE", place.c_str(), 1);
    in_child([&] {
      expect_no_decision(place.empty() ? "ATC_MODE=replay-only" : place, "unset ATC_MODE");
    });
  }
  EXPECT_FALSE(fs::exists(absent));
}

TEST_F(Environment, NothingIsDecidedInAMalformedMode) {
  for (const std::string& place : {(scratch_ / "store").string(), std::string()}) {
    setenv("ATC_STORE", place.c_str(), 1);
    setenv("ATC_MODE", "replayonly", 1);
    in_child([&] { expect_no_decision("ATC_MODE=replayonly", "unset ATC_MODE"); });
  }
  EXPECT_FALSE(fs::exists(scratch_ / "store"));
}

// The test uses three things that have precedence over the store of the environment: a store that a
// call has put into use, a store of the call's own, and a given choice. With each of them a
// malformed ATC_MODE must not matter.
TEST_F(Environment, ACallThatOutranksAMalformedModeDecides) {
  setenv("ATC_MODE", "replayonly", 1);
  in_child([&] {
    const atc_conv_problem problem = atc_test::small_problem();
    atc_conv_plan* plan = nullptr;
    atc_conv_options options = ATC_CONV_OPTIONS_INIT;
    options.use_store = ATC_OFF;
    EXPECT_DONE(atc_conv_plan_create(&plan, atc_test::kCpu, &problem, &options));
    const char* choice = nullptr;
    EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
    atc_conv_options given = ATC_CONV_OPTIONS_INIT;
    given.choice = choice;
    atc_conv_plan* same = nullptr;
    EXPECT_DONE(atc_conv_plan_create(&same, atc_test::kCpu, &problem, &given));
    atc_conv_plan_destroy(same);
    atc_conv_plan_destroy(plan);
    EXPECT_DONE(atc_store_use(nullptr));
    EXPECT_DONE(atc_conv_plan_create(&plan, atc_test::kCpu, &problem, nullptr));
    atc_conv_plan_destroy(plan);
  });
}

TEST_F(Environment, AMisspeltNameIsOneLineAtTheFirstCall) {
  setenv("ATC_STROE", (scratch_ / "store").c_str(), 1);
  in_child([] {
    Lines lines;
    EXPECT_DONE(lines.use());
    EXPECT_EQ(mode(), 0);
    EXPECT_EQ(benchmark(), 0);
    EXPECT_EQ(benchmark(), 0);
    EXPECT_THAT(lines.lines,
                testing::ElementsAre(testing::AllOf(testing::HasSubstr("ATC_STROE"),
                                                    testing::HasSubstr("mean ATC_STORE?"))));
    EXPECT_DONE(atc_log_sink_set(nullptr));
  });
  unsetenv("ATC_STROE");
}

// Relative paths in variables are relative to the folder in which the program was started. So the
// test changes the folder before the first call of atc.
TEST_F(Environment, RelativePathsAreThoseOfTheStart) {
  const atc::test::TempFolder here(".");
  std::ofstream(here / "pins.json") << R"({"schema": 1, "pins": []})";
  setenv("ATC_STORE", (here / "store").c_str(), 1);
  setenv("ATC_PINS", (here / "pins.json").c_str(), 1);
  setenv("ATC_LIBRARY_PATH", "one:/two", 1);
  const std::string folders = (fs::current_path() / "one").string() + ":/two";
  in_child([&] {
    EXPECT_EQ(chdir("/"), 0);
    EXPECT_EQ(mode(), ATC_STORE_READ_WRITE);
    EXPECT_EQ(path(), folders);
    const char* pins = nullptr;
    EXPECT_DONE(atc_get_pins(&pins));
    EXPECT_EQ(pins, here / "pins.json");
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(path(), folders);
  });
  EXPECT_TRUE(fs::is_directory(here / "store"));
}

// If ATC_STORE is not set, reading the environment again does not change which store is in use.
TEST_F(Environment, RereadingWithoutAStoreLeavesTheOneInUse) {
  in_child([&] {
    atc_store* store = nullptr;
    EXPECT_DONE(atc_store_open(&store, (scratch_ / "mine").c_str(), ATC_STORE_READ_WRITE));
    EXPECT_DONE(atc_store_use(store));
    atc_store_close(store);
    EXPECT_DONE(atc_settings_from_env());
    EXPECT_EQ(mode(), ATC_STORE_READ_WRITE);
    atc_reproducible_report report{};
    report.struct_size = sizeof(report);
    EXPECT_DONE(atc_set_reproducible(&report, 1));
    EXPECT_NE(report.missing & ATC_REPRODUCIBLE_OPEN_SELECTION, 0U);
    EXPECT_DONE(atc_store_use(nullptr));
    EXPECT_DONE(atc_set_reproducible(&report, 1));
    EXPECT_EQ(report.missing & ATC_REPRODUCIBLE_OPEN_SELECTION, 0U);
  });
}

// A value from the environment counts as a value that the user has set. So the value is written to
// a settings source (callbacks by which a program keeps the values of the switches) that is set
// later.
TEST_F(Environment, AValueFromItIsWrittenToASettingsSource) {
  setenv("ATC_BENCHMARK", "1", 1);
  in_child([] {
    static std::int64_t benchmark_there = 0;
    atc_settings_source source{};
    source.struct_size = sizeof(source);
    source.get = [](std::int64_t* out, void*, std::int32_t setting) -> atc_status {
      if (setting != ATC_SETTING_BENCHMARK_CUDNN) return ATC_ERROR_UNSUPPORTED;
      *out = benchmark_there;
      return ATC_OK;
    };
    source.set = [](void*, std::int32_t setting, std::int64_t value) -> atc_status {
      if (setting != ATC_SETTING_BENCHMARK_CUDNN) return ATC_ERROR_UNSUPPORTED;
      benchmark_there = value;
      return ATC_OK;
    };
    EXPECT_DONE(atc_settings_source_set(&source));
    EXPECT_EQ(benchmark_there, 1);
  });
}

}  // namespace
