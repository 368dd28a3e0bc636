// Tests plans and eager calls through the C ABI against sums that are written out in this file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <memory>

#include "conv_call.hpp"
#include "status.hpp"

namespace {

using namespace atc_test;
using testing::HasSubstr;

using PlanPtr = std::unique_ptr<atc_conv_plan, PlanDeleter>;

PlanPtr create(const atc_conv_problem& problem, const atc_conv_options* options = nullptr) {
  atc_conv_plan* plan = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&plan, kCpu, &problem, options), ATC_OK) << atc_last_error();
  return PlanPtr(plan);
}

// One element y[n,k,o0,o1] of a 2-D problem, computed in double by the definition in conv.h, and
// the sum of the magnitudes of its terms. In a transposed problem, each element of x contributes to
// several elements of y.
struct Expected {
  double value, magnitude;
};

Expected forward_at(Call& c, std::int64_t n, std::int64_t k, std::int64_t o0, std::int64_t o1) {
  const auto& p = c.problem;
  double sum = 0, magnitude = 0;
  const std::int64_t in = p.in_channels / p.groups, out = p.out_channels / p.groups;
  const std::int64_t group = k / out;
  for (std::int64_t ch = 0; ch < in; ++ch)
    for (std::int64_t t0 = 0; t0 < p.kernel[0]; ++t0)
      for (std::int64_t t1 = 0; t1 < p.kernel[1]; ++t1) {
        std::int64_t i0, i1;
        double weight;
        if (p.transposed) {
          const std::int64_t r0 = o0 + p.padding_low[0] - t0 * p.dilation[0];
          const std::int64_t r1 = o1 + p.padding_low[1] - t1 * p.dilation[1];
          if (r0 % p.stride[0] != 0 || r1 % p.stride[1] != 0) continue;
          i0 = r0 / p.stride[0];
          i1 = r1 / p.stride[1];
        } else {
          i0 = o0 * p.stride[0] + t0 * p.dilation[0] - p.padding_low[0];
          i1 = o1 * p.stride[1] + t1 * p.dilation[1] - p.padding_low[1];
        }
        if (i0 < 0 || i1 < 0 || i0 >= p.input[0] || i1 >= p.input[1]) continue;
        weight = p.transposed ? c.w.at({group * in + ch, k - group * out, t0, t1})
                              : c.w.at({k, ch, t0, t1});
        const double product = weight * c.x.at({n, group * in + ch, i0, i1});
        sum += product;
        magnitude += std::fabs(product);
      }
  if (p.epilogue != ATC_EPILOGUE_NONE) {
    sum += c.bias.data[static_cast<std::size_t>(k)];
    magnitude += std::fabs(c.bias.data[static_cast<std::size_t>(k)]);
  }
  if (p.epilogue == ATC_EPILOGUE_BIAS_RELU) sum = std::max(sum, 0.0);
  return {sum, magnitude};
}

// Expects that each element of y is within the error bound. A sum of n fp32 terms, added in any
// order, errs by at most about n * 2^-24 times the sum of the magnitudes (Higham, Accuracy and
// Stability, 4.2). The bound uses n + 3 in place of n, for the further roundings of a product, of
// the bias and of the result.
void expect_forward(Call& c) {
  const auto& p = c.problem;
  const double terms =
      static_cast<double>(p.in_channels / p.groups * p.kernel[0] * p.kernel[1]) + 3;
  for (std::int64_t n = 0; n < p.batch; ++n)
    for (std::int64_t k = 0; k < p.out_channels; ++k)
      for (std::int64_t o0 = 0; o0 < c.y.shape[2]; ++o0)
        for (std::int64_t o1 = 0; o1 < c.y.shape[3]; ++o1) {
          const Expected expected = forward_at(c, n, k, o0, o1);
          ASSERT_NEAR(c.y.at({n, k, o0, o1}), expected.value,
                      terms * std::ldexp(expected.magnitude, -24))
              << n << ' ' << k << ' ' << o0 << ' ' << o1;
        }
}

TEST(Convolution, EagerForwardWithEachEpilogueAndLayout) {
  for (const std::int32_t layout : {ATC_LAYOUT_CHANNELS_FIRST, ATC_LAYOUT_CHANNELS_LAST})
    for (const std::int32_t epilogue :
         {ATC_EPILOGUE_NONE, ATC_EPILOGUE_BIAS, ATC_EPILOGUE_BIAS_RELU}) {
      atc_conv_problem problem = small_problem();
      problem.layout = layout;
      problem.epilogue = epilogue;
      problem.groups = 2;
      problem.stride[0] = 2;
      problem.dilation[1] = 2;
      Call call(problem);
      ASSERT_EQ(call.eager(), ATC_OK) << atc_last_error();
      expect_forward(call);
    }
}

