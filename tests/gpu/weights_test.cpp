// Tests that the weights of a plan (atc_conv_plan_set_weights) stay in memory while queued work or
// a graph reads them, even if the plan is destroyed before.
#include <memory>
#include <string>

#include "atc/atc.h"
#include "cuda_test.hpp"
#include "layer.hpp"
#include "support/streams.hpp"

namespace atc {
namespace {

#define OK(call) ASSERT_EQ(call, ATC_OK) << atc_last_error()

struct DestroyPlan {
  void operator()(atc_conv_plan* plan) const { atc_conv_plan_destroy(plan); }
};
using Plan = std::unique_ptr<atc_conv_plan, DestroyPlan>;

class SetWeights : public test::CudaTest, public testing::WithParamInterface<std::string> {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    OK(atc_set_benchmark_cudnn(0));
  }

  // Makes a plan with the choice that is the test's parameter. If the parameter is "", makes a plan
  // with the default choice.
  static Plan plan(const test::Layer& layer) {
    atc_conv_plan* made = nullptr;
    const std::string choice = GetParam();
    EXPECT_EQ(choice.empty()
                  ? atc_conv_plan_create(&made, layer.device(), &layer.problem(), nullptr)
                  : atc_conv_plan_create_with_choice(&made, layer.device(), &layer.problem(),
                                                     nullptr, choice.c_str()),
              ATC_OK)
        << atc_last_error();
    return Plan(made);
  }

  // Allocates memory for the weights of another plan, and fills the memory with other numbers. If
  // the weights of the tested plan were freed too early, this memory may be theirs. Then they are
  // overwritten.
  static void set_other_weights() {
    test::Layer other(test::same_3x3());
    other.fill_normal_numbers();
    const Plan its = plan(other);
    other.set_weights(its.get());
    EXPECT_EQ(atc_synchronize(0), ATC_OK);
  }
};

TEST_P(SetWeights, StayForWorkThatIsQueued) {
  // The number of runs of a layer. Each run takes about a tenth of a millisecond.
  constexpr int kDelay = 200;
  const cuda::OwnStream stream;  // this stream does not wait for the legacy stream
  test::Layer layer(test::same_3x3()), busy(test::same_3x3(256, 56));
  Plan own = plan(layer);
  layer.set_weights(own.get());
  OK(busy.run(stream));
  OK(atc_synchronize(0));
  for (int i = 0; i < kDelay; ++i) OK(busy.run(stream));
  OK(layer.run_with_set_weights(own.get(), stream));
  own.reset();
  set_other_weights();
  layer.expect_right();
}

TEST_P(SetWeights, StayForGraphs) {
  const cuda::OwnStream stream;
  test::Layer layer(test::same_3x3());
  Plan own = plan(layer);
  layer.set_weights(own.get());
  OK(layer.run_with_set_weights(own.get(), stream));
  test::Capture capture(stream, test::CaptureMode::global);
  OK(layer.run_with_set_weights(own.get(), stream));
  ASSERT_TRUE(capture.end());
  own.reset();
  set_other_weights();
  layer.unwrite();
  OK(atc_synchronize(0));
  ASSERT_TRUE(capture.replay());
  layer.expect_right();
}

INSTANTIATE_TEST_SUITE_P(Engines, SetWeights, testing::Values("", "reference@1:direct"),
                         [](const auto& info) {
                           return info.param.empty() ? std::string("Default")
                                                     : std::string("Reference");
                         });

}  // namespace
}  // namespace atc
