// Tests scale, bias, residual and activation of forward convolutions on the simulated device. The
// results are compared with formulas, and every candidate of a race has to pass the gate.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "capi/post_ops_call.hpp"
#include "fault/support.hpp"

namespace atc::fault {
namespace {

using atc_test::kActivations;
using atc_test::PostOpsCall;

// The post-ops of a problem, apart from the activation.
struct Others {
  std::int32_t scale, residual;
  atc_epilogue epilogue;
};

constexpr Others kOthers[] = {{0, 0, ATC_EPILOGUE_NONE}, {1, 0, ATC_EPILOGUE_NONE},
                              {0, 1, ATC_EPILOGUE_BIAS}, {1, 1, ATC_EPILOGUE_BIAS},
                              {0, 1, ATC_EPILOGUE_NONE}, {0, 0, ATC_EPILOGUE_BIAS}};

// Calls `use` with a problem for each activation, each set of further post-ops and each layout.
template <typename Use>
void for_each_problem(const Use& use) {
  for (const atc_test::Activation& activation : kActivations)
    for (const Others& others : kOthers)
      for (const atc_layout layout : {ATC_LAYOUT_CHANNELS_FIRST, ATC_LAYOUT_CHANNELS_LAST}) {
        // A bias and a ReLU alone are no post-ops, but ATC_EPILOGUE_BIAS_RELU.
        const bool is_bias_relu =
            activation.number == ATC_ACTIVATION_RELU && others.epilogue == ATC_EPILOGUE_BIAS;
        if (others.scale + others.residual == 0 &&
            (activation.number == ATC_ACTIVATION_NONE || is_bias_relu))
          continue;
        atc_conv_problem problem = tiny_problem();
        problem.layout = layout;
        problem.scale = others.scale;
        problem.residual = others.residual;
        problem.epilogue = others.epilogue;
        set(problem, activation);
        use(problem, activation);
      }
}

struct Counts {
  std::size_t fused = 0, separate = 0;
};

// Makes a plan by a race. Expects that no candidate has a wrong result. Returns how many candidates
// of cuDNN without rewrites compute the post-ops themselves, and how many are followed by a pass.
Counts race(std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter>& plan,
            const atc_conv_problem& problem, const std::string& name) {
  atc_conv_options options = ATC_CONV_OPTIONS_INIT;
  options.tune = ATC_ON;
  options.use_store = ATC_OFF;
  atc_conv_plan* raw = nullptr;
  EXPECT_DONE(atc_conv_plan_create(&raw, kCuda, &problem, &options));
  plan.reset(raw);
  Counts counts;
  std::size_t count = 0;
  EXPECT_DONE(atc_conv_plan_candidate_count(&count, raw));
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate = ATC_CANDIDATE_INIT;
    EXPECT_DONE(atc_conv_plan_candidate(&candidate, raw, i));
    EXPECT_NE(candidate.outcome, ATC_OUTCOME_WRONG_RESULT)
        << name << ": " << candidate.engine << ':' << candidate.configuration << ": "
        << candidate.reason;
    if (std::string(candidate.engine) != "cudnn" || *candidate.rewrites != 0) continue;
    const bool separate = std::string(candidate.configuration).rfind("separate-epilogue ", 0) == 0;
    ++(separate ? counts.separate : counts.fused);
  }
  return counts;
}

TEST(PostOpsOnCuda, AnUntunedCallAppliesThem) {
  on_machine(usual_script(), [] {
    ASSERT_DONE(atc_set_benchmark_cudnn(0));
    for_each_problem([](const atc_conv_problem& problem, const atc_test::Activation& activation) {
      PostOpsCall call(problem, kCuda);
      ASSERT_DONE(call.eager()) << activation.name;
      expect_formula(call, activation.formula, activation.name);
    });
  });
}

TEST(PostOpsOnCuda, AreRacedFusedAndSeparate) {
  on_machine(usual_script(), [] {
    for_each_problem([](const atc_conv_problem& problem, const atc_test::Activation& activation) {
      std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter> plan;
      const Counts counts = race(plan, problem, activation.name);
      ASSERT_NE(plan, nullptr);
      EXPECT_GT(counts.separate, 0u) << activation.name;
      // cuDNN has no operation for hard-swish.
      EXPECT_EQ(counts.fused > 0, activation.number != ATC_ACTIVATION_HARD_SWISH)
          << activation.name;
      PostOpsCall call(problem, kCuda);
      ASSERT_DONE(call.run(plan.get()));
      expect_formula(call, activation.formula, activation.name);
    });
  });
}

// Executes one plan with two residuals. cuDNN's engines get addresses in a pack, which is kept from
// call to call.
TEST(PostOpsOnCuda, TheOperandsOfEachCallAreUsed) {
  on_machine(usual_script(), [] {
    atc_conv_problem problem = tiny_problem();
    problem.scale = problem.residual = 1;
    atc_conv_plan* raw = nullptr;
    ASSERT_DONE(atc_conv_plan_create_with_choice(&raw, kCuda, &problem, nullptr,
                                                 choice_of(kFastest).c_str()));
    const std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter> plan(raw);
    PostOpsCall call(problem, kCuda);
    for (int i = 0; i < 2; ++i) {
      ASSERT_DONE(call.run(plan.get()));
      expect_formula(
          call, [](double t) { return t; }, "scale and residual");
      std::vector<float> other(call.residual.data.size(), 0.25F);
      std::vector<float> factors(call.scale.data.size(), -0.5F);
      call.residual.data.swap(other);
      call.residual.view.data = call.residual.data.data();
      call.scale.data.swap(factors);
      call.scale.view.data = call.scale.data.data();
    }
  });
}

// cuDNN's kernels may read 16 bytes of the residual at once, so its address counts as those of x, w
// and y do. An eager call takes another plan, and a plan with the default alignment refuses.
TEST(PostOpsOnCuda, TheAlignmentOfTheResidualCounts) {
  on_machine(usual_script(), [] {
    atc_conv_problem problem = tiny_problem();
    problem.residual = 1;
    PostOpsCall call(problem, kCuda);
    atc_conv_plan* raw = nullptr;
    ASSERT_DONE(atc_conv_plan_create(&raw, kCuda, &problem, nullptr));
    const std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter> plan(raw);
    ASSERT_DONE(call.run(plan.get()));
    std::vector<float>& data = call.residual.data;
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(data.data()) % 16, 0u);
    // Moves the residual by one element. The pass then reads single elements.
    data.insert(data.begin(), 0.0F);
    call.residual.view.data = data.data();
    call.residual.view.byte_offset = sizeof(float);
    EXPECT_EQ(call.run(plan.get()), ATC_ERROR_INVALID_ARGUMENT);
    EXPECT_THAT(atc_last_error(), testing::HasSubstr("residual starts at address 0x"));
    ASSERT_DONE(call.eager());
    data.erase(data.begin());
    expect_formula(
        call, [](double t) { return t; }, "residual");
  });
}

