// Tests atc_conv_explain, which explains to C callers why a decision was made.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;

struct Destroy {
  void operator()(atc_explanation* explanation) const { atc_explanation_destroy(explanation); }
};
using Explanation = std::unique_ptr<atc_explanation, Destroy>;

Explanation explain(const atc_conv_problem& problem, const atc_conv_options* options = nullptr) {
  atc_explanation* out = nullptr;
  EXPECT_DONE(atc_conv_explain(&out, kCpu, &problem, options));
  return Explanation(out);
}

TEST(Explain, WhatAPlanRunsIsExplainedWithoutRunningIt) {
  const atc_conv_problem problem = small_problem();
  const Explanation explanation = explain(problem);
  atc_explained told = ATC_EXPLAINED_INIT;
  ASSERT_DONE(atc_explanation_describe(&told, explanation.get()));
  atc_conv_plan* plan = nullptr;
  ASSERT_DONE(atc_conv_plan_create(&plan, kCpu, &problem, nullptr));
  const char* choice = nullptr;
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
  EXPECT_STREQ(told.choice, choice);
  atc_conv_plan_destroy(plan);
  EXPECT_STREQ(atc_rule_name(told.rule), "ATC_RULE_FIRST_OFFER");
  EXPECT_EQ(told.winner, told.default_candidate);
  EXPECT_EQ(told.bytes, 4U * (2 * 4 * 72 + 6 * 4 * 9 + 2 * 6 * 72));
  EXPECT_EQ(told.flops, 2.0 * (2 * 6 * 72) * (4 * 9));
  EXPECT_STREQ(told.miss, "");
  atc_candidate candidate = ATC_CANDIDATE_INIT;
  ASSERT_DONE(atc_explanation_candidate(&candidate, explanation.get(),
                                        static_cast<std::size_t>(told.winner)));
  EXPECT_EQ(candidate.outcome, ATC_OUTCOME_OFFERED);
  EXPECT_REFUSED(atc_explanation_candidate(&candidate, explanation.get(), told.candidates),
                 ATC_ERROR_INVALID_ARGUMENT, "the candidate's index");
}

TEST(Explain, EachEntrantIsThereWithItsAnswer) {
  const Explanation explanation = explain(small_problem());
  atc_explained told = ATC_EXPLAINED_INIT;
  ASSERT_DONE(atc_explanation_describe(&told, explanation.get()));
  bool reference = false;
  for (std::size_t i = 0; i < told.entrants; ++i) {
    atc_entrant entrant = ATC_ENTRANT_INIT;
    ASSERT_DONE(atc_explanation_entrant(&entrant, explanation.get(), i));
    reference = reference || std::strcmp(entrant.name, "reference") == 0;
    EXPECT_TRUE(entrant.offers > 0 || *entrant.why_not != '\0') << entrant.name;
  }
  EXPECT_TRUE(reference);
  atc_entrant entrant = ATC_ENTRANT_INIT;
  EXPECT_REFUSED(atc_explanation_entrant(&entrant, explanation.get(), told.entrants),
                 ATC_ERROR_INVALID_ARGUMENT, "the entrant's index");
}

TEST(Explain, ARaceOfThisProcessIsExplainedByItsRule) {
  const atc_conv_problem problem = small_problem();
  atc_tune_options how = ATC_TUNE_OPTIONS_INIT;
  how.technique = ATC_TECHNIQUE_ONCE;
  how.problem_budget_seconds = 30;
  ASSERT_DONE(atc_tune(nullptr, kCpu, &problem, 1, &how, nullptr, nullptr));
  atc_explained told = ATC_EXPLAINED_INIT;
  ASSERT_DONE(atc_explanation_describe(&told, explain(problem).get()));
  if (told.candidates > 1) {  // a build without oneDNN has only one candidate, so there is no race
    EXPECT_EQ(told.source, ATC_SOURCE_MEMORY);
    EXPECT_NE(told.rule, ATC_RULE_FIRST_OFFER);
  }
}

TEST(Explain, ABatchOfNothingIsRefused) {
  atc_conv_problem problem = small_problem();
  problem.batch = 0;
  atc_explanation* out = nullptr;
  EXPECT_REFUSED(atc_conv_explain(&out, kCpu, &problem, nullptr), ATC_ERROR_INVALID_ARGUMENT,
                 "problem.batch is 0");
  EXPECT_EQ(out, nullptr);
  EXPECT_STREQ(atc_rule_name(0), "unknown rule");
}

}  // namespace
