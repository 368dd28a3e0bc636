// Tests the contents of a recording of convolutions, the errors of recording, and that recording
// does not change the program's results.
#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "atc/torch.h"
#include "support/temp_folder.hpp"

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

// the exit code of a child process in which a call of the recorder was refused
constexpr int kRefused = 3;

class Recorder : public testing::Test {
 protected:
  void SetUp() override { at::manual_seed(1); }
  void TearDown() override {
    // If a test fails while it records, the recording is still running here, and is ended.
    atc_torch_record_stop(nullptr);
    EXPECT_EQ(atc_torch_uninstall(), ATC_OK);
  }
  void start() { ASSERT_EQ(atc_torch_record_start(file_.c_str()), ATC_OK) << atc_last_error(); }

  // Stops the recording and returns the rows (problems) of its file.
  Json stop() {
    std::uint64_t distinct = 0;
    EXPECT_EQ(atc_torch_record_stop(&distinct), ATC_OK) << atc_last_error();
    std::ifstream stream(file_);
    const Json document = Json::parse(stream, nullptr, false);
    EXPECT_TRUE(document.is_object());
    EXPECT_EQ(document["schema"], "atc-tune");
    EXPECT_EQ(document["version"], 1);
    EXPECT_EQ(document["atc"], atc_version_string());
    EXPECT_EQ(document["problems"].size(), distinct);
    return document["problems"];
  }

  const atc::test::TempFolder folder_;
  const fs::path file_ = folder_ / "recorded.json";
  const at::Tensor x_ = at::randn({2, 6, 12, 10}), w_ = at::randn({8, 6, 3, 3}),
                   b_ = at::randn({8});
};

TEST_F(Recorder, EachDistinctConvolutionIsARowAndIsCounted) {
  start();
  at::conv2d(x_, w_, b_, 2, 1);
  at::conv2d(x_, w_, {}, 1, {1, 0}, {1, 2});
  at::conv2d(x_, w_, b_, 2, 1);
  const Json rows = stop();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0], Json::parse(R"({"name": "conv_1", "count": 2, "constant_weights": true,
      "original": "aten", "op": "forward", "dtype": "f32", "layout": "channels-first", "bias": true,
      "columns": {"N": 2, "C": 6, "H": 12, "W": 10, "K": 8, "R": 3, "S": 3, "padH": 1, "padW": 1,
                  "strideH": 2, "strideW": 2}})"));
  EXPECT_EQ(rows[1], Json::parse(R"({"name": "conv_2", "count": 1, "constant_weights": true,
      "original": "aten", "op": "forward", "dtype": "f32", "layout": "channels-first",
      "columns": {"N": 2, "C": 6, "H": 12, "W": 10, "K": 8, "R": 3, "S": 3, "padH": 1,
                  "dilW": 2}})"));
}

TEST_F(Recorder, ATrainingStepIsThreeRows) {
  const at::Tensor x = x_.clone().requires_grad_(), w = w_.clone().requires_grad_();
  start();
  at::conv2d(x, w, {}, 1, 1).pow(2).sum().backward();
  const Json rows = stop();
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(rows[i]["columns"], rows[0]["columns"]);
    EXPECT_FALSE(rows[i].contains("constant_weights"));
  }
  EXPECT_EQ(rows[0]["op"], "forward");
  EXPECT_EQ(rows[1]["op"], "backward-data");
  EXPECT_EQ(rows[2]["op"], "backward-weight");
}

TEST_F(Recorder, LayoutsHaveANameWhereAllTensorsLieAlikeAndStridesElsewhere) {
  const auto last = at::MemoryFormat::ChannelsLast;
  const at::Tensor x = x_.contiguous(last), w = w_.contiguous(last);
  start();
  const at::Tensor alike = at::conv2d(x, w);
  const at::Tensor mixed = at::conv2d(x_.slice(3, 0, 9), w);
  const at::Tensor pointwise = at::conv2d(x, at::randn({4, 6, 1, 1}));
  const Json rows = stop();
  ASSERT_EQ(rows.size(), 3u);
  ASSERT_TRUE(alike.is_contiguous(last));
  EXPECT_EQ(rows[0]["layout"], "channels-last");
  EXPECT_EQ(rows[1]["layout"]["x"], Json({720, 120, 10, 1}));
  EXPECT_EQ(rows[1]["layout"]["w"], Json({54, 1, 18, 6}));
  EXPECT_EQ(rows[1]["layout"]["y"], Json(mixed.strides().vec()));
  // The weights of a 1x1 filter are dense both with channels first and with channels last.
  ASSERT_TRUE(pointwise.is_contiguous(last));
  EXPECT_EQ(rows[2]["layout"], "channels-last");
}

