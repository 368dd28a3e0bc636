// Tests the variable ATC_TRACE, which starts a trace and names its file. Each case runs in a child
// process, because a process reads the variable once. The parent process calls no function of atc.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "conv_call.hpp"
#include "support/temp_folder.hpp"
#include "trace_calls.hpp"

namespace {

using namespace atc_test;
namespace fs = std::filesystem;

class TraceVariable : public testing::Test {
 protected:
  void set(const std::string& file) { setenv("ATC_TRACE", file.c_str(), 1); }
  static void run_and_exit() {
    Call call(small_problem());
    for (int i = 0; i < 6; ++i) EXPECT_DONE(call.eager());
    std::exit(testing::Test::HasFailure() ? 1 : 0);
  }
  std::vector<fs::path> files() const {
    std::vector<fs::path> found;
    for (const auto& file : fs::directory_iterator(folder_.path())) found.push_back(file.path());
    return found;
  }

  const atc::test::TempFolder folder_;
};

TEST_F(TraceVariable, TracesTheProcessUntilItExits) {
  set((folder_ / "t.%p.txt").string());
  EXPECT_EXIT(run_and_exit(), testing::ExitedWithCode(0), "");
  ASSERT_EQ(files().size(), 1u);
  EXPECT_NE(files()[0].filename(), "t.%p.txt");
  EXPECT_NE(files()[0].filename(), "t." + std::to_string(getpid()) + ".txt");
  EXPECT_THAT(contents(files()[0]), testing::HasSubstr("Calls of convolutions: 6 in"));
}

TEST_F(TraceVariable, IsAFileOfTheFolderOfTheStart) {
  const atc::test::TempFolder here(".");
  set((here / "t%%.txt").string());
  const auto check = [] {
    EXPECT_EQ(chdir("/"), 0);
    run_and_exit();
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(fs::exists(here / "t%.txt"));
}

// If a trace was started by a call, its file is written when the trace is stopped. A relative path
// is relative to the folder in which the process was when the trace was started.
TEST_F(TraceVariable, OfACallIsAFileOfTheFolderOfTheCall) {
  unsetenv("ATC_TRACE");
  const auto check = [&] {
    EXPECT_EQ(chdir(folder_.c_str()), 0);
    atc_trace_options options = ATC_TRACE_OPTIONS_INIT;
    options.file = "t.txt";
    EXPECT_DONE(atc_trace_start(&options));
    EXPECT_EQ(chdir("/"), 0);
    run_and_exit();
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
  EXPECT_TRUE(fs::exists(folder_ / "t.txt"));
}

TEST_F(TraceVariable, IsStoppedByACall) {
  set((folder_ / "t.txt").string());
  const auto check = [] {
    Call call(small_problem());
    EXPECT_DONE(call.eager());
    EXPECT_REFUSED(atc_trace_start(nullptr), ATC_ERROR_BUSY, "ATC_TRACE");
    EXPECT_EQ(calls_of(stop()), 1u);
    run_and_exit();
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
  ASSERT_EQ(files().size(), 1u);
  EXPECT_THAT(contents(files()[0]), testing::HasSubstr("Calls of convolutions: 1 in"));
}

TEST_F(TraceVariable, IsIgnoredWithOneLineWhereItIsMalformed) {
  set((folder_ / "%x").string());
  EXPECT_EXIT(run_and_exit(), testing::ExitedWithCode(0), "^atc: ATC_TRACE is ignored: .*%x.*\n$");
  EXPECT_TRUE(files().empty());
}

TEST_F(TraceVariable, DoesNotTraceForks) {
  set((folder_ / "t.%p.txt").string());
  const auto check = [] {
    Call call(small_problem());
    for (int i = 0; i < 2; ++i) EXPECT_DONE(call.eager());
    const pid_t child = fork();
    if (child == 0) {
      EXPECT_REFUSED(atc_trace_stop(nullptr), ATC_ERROR_INVALID_ARGUMENT, "no trace runs");
      EXPECT_DONE(atc_trace_start(nullptr));
      EXPECT_DONE(call.eager());
      EXPECT_EQ(calls_of(stop()), 1u);
      run_and_exit();
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    run_and_exit();
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "");
  ASSERT_EQ(files().size(), 1u);
  EXPECT_THAT(contents(files()[0]), testing::HasSubstr("Calls of convolutions: 8 in"));
}

TEST_F(TraceVariable, CannotMakeAnExitFail) {
  fs::create_directory(folder_ / "gone");
  set((folder_ / "gone/t.json").string());
  const auto check = [this] {
    Call call(small_problem());
    EXPECT_DONE(call.eager());
    fs::remove(folder_ / "gone");
    run_and_exit();
  };
  EXPECT_EXIT(check(), testing::ExitedWithCode(0), "atc: a trace cannot be written to .*gone");
}

}  // namespace