TEST(PostOpsOnCuda, AnOutputWithGapsHasNoPass) {
  on_machine(usual_script(), [] {
    atc_conv_problem problem = tiny_problem();
    problem.batch = 2;
    problem.activation = ATC_ACTIVATION_SILU;
    problem.layout = ATC_LAYOUT_STRIDED;
    const std::int64_t plane = problem.input[0] * problem.input[1];
    const auto set = [&](std::int64_t* strides, std::int64_t sample, std::int64_t channel) {
      strides[0] = sample;
      strides[1] = channel;
      strides[2] = problem.input[1];
      strides[3] = 1;
    };
    set(problem.x_strides, plane * problem.in_channels, plane);
    set(problem.y_strides, 2 * plane * problem.out_channels, plane);
    const std::int64_t w_strides[] = {9 * problem.in_channels, 9, 3, 1};
    std::copy(std::begin(w_strides), std::end(w_strides), problem.w_strides);
    PostOpsCall call(problem, kCuda);
    // The reference computes the post-ops itself, and writes single elements.
    ASSERT_DONE(call.eager());
    const auto silu = std::find_if(kActivations.begin(), kActivations.end(), [](const auto& one) {
      return one.number == ATC_ACTIVATION_SILU;
    });
    expect_formula(call, silu->formula, silu->name);
    std::string choice = choice_of(kFastest);
    choice.insert(choice.find(':') + 1, "separate-epilogue ");
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, kCuda, &problem, nullptr, choice.c_str()),
              ATC_ERROR_UNSUPPORTED);
    EXPECT_EQ(plan, nullptr);
  });
}

}  // namespace
}  // namespace atc::fault