TEST_F(Recorder, WhatTheColumnsOfALayerCannotSayIsAdded) {
  start();
  at::conv_transpose2d(x_, at::randn({6, 4, 3, 3}), {}, 2, 1, {1, 0}, 2);
  at::conv1d(at::randn({1, 4, 15}), at::randn({2, 2, 3}), {}, {1}, at::IntArrayRef(0), {1}, 2);
  at::conv1d(at::randn({3, 4, 1}), at::randn({2, 4, 1}));
  at::conv2d(at::randn({1, 4, 1, 15}), at::randn({2, 4, 1, 3}));
  at::conv3d(at::randn({1, 2, 4, 5, 6}), at::randn({3, 2, 1, 2, 3}));
  const Json rows = stop();
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0]["columns"],
            Json::parse(R"({"N": 2, "C": 6, "H": 12, "W": 10, "K": 8, "R": 3, "S": 3, "padH": 1,
                            "padW": 1, "strideH": 2, "strideW": 2, "groups": 2,
                            "transposed": true, "outpadH": 1})"));
  EXPECT_EQ(rows[1]["columns"],
            Json::parse(R"({"N": 1, "C": 4, "H": 1, "W": 15, "K": 2, "R": 1, "S": 3,
                            "groups": 2})"));
  EXPECT_EQ(rows[2]["columns"],
            Json::parse(R"({"N": 3, "C": 4, "H": 1, "W": 1, "K": 2, "R": 1, "S": 1, "dims": 1})"));
  EXPECT_EQ(rows[3]["columns"],
            Json::parse(R"({"N": 1, "C": 4, "H": 1, "W": 15, "K": 2, "R": 1, "S": 3, "dims": 2})"));
  EXPECT_EQ(rows[4]["columns"],
            Json::parse(R"({"N": 1, "C": 2, "D": 4, "H": 5, "W": 6, "K": 3, "T": 1, "R": 2,
                            "S": 3})"));
}

// Records the calls, and returns whether their row says that the weights were constant.
template <typename Calls>
bool says_constant(const char* file, Calls&& calls) {
  EXPECT_EQ(atc_torch_record_start(file), ATC_OK) << atc_last_error();
  calls();
  EXPECT_EQ(atc_torch_record_stop(nullptr), ATC_OK) << atc_last_error();
  std::ifstream stream(file);
  const Json rows = Json::parse(stream)["problems"];
  EXPECT_EQ(rows.size(), 1u);
  return rows[0].value("constant_weights", false);
}

at::Tensor own_function(const at::Tensor& x, const at::Tensor& w) {
  atc_torch_geometry geometry{};
  EXPECT_EQ(atc_torch_geometry_init(&geometry, 2), ATC_OK);
  const auto given = [](const at::Tensor& tensor) {
    return reinterpret_cast<const atc_torch_tensor*>(&tensor);
  };
  atc_torch_tensor* out = nullptr;
  EXPECT_EQ(atc_torch_convolution(&out, given(x), given(w), nullptr, &geometry, nullptr), ATC_OK)
      << atc_last_error();
  const std::unique_ptr<at::Tensor> owner(reinterpret_cast<at::Tensor*>(out));
  return *owner;
}