TEST(Convolution, TransposedWithOutputPaddingGroupsAndBias) {
  atc_conv_problem problem = small_problem();
  problem.transposed = 1;
  problem.groups = 2;
  problem.stride[0] = problem.stride[1] = 3;
  problem.output_padding[0] = 2;
  problem.output_padding[1] = 1;
  problem.epilogue = ATC_EPILOGUE_BIAS;
  Call call(problem);
  EXPECT_EQ(call.y.shape,
            (std::vector<std::int64_t>{2, 6, 8 * 3 - 2 + 2 + 2 + 1, 7 * 3 - 2 + 2 + 1 + 1}));
  EXPECT_EQ(call.w.shape, (std::vector<std::int64_t>{4, 3, 3, 3}));
  ASSERT_EQ(call.eager(), ATC_OK) << atc_last_error();
  expect_forward(call);
  const PlanPtr plan = create(problem);
  ASSERT_EQ(call.run(plan.get()), ATC_OK) << atc_last_error();
  expect_forward(call);
}

// Tests that backward-data and backward-weight are the adjoints of the forward convolution:
// <conv(x, w), g> = <x, backward_data(w, g)> = <w, backward_weight(x, g)>.
TEST(Convolution, BackwardDirectionsAreTheAdjoints) {
  for (const std::int32_t transposed : {0, 1}) {
    atc_conv_problem problem = small_problem();
    problem.transposed = transposed;
    problem.stride[1] = 2;
    Call forward(problem), data(problem), weight(problem);
    data.problem.direction = ATC_BACKWARD_DATA;
    weight.problem.direction = ATC_BACKWARD_WEIGHT;
    ASSERT_EQ(forward.eager(), ATC_OK) << atc_last_error();
    ASSERT_EQ(data.eager(), ATC_OK) << atc_last_error();
    ASSERT_EQ(weight.eager(), ATC_OK) << atc_last_error();
    const auto dot = [](const Operand& a, const Operand& b, double& magnitude) {
      double sum = 0;
      magnitude = 0;
      for (std::size_t i = 0; i < a.data.size(); ++i) {
        sum += static_cast<double>(a.data[i]) * b.data[i];
        magnitude += std::fabs(static_cast<double>(a.data[i]) * b.data[i]);
      }
      return sum;
    };
    // `untouched` has the initial x, w and y, which are the same in all three calls. So its y is
    // the gradient g that both backward calls get.
    const Call untouched(problem);
    double m1 = 0, m2 = 0, m3 = 0;
    const double a = dot(forward.y, untouched.y, m1), b = dot(data.x, untouched.x, m2),
                 c = dot(weight.w, untouched.w, m3);
    // Each fp32 result with n terms errs by at most (n + 3) * 2^-24 times the sum of the magnitudes
    // of its terms. All values are at most 1, so this sum is at most n.
    const auto bound = [](const Operand& result, double terms) {
      return static_cast<double>(result.data.size()) * terms * (terms + 3) * std::ldexp(1.0, -24);
    };
    // The largest number of terms that a sum of this test has.
    const double terms = 2 * 9 * 8 * 6;
    EXPECT_NEAR(a, b, bound(forward.y, 36) + bound(data.x, 54));
    EXPECT_NEAR(a, c, bound(forward.y, 36) + bound(weight.w, terms));
    EXPECT_GT(std::fabs(a), 1e-3);
  }
}

TEST(Convolution, AccumulateAddsToWhatIsThere) {
  atc_conv_problem problem = small_problem();
  Call plain(problem);
  const std::vector<float> old = plain.y.data;
  ASSERT_EQ(plain.eager(), ATC_OK);
  problem.accumulate = 1;
  Call added(problem);
  ASSERT_EQ(added.y.data, old);
  ASSERT_EQ(added.eager(), ATC_OK) << atc_last_error();
  for (std::size_t i = 0; i < old.size(); ++i)
    // Each of the two results errs by at most (36 + 4) * 2^-24 times the sum of the magnitudes of
    // its terms. The sum of the magnitudes is at most 36 + 1.
    ASSERT_NEAR(added.y.data[i], plain.y.data[i] + old[i], 2 * 40 * 37 * std::ldexp(1.0, -24));
}

