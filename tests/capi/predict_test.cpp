// Tests calls whose choice is predicted from earlier races (ATC_TUNE_PREDICT), through the C ABI. A
// race times the candidates of one problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <string>

#include "conv_call.hpp"
#include "own_extensions.hpp"
#include "status.hpp"
#include "support/experience_file.hpp"
#include "support/noted.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;
using testing::HasSubstr;

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

atc_conv_options predicting(std::int32_t tune = ATC_TUNE_PREDICT) {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = tune;
  return options;
}

struct Used {
  std::int32_t source = 0;
  std::string choice;
};

Used used(Call& call, atc_conv_plan* plan) {
  Used used;
  const char* choice = "";
  EXPECT_DONE(atc_conv_plan_source(&used.source, plan));
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
  used.choice = choice;
  EXPECT_DONE(call.run(plan));
  const float w = call.w.data[0];
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < call.y.data.size(); ++i)
    wrong += std::abs(call.y.data[i] - w * call.x.data[i]) <= 1e-6F ? 0U : 1U;
  EXPECT_EQ(wrong, 0u) << used.choice;
  return used;
}

Used acquired(Call& call, const atc_conv_options& options) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCpu, &call.problem, &options, nullptr));
  if (plan == nullptr) return {};
  const Used result = used(call, plan);
  atc_conv_plan_release(plan);
  return result;
}

class Predict : public testing::Test {
 protected:
  void SetUp() override {
    const atc_engine engine = own_.callbacks();
    ASSERT_EQ(atc_engine_register(&engine), ATC_OK) << atc_last_error();
    teach();
    own_.calls = 0;
  }
  void TearDown() override {
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_store_use(nullptr));
    atc_store_close(store_);
    EXPECT_DONE(atc_engine_unregister("own"));
  }

  void open() {
    ASSERT_EQ(atc_store_open(&store_, (folder_ / "store").c_str(), ATC_STORE_READ_WRITE), ATC_OK);
    EXPECT_DONE(atc_store_use(store_));
  }
  // Gives the store experience, from which choices are predicted. A race writes the store's file of
  // experience, and then this function replaces the content of the file.
  void teach() {
    open();
    EXPECT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    // The problem of the race is so different from the problems of the tests that its result
    // predicts nothing about them.
    const atc_conv_problem problem = pointwise(500);
    EXPECT_DONE(atc_tune(nullptr, kCpu, &problem, 1, nullptr, nullptr, nullptr));
    EXPECT_DONE(atc_store_use(nullptr));
    atc_store_close(store_);
    atc::test::replace_experience(
        folder_ / "store", R"("own, forward f32 2-D channels first dense 1x1":[30,-2,0.01])");
    open();
  }

  OwnEngine own_;
  const atc::test::TempFolder folder_;
  atc_store* store_ = nullptr;
};

TEST_F(Predict, PlansAndCachedCallsRunThePredictedChoice) {
  Call call(pointwise(51));
  const atc_conv_options options = predicting(), off = predicting(ATC_OFF);
  EXPECT_EQ(acquired(call, off).source, ATC_SOURCE_DEFAULT);
  EXPECT_EQ(own_.calls, 0);
  const Used cached = acquired(call, options);
  EXPECT_EQ(cached.source, ATC_SOURCE_PREDICTED);
  EXPECT_EQ(cached.choice, OwnEngine::kChoice);
  EXPECT_GT(own_.calls, 1) << "the gate has run it";
  const int calls = own_.calls;
  EXPECT_EQ(acquired(call, options).choice, OwnEngine::kChoice);
  EXPECT_EQ(own_.calls, calls + 1);
  atc_conv_plan* plan = nullptr;
  ASSERT_EQ(atc_conv_plan_create(&plan, kCpu, &call.problem, &options), ATC_OK);
  EXPECT_EQ(used(call, plan).source, ATC_SOURCE_PREDICTED);
  EXPECT_EQ(own_.calls, calls + 2) << "checked once in a process";
  atc_conv_plan_destroy(plan);
  EXPECT_EQ(acquired(call, off).source, ATC_SOURCE_DEFAULT);
  EXPECT_EQ(atc::test::count_noted(), 0u);
}

TEST_F(Predict, ADecisionThatIsMeasuredLaterReplacesIt) {
  Call call(pointwise(52));
  const atc_conv_options options = predicting();
  EXPECT_EQ(acquired(call, options).source, ATC_SOURCE_PREDICTED);
  EXPECT_DONE(atc_tune(nullptr, kCpu, &call.problem, 1, nullptr, nullptr, nullptr));
  EXPECT_EQ(acquired(call, options).source, ATC_SOURCE_RECORD);
}

TEST_F(Predict, TheDigestHasThePredictedChoice) {
  Call call(pointwise(53));
  const atc_conv_options options = predicting(), off = predicting(ATC_OFF);
  std::uint64_t predicted = 0, usual = 0, again = 0;
  EXPECT_DONE(atc_conv_decisions_digest(&predicted, kCpu, &call.problem, 1, &options));
  EXPECT_DONE(atc_conv_decisions_digest(&usual, kCpu, &call.problem, 1, &off));
  EXPECT_NE(predicted, usual);
  EXPECT_EQ(own_.calls, 0);
  EXPECT_EQ(acquired(call, options).source, ATC_SOURCE_PREDICTED);
  EXPECT_DONE(atc_conv_decisions_digest(&again, kCpu, &call.problem, 1, &options));
  EXPECT_EQ(again, predicted);
}

// Tests that set an environment variable. Each of these tests runs in a process of its own, because
// a process reads the variable only once, before its first call.
class PredictByEnvironment : public Predict {
 protected:
  void SetUp() override {
    ASSERT_EQ(setenv("ATC_TUNE", "predict", 1), 0);
    Predict::SetUp();
  }
};

TEST_F(PredictByEnvironment, CallsThatLeaveTheOptionOutPredict) {
  Call call(pointwise(54));
  EXPECT_EQ(acquired(call, predicting(0)).source, ATC_SOURCE_PREDICTED);
}

}  // namespace