TEST_F(Recorder, WeightsAreConstantWhereNothingEverChangedThem) {
  at::Tensor w = w_.clone();
  const at::Tensor other = w_.clone();
  const char* const file = file_.c_str();
  EXPECT_TRUE(says_constant(file, [&] {
    for (int i = 0; i < 3; ++i) at::conv2d(x_, i == 1 ? other : w);
  }));
  EXPECT_FALSE(says_constant(file, [&] {
    at::conv2d(x_, w);
    w.add_(1);
    at::conv2d(x_, w);
  })) << "written to";
  EXPECT_FALSE(says_constant(file, [&] {
    at::conv2d(x_, w);
    w.variable_data().add_(1);
    at::conv2d(x_, w);
  })) << "written to without being counted";
  EXPECT_FALSE(says_constant(file, [&] {
    const at::NoGradGuard validation;
    at::conv2d(x_, w.clone().requires_grad_());
  })) << "validated";
  EXPECT_FALSE(says_constant(file, [&] {
    for (int i = 0; i < 2; ++i) at::conv2d(x_, w.clone());
  })) << "made anew for each call";
  EXPECT_FALSE(says_constant(file, [&] {
    at::conv2d(x_, w);
    w.set_data(other);
    at::conv2d(x_, w);
  })) << "with other memory";
  EXPECT_FALSE(says_constant(file, [&] { at::conv2d(x_, w.clone().requires_grad_()); }))
      << "trained";
  EXPECT_FALSE(says_constant(file, [&] { own_function(x_, w.clone().requires_grad_()); }))
      << "trained through atc's own operator";
  EXPECT_TRUE(says_constant(file, [&] { own_function(x_, w); }));
  const c10::InferenceMode inference;
  const at::Tensor unwatched = w.clone();
  EXPECT_FALSE(says_constant(file, [&] { at::conv2d(x_, unwatched); }))
      << "of which nobody can say whether they are";
}

TEST_F(Recorder, WeightsMayBeSwapped) {
  start();
  at::conv2d(x_, w_);
  EXPECT_EQ(w_.weak_use_count(), 1u);
  stop();
}

TEST_F(Recorder, WhatAtcDoesNotTakeIsNotNoted) {
  start();
  at::conv2d(x_.to(at::kDouble), w_.to(at::kDouble));
  at::conv2d(at::randn({0, 6, 12, 10}), w_);
  EXPECT_THROW(at::conv2d(x_, at::randn({8, 5, 3, 3})), c10::Error);
  EXPECT_EQ(stop().size(), 0u);
}

TEST_F(Recorder, TheResultsAreLibTorchsOwn) {
  const at::Tensor before = at::conv2d(x_, w_, b_, 1, 1);
  start();
  const at::Tensor during = at::conv2d(x_, w_, b_, 1, 1);
  stop();
  EXPECT_TRUE(at::equal(before, during));
  EXPECT_EQ(before.strides(), during.strides());
  start();
  EXPECT_EQ(stop().size(), 0u) << "what came before a recording is in it";
}

TEST_F(Recorder, CallsOfAtcsOwnOperatorAreNotedToo) {
  start();
  own_function(x_, w_);
  EXPECT_EQ(stop().size(), 1u);
}

TEST_F(Recorder, ManyThreadsAreCountedRightly) {
  constexpr int kThreads = 4, kCalls = 50;
  start();
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kCalls; ++i) at::conv2d(x_, w_, {}, 1 + i % 2);
    });
  for (std::thread& thread : threads) thread.join();
  const Json rows = stop();
  ASSERT_EQ(rows.size(), 2u);
  for (const Json& row : rows) EXPECT_EQ(row["count"], kThreads * kCalls / 2);
}