TEST(Convolution, AnEmptyBatchSucceedsAndGivesZerosBackwardWeight) {
  atc_conv_problem problem = small_problem();
  problem.batch = 0;
  for (const std::int32_t direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
    problem.direction = direction;
    Call call(problem);
    ASSERT_EQ(call.eager(), ATC_OK) << atc_last_error();
    if (direction == ATC_BACKWARD_WEIGHT) {
      EXPECT_THAT(call.w.data, testing::Each(0.0F));
    }
  }
}

TEST(Plan, TellsItsChoiceWhichCanBeAskedForAgain) {
  Call call(small_problem());
  const PlanPtr plan = create(call.problem);
  std::int32_t source = 0;
  ASSERT_EQ(atc_conv_plan_source(&source, plan.get()), ATC_OK);
  EXPECT_THAT(source, testing::AnyOf(ATC_SOURCE_DEFAULT, ATC_SOURCE_REFERENCE));
  const char* choice = nullptr;
  ASSERT_EQ(atc_conv_plan_choice(&choice, plan.get()), ATC_OK);
  std::size_t count = 0;
  ASSERT_EQ(atc_conv_plan_candidate_count(&count, plan.get()), ATC_OK);
  ASSERT_GE(count, 1u);
  ASSERT_EQ(call.run(plan.get()), ATC_OK);
  const std::vector<float> first = call.y.data;
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    ASSERT_EQ(atc_conv_plan_candidate(&candidate, plan.get(), i), ATC_OK);
    EXPECT_EQ(candidate.outcome == ATC_OUTCOME_OFFERED, candidate.reason[0] == '\0');
    EXPECT_EQ(candidate.samples, 0u);
    if (candidate.outcome != ATC_OUTCOME_OFFERED) continue;
    const std::string text =
        std::string(candidate.engine) + "@" + candidate.version + ":" + candidate.configuration;
    atc_conv_plan* made = nullptr;
    ASSERT_EQ(atc_conv_plan_create_with_choice(&made, kCpu, &call.problem, nullptr, text.c_str()),
              ATC_OK)
        << atc_last_error();
    const PlanPtr given(made);
    ASSERT_EQ(atc_conv_plan_source(&source, made), ATC_OK);
    EXPECT_EQ(source, ATC_SOURCE_GIVEN);
    const char* again = nullptr;
    ASSERT_EQ(atc_conv_plan_choice(&again, made), ATC_OK);
    EXPECT_EQ(again, text);
    ASSERT_EQ(call.run(made), ATC_OK) << text << atc_last_error();
    expect_forward(call);
    if (text == choice) {
      EXPECT_EQ(call.y.data, first);
    }
  }
}

TEST(Plan, TakesConstantWeightsOnce) {
  Call call(small_problem());
  const PlanPtr plan = create(call.problem);
  ASSERT_EQ(call.run(plan.get()), ATC_OK);
  const std::vector<float> expected = call.y.data;
  EXPECT_EQ(atc_conv_plan_execute(plan.get(), &call.x.view, nullptr, nullptr, &call.y.view, nullptr,
                                  0, nullptr),
            ATC_ERROR_INVALID_ARGUMENT);
  ASSERT_EQ(atc_conv_plan_set_weights(plan.get(), &call.w.view), ATC_OK) << atc_last_error();
  const std::vector<float> weights = call.w.data;
  // The plan has its own copy of the weights. So overwriting the caller's weights must have no
  // effect.
  std::fill(call.w.data.begin(), call.w.data.end(), 0.0F);
  std::fill(call.y.data.begin(), call.y.data.end(), 0.0F);
  ASSERT_EQ(atc_conv_plan_execute(plan.get(), &call.x.view, nullptr, nullptr, &call.y.view, nullptr,
                                  0, nullptr),
            ATC_OK)
      << atc_last_error();
  EXPECT_EQ(call.y.data, expected);
  call.w.data = weights;
  expect_forward(call);
  // If set_weights is called again, it replaces the plan's weights. Weights that are passed to
  // execute take precedence over the plan's weights.
  for (float& value : call.w.data) value = -value;
  ASSERT_EQ(atc_conv_plan_set_weights(plan.get(), &call.w.view), ATC_OK);
  ASSERT_EQ(atc_conv_plan_execute(plan.get(), &call.x.view, nullptr, nullptr, &call.y.view, nullptr,
                                  0, nullptr),
            ATC_OK);
  expect_forward(call);
  call.w.data = weights;
  ASSERT_EQ(call.run(plan.get()), ATC_OK);
  expect_forward(call);

  atc_conv_problem backward = call.problem;
  backward.direction = ATC_BACKWARD_WEIGHT;
  EXPECT_EQ(atc_conv_plan_set_weights(create(backward).get(), &call.w.view),
            ATC_ERROR_INVALID_ARGUMENT);
}

