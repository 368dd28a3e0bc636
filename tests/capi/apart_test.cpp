// Tests which output elements become infinite or NaN if one input element is infinite. On the CPU
// each candidate of a race must give non-finite values in the same output elements as the default
// engine does. The default engine computes no products with padding. An engine that multiplies the
// infinity by the zeros of the padding would give NaN in further elements.
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using atc_test::Call;
using atc_test::kCpu;
using atc_test::PlanDeleter;

// Runs the problem with an infinite first element of the weights (in backward-weight: of the output
// gradient). Returns for each element of the output whether it is finite. Returns an empty vector
// if no plan can be made for the choice.
std::vector<bool> finite(const atc_conv_problem& problem, const std::string& choice) {
  Call call(problem);
  atc_test::Operand& spoiled = problem.direction == ATC_BACKWARD_WEIGHT ? call.y : call.w;
  spoiled.data[0] = std::numeric_limits<float>::infinity();
  atc_conv_plan* made = nullptr;
  if (atc_conv_plan_create_with_choice(&made, kCpu, &problem, nullptr, choice.c_str()) != ATC_OK)
    return {};
  const std::unique_ptr<atc_conv_plan, PlanDeleter> plan(made);
  EXPECT_DONE(call.run(made));
  std::vector<bool> is_finite;
  for (const float value : call.output().data) is_finite.push_back(std::isfinite(value));
  return is_finite;
}

struct Raced {
  std::vector<std::string> ran;
  std::string by_default;
};

Raced race(const atc_conv_problem& problem) {
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = 2;
  options.retune = ATC_ON;
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, kCpu, &problem, 1, &options, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
  Raced raced;
  for (std::size_t i = 0; i < tuned.candidates; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    EXPECT_DONE(atc_tune_report_candidate(&candidate, report, 0, i));
    const std::string choice =
        std::string(candidate.engine) + "@" + candidate.version + ":" + candidate.configuration;
    if (static_cast<std::int64_t>(i) == tuned.default_candidate) raced.by_default = choice;
    if (candidate.executions > 0) raced.ran.push_back(choice);
  }
  atc_tune_report_destroy(report);
  return raced;
}

TEST(Apart, WhatRacesOnTheCpuKeepsInfinitiesWhereTheDefaultDoes) {
  for (const std::int32_t layout : {ATC_LAYOUT_CHANNELS_FIRST, ATC_LAYOUT_CHANNELS_LAST})
    for (const std::int32_t direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT})
      for (const std::int64_t channels : {2, 16}) {
        atc_conv_problem problem = atc_test::small_problem();
        problem.direction = direction;
        problem.layout = layout;
        problem.in_channels = channels;
        problem.out_channels = channels == 2 ? 1 : channels;
        problem.input[0] = problem.input[1] = 4;
        const Raced raced = race(problem);
        const std::vector<bool> expected = finite(problem, raced.by_default);
        ASSERT_FALSE(expected.empty());
        if (expected != finite(problem, "reference@1:direct")) continue;
        for (const std::string& choice : raced.ran)
          EXPECT_EQ(finite(problem, choice), expected)
              << choice << ", direction " << direction << ", " << channels << " channels";
      }
}

}  // namespace