TEST_F(Recorder, ItHoldsAHundredThousandRowsAndNoMore) {
  const at::Tensor x = at::ones({1, 1, 1, 2}), w = at::ones({1, 1, 1, 1});
  start();
  for (std::int64_t i = 1; i <= 100'002; ++i) at::conv2d(x, w, {}, {1, i});
  at::conv2d(x, w, {}, {1, 1});
  const Json rows = stop();
  EXPECT_EQ(rows.size(), 100'000u);
  EXPECT_EQ(rows[0]["count"], 2) << "known ones are counted on";
}

TEST_F(Recorder, RefusalsSayWhy) {
  EXPECT_EQ(atc_torch_record_start(nullptr), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_NE(std::string(atc_last_error()).find("file"), std::string::npos) << atc_last_error();
  EXPECT_EQ(atc_torch_record_stop(nullptr), ATC_ERROR_INVALID_ARGUMENT);
  for (const fs::path& bad : {folder_ / "missing" / "file.json", folder_.path()}) {
    EXPECT_EQ(atc_torch_record_start(bad.c_str()), ATC_ERROR_IO) << bad;
    EXPECT_NE(std::string(atc_last_error()).find(bad.string()), std::string::npos)
        << atc_last_error();
  }
  start();
  EXPECT_EQ(atc_torch_record_start(file_.c_str()), ATC_ERROR_BUSY);
  stop();
  EXPECT_EQ(atc_torch_record_stop(nullptr), ATC_ERROR_INVALID_ARGUMENT);
}

TEST_F(Recorder, TheFileIsReplacedAtTheEndAndNothingElseIsLeft) {
  std::ofstream(file_) << "before";
  start();
  at::conv2d(x_, w_);
  std::string text;
  std::ifstream(file_) >> text;
  EXPECT_EQ(text, "before");
  EXPECT_EQ(stop().size(), 1u);
  const auto left = std::distance(fs::directory_iterator(folder_.path()), fs::directory_iterator());
  EXPECT_EQ(left, 1);
}

TEST_F(Recorder, WhatCannotBeWrittenIsNotLost) {
  start();
  at::conv2d(x_, w_);
  fs::remove_all(folder_.path());
  EXPECT_EQ(atc_torch_record_stop(nullptr), ATC_ERROR_IO);
  fs::create_directory(folder_.path());
  at::conv2d(x_, w_);
  EXPECT_EQ(stop()[0]["count"], 2);
}

// Another user may put a link where the recorder makes its temporary file. The recorder must not
// write through the link.
TEST_F(Recorder, NothingIsWrittenThroughALinkInPlaceOfTheTemporaryFile) {
  const fs::path other = folder_ / "other",
                 link = file_.string() + ".tmp" + std::to_string(getpid());
  std::ofstream(other) << "of somebody else";
  start();
  at::conv2d(x_, w_);
  fs::create_symlink(other, link);
  EXPECT_EQ(stop().size(), 1u);
  std::string text;
  std::getline(std::ifstream(other), text);
  EXPECT_EQ(text, "of somebody else");
  EXPECT_FALSE(fs::is_symlink(link));
  EXPECT_FALSE(fs::is_symlink(file_));
}

// If a process writes beyond the limit RLIMIT_FSIZE, it normally ends by the signal SIGXFSZ.
TEST_F(Recorder, ALimitOnTheSizeOfFilesIsAnErrorAndNoSignal) {
  start();
  at::conv2d(x_, w_);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{10, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const atc_status status = atc_torch_record_stop(nullptr);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(status, ATC_ERROR_IO);
  EXPECT_NE(std::string(atc_last_error()).find("File too large"), std::string::npos)
      << atc_last_error();
  EXPECT_EQ(stop().size(), 1u);  // nothing is lost
}

TEST_F(Recorder, AForkedChildHasNoPartInItsParentsRecording) {
  start();
  const pid_t child = fork();
  if (child == 0)
    _exit(atc_torch_record_stop(nullptr) == ATC_ERROR_INVALID_ARGUMENT ? kRefused : 0);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), kRefused);
  EXPECT_FALSE(fs::exists(file_));
  stop();
}

// If a thread records while another thread forks, the child inherits a lock that is never released.
// Calls in the child must be refused and must not wait for this lock.
TEST_F(Recorder, AForkedChildIsRefusedWhateverWasGoingOn) {
  constexpr int kForks = 300;
  // A forked child that has not ended after this number of seconds is killed.
  constexpr unsigned kSeconds = 20;
  const at::Tensor x = at::ones({1, 1, 1}), w = at::ones({1, 1, 1});
  start();
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      while (!done) at::conv1d(x, w);
    });
  for (int i = 0; i < kForks && !HasFailure(); ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      _exit(atc_torch_record_stop(nullptr) == ATC_ERROR_INVALID_ARGUMENT ? kRefused : 0);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == kRefused)
        << "fork " << i << (WIFSIGNALED(status) ? " hung" : " took part");
  }
  done = true;
  for (std::thread& thread : threads) thread.join();
  stop();
}

}  // namespace