TEST(Plan, UsesTheCallersWorkspace) {
  atc_conv_problem problem = small_problem();
  problem.layout = ATC_LAYOUT_CHANNELS_LAST;
  Call call(problem);
  const PlanPtr plan = create(problem);
  std::uint64_t size = 0;
  ASSERT_EQ(atc_conv_plan_workspace_size(&size, plan.get()), ATC_OK);
  std::vector<unsigned char> memory(size + 64 + 64, 0xA5);
  auto* const aligned = reinterpret_cast<unsigned char*>(
      (reinterpret_cast<std::uintptr_t>(memory.data()) + 63) / 64 * 64);
  ASSERT_EQ(atc_conv_plan_execute(plan.get(), &call.x.view, &call.w.view, nullptr, &call.y.view,
                                  aligned, size, nullptr),
            ATC_OK)
      << atc_last_error();
  expect_forward(call);
  for (const unsigned char* at = aligned + size; at < memory.data() + memory.size(); ++at)
    ASSERT_EQ(*at, 0xA5) << "written beyond the workspace";
}

TEST(Text, NamesSourcesAndOutcomes) {
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_GIVEN), "ATC_SOURCE_GIVEN");
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_TUNED), "ATC_SOURCE_TUNED");
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_REFERENCE), "ATC_SOURCE_REFERENCE");
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_PINNED), "ATC_SOURCE_PINNED");
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_BESIDE), "ATC_SOURCE_BESIDE");
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_PREDICTED), "ATC_SOURCE_PREDICTED");
  EXPECT_STREQ(atc_source_name(ATC_SOURCE_ADOPTED), "ATC_SOURCE_ADOPTED");
  for (const std::int32_t number : {-1, 0, 13})
    EXPECT_STREQ(atc_source_name(number), "unknown source");
  EXPECT_STREQ(atc_outcome_name(ATC_OUTCOME_WON), "ATC_OUTCOME_WON");
  EXPECT_STREQ(atc_outcome_name(ATC_OUTCOME_FAILED), "ATC_OUTCOME_FAILED");
  EXPECT_STREQ(atc_outcome_name(ATC_OUTCOME_OFFERED), "ATC_OUTCOME_OFFERED");
  for (const std::int32_t number : {-1, 0, 11})
    EXPECT_STREQ(atc_outcome_name(number), "unknown outcome");
}

TEST(Text, DescribesAProblemAsReportsDo) {
  atc_conv_problem problem = small_problem();
  for (const std::int32_t transposed : {0, 1}) {
    problem.transposed = transposed;
    atc_bytes* text = nullptr;
    ASSERT_DONE(atc_conv_problem_describe(&text, &problem));
    atc_tune_options options{};
    options.struct_size = sizeof(options);
    options.total_budget_seconds = 1e-9;  // the budget is too short to measure anything
    atc_tune_report* report = nullptr;
    ASSERT_DONE(atc_tune(&report, kCpu, &problem, 1, &options, nullptr, nullptr));
    atc_tuned_problem tuned{};
    tuned.struct_size = sizeof(tuned);
    ASSERT_DONE(atc_tune_report_problem(&tuned, report, 0));
    EXPECT_STREQ(atc_bytes_data(text), tuned.description);
    EXPECT_THAT(tuned.description, testing::HasSubstr("2x4x9x8 f32"));
    atc_tune_report_destroy(report);
    atc_bytes_destroy(text);
  }
  problem.groups = 3;
  atc_bytes* none = nullptr;
  EXPECT_REFUSED(atc_conv_problem_describe(&none, &problem), ATC_ERROR_INVALID_ARGUMENT,
                 "in_channels is 4");
  EXPECT_EQ(none, nullptr);
}

std::vector<double> sample_of(const PlanPtr& plan, std::uint64_t seed, std::size_t count) {
  std::vector<double> values(count);
  EXPECT_EQ(atc_conv_plan_sample(values.data(), count, plan.get(), seed), ATC_OK)
      << atc_last_error();
  return values;
}

// Expects that two results of sums with `terms` products are equal up to rounding. Operands are
// below 3.5. Each result errs by at most (terms + 3) * 2^-24 times the sum of the magnitudes of its
// terms.
void expect_alike(const std::vector<double>& a, const std::vector<double>& b, double terms) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], 2 * (terms + 3) * std::ldexp(terms * 3.5 * 3.5, -24)) << i;
}

TEST(Sample, DependsOnTheSeedAndNotOnLayoutOrEngine) {
  atc_conv_problem problem = small_problem();
  const std::size_t elements = 2 * 6 * 9 * 8;
  const std::vector<double> whole = sample_of(create(problem), 7, elements);
  EXPECT_EQ(sample_of(create(problem), 7, elements), whole);
  EXPECT_NE(sample_of(create(problem), 8, elements), whole);
  const double terms = 4 * 3 * 3;
  atc_conv_plan* made = nullptr;
  ASSERT_EQ(atc_conv_plan_create_with_choice(&made, kCpu, &problem, nullptr, "reference@1:direct"),
            ATC_OK)
      << atc_last_error();
  expect_alike(sample_of(PlanPtr(made), 7, elements), whole, terms);
  problem.layout = ATC_LAYOUT_CHANNELS_LAST;
  expect_alike(sample_of(create(problem), 7, elements), whole, terms);
}

TEST(Sample, IsSpreadOverTheOutput) {
  const std::size_t elements = 2 * 6 * 9 * 8;
  const PlanPtr plan = create(small_problem());
  const std::vector<double> whole = sample_of(plan, 7, elements);
  for (const std::size_t count : {std::size_t{1}, std::size_t{5}, elements - 1}) {
    const std::vector<double> some = sample_of(plan, 7, count);
    for (std::size_t i = 0; i < count; ++i)
      ASSERT_EQ(some[i], whole[i * elements / count]) << i << " of " << count;
  }
}

TEST(Sample, HasTheEpilogueAndTheOldOutput) {
  atc_conv_problem problem = small_problem();
  const std::size_t elements = 2 * 6 * 9 * 8;
  const std::vector<double> plain = sample_of(create(problem), 7, elements);
  problem.epilogue = ATC_EPILOGUE_BIAS_RELU;
  const std::vector<double> positive = sample_of(create(problem), 7, elements);
  EXPECT_THAT(plain, testing::Contains(testing::Lt(0)));
  EXPECT_THAT(positive, testing::Each(testing::Ge(0)));
  problem.epilogue = ATC_EPILOGUE_NONE;
  problem.accumulate = 1;
  const std::vector<double> sum = sample_of(create(problem), 7, elements);
  EXPECT_NE(sum, plain);
  for (std::size_t i = 0; i < elements; ++i) ASSERT_LT(std::abs(sum[i] - plain[i]), 3.6) << i;
}

TEST(Sample, WorksInEveryDirectionAndRefusesMoreThanThereIs) {
  atc_conv_problem problem = small_problem();
  for (const std::int32_t direction : {ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
    problem.direction = direction;
    EXPECT_THAT(sample_of(create(problem), 7, 16), testing::Contains(testing::Ne(0)));
  }
  problem.direction = ATC_FORWARD;
  double value = 0;
  const PlanPtr plan = create(problem);
  for (const std::size_t count : {std::size_t{865}, std::size_t{1} << 60})
    EXPECT_REFUSED(atc_conv_plan_sample(&value, count, plan.get(), 7), ATC_ERROR_INVALID_ARGUMENT,
                   "count is " + std::to_string(count), "864 elements");
  problem.batch = 0;
  EXPECT_EQ(atc_conv_plan_sample(&value, 1, create(problem).get(), 7), ATC_ERROR_INVALID_ARGUMENT);
  EXPECT_THAT(atc_last_error(), testing::HasSubstr("no elements"));
}

TEST(Cache, CountsHitsAndMissesAndIsCleared) {
  Call call(small_problem());
  ASSERT_EQ(atc_cache_clear(), ATC_OK);
  atc_cache_statistics before{}, after{};
  before.struct_size = after.struct_size = sizeof(before);
  ASSERT_EQ(atc_cache_stats(&before), ATC_OK);
  EXPECT_EQ(before.plans, 0u);
  EXPECT_EQ(before.capacity, 0u) << "there is no limit of the number of plans";
  EXPECT_EQ(before.bytes, 0u);
  EXPECT_EQ(before.byte_limit, std::uint64_t{2} << 30);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(call.eager(), ATC_OK);
  ASSERT_EQ(atc_cache_stats(&after), ATC_OK);
  EXPECT_EQ(after.misses, before.misses + 1);
  EXPECT_EQ(after.hits, before.hits + 2);
  EXPECT_EQ(after.plans, 1u);
  EXPECT_GT(after.bytes, 0u);
  // Each call reads the switch deterministic_cudnn. So a call with the switch on must not use the
  // cached plan that was decided while the switch was off.
  ASSERT_EQ(atc_set_deterministic_cudnn(1), ATC_OK);
  ASSERT_EQ(call.eager(), ATC_OK);
  ASSERT_EQ(atc_set_deterministic_cudnn(0), ATC_OK);
  ASSERT_EQ(atc_cache_stats(&before), ATC_OK);
  EXPECT_EQ(before.misses, after.misses + 1);
  ASSERT_EQ(atc_cache_clear(), ATC_OK);
  ASSERT_EQ(atc_cache_stats(&after), ATC_OK);
  EXPECT_EQ(after.plans, 0u);
}

atc_cache_statistics cache_statistics() {
  atc_cache_statistics statistics{};
  statistics.struct_size = sizeof(statistics);
  EXPECT_EQ(atc_cache_stats(&statistics), ATC_OK);
  return statistics;
}

void run_of_length(std::int64_t length) {
  atc_conv_problem problem;
  ASSERT_EQ(atc_conv_problem_init(&problem, 1), ATC_OK);
  problem.input[0] = length;
  Call call(problem);
  ASSERT_EQ(call.eager(), ATC_OK) << atc_last_error();
}

TEST(Cache, KeepsAsManyPlansAsFitIntoItsMemory) {
  ASSERT_EQ(atc_cache_clear(), ATC_OK);
  run_of_length(1);
  const std::uint64_t one = cache_statistics().bytes;
  const std::uint64_t evictions = cache_statistics().evictions;
  // The cache once had a fixed limit on the number of plans. The test uses more plans than the old
  // limit allowed.
  constexpr std::uint64_t kPlans = 600;
  // The limit allows each plan twice the size of the first plan, because the texts of plans are
  // longer for longer problems.
  ASSERT_EQ(atc_set_plan_memory_limit(2 * kPlans * one), ATC_OK);
  for (std::uint64_t n = 2; n <= kPlans; ++n) run_of_length(static_cast<std::int64_t>(n));
  EXPECT_EQ(cache_statistics().plans, kPlans);
  EXPECT_EQ(cache_statistics().evictions, evictions);

  ASSERT_EQ(atc_set_plan_memory_limit(10 * one), ATC_OK);
  run_of_length(kPlans + 1);
  const atc_cache_statistics few = cache_statistics();
  EXPECT_LE(few.bytes, 10 * one);
  EXPECT_GE(few.plans, 5u);
  EXPECT_LE(few.plans, 10u);
  EXPECT_EQ(few.evictions, evictions + kPlans + 1 - few.plans);
  // The cache keeps the most recently used plans.
  run_of_length(kPlans + 1);
  run_of_length(kPlans);
  EXPECT_EQ(cache_statistics().misses, few.misses);

  // The cache always keeps one plan, even if this plan exceeds the limit.
  ASSERT_EQ(atc_set_plan_memory_limit(1), ATC_OK);
  run_of_length(1);
  EXPECT_EQ(cache_statistics().plans, 1u);
  run_of_length(1);
  EXPECT_EQ(cache_statistics().misses, few.misses + 1);
  ASSERT_EQ(atc_set_plan_memory_limit(std::uint64_t{2} << 30), ATC_OK);
  ASSERT_EQ(atc_cache_clear(), ATC_OK);
}

TEST(Plan, WithoutTheReferenceAProblemNobodyTakesIsUnsupportedWithReasons) {
  atc_conv_problem problem = small_problem();
  // x and w have different types, so at least one of them must be converted. Only the reference
  // engine can do this without a workspace.
  problem.x_dtype = ATC_DTYPE_F16;
  problem.w_dtype = ATC_DTYPE_BF16;
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.workspace_limit = ATC_NONE;
  const PlanPtr plan = create(problem, &options);
  std::int32_t source = 0;
  ASSERT_EQ(atc_conv_plan_source(&source, plan.get()), ATC_OK);
  EXPECT_EQ(source, ATC_SOURCE_REFERENCE);
  options.allow_reference = ATC_OFF;
  atc_conv_plan* none = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&none, kCpu, &problem, &options), ATC_ERROR_UNSUPPORTED);
  EXPECT_THAT(atc_last_error(), HasSubstr("reference: not allowed"));
  EXPECT_EQ(none, nullptr);
}

}  // namespace
