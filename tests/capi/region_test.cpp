// Tests eager convolutions inside an OpenMP parallel region. Each thread of the region computes its
// convolution alone.
#include <unistd.h>
#include <cstring>
#include <memory>
#include <vector>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/openmp.hpp"

namespace {

using atc::test::in_region;
using atc::test::use_threads;
using atc_test::Call;
using atc_test::PlanDeleter;

constexpr int kThreads = 4;
constexpr unsigned kInRegion = 3;

atc_conv_problem problem(std::int32_t direction) {
  atc_conv_problem problem = atc_test::small_problem();
  problem.direction = direction;
  problem.batch = 8;
  problem.in_channels = problem.out_channels = 32;
  problem.input[0] = problem.input[1] = 14;
  return problem;
}

class Region : public testing::Test {
 protected:
  void SetUp() override {
    if (!in_region(1, [](unsigned) {})) GTEST_SKIP() << "no OpenMP runtime is loaded";
    // A region that waits for more threads than exist would hang. The alarm ends the process after
    // 120 seconds.
    alarm(120);
    use_threads(kThreads);
  }
  void TearDown() override { alarm(0); }
};

std::vector<float> with_threads(int threads, std::int32_t direction) {
  use_threads(threads);
  Call call(problem(direction));
  EXPECT_DONE(call.eager());
  use_threads(kThreads);
  return call.output().data;
}

void expect_equal(const std::vector<float>& bits, const std::vector<float>& expected) {
  ASSERT_EQ(bits.size(), expected.size());
  EXPECT_EQ(std::memcmp(bits.data(), expected.data(), bits.size() * sizeof(float)), 0);
}

TEST_F(Region, AnEagerCallHasTheBitsOfOneThread) {
  for (const std::int32_t direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
    const std::vector<float> alone = with_threads(1, direction);
    std::vector<std::unique_ptr<Call>> calls;
    for (unsigned i = 0; i < kInRegion; ++i)
      calls.push_back(std::make_unique<Call>(problem(direction)));
    std::vector<atc_status> statuses(kInRegion, ATC_ERROR_INTERNAL);
    in_region(kInRegion, [&](unsigned thread) { statuses[thread] = calls[thread]->eager(); });
    for (unsigned i = 0; i < kInRegion; ++i) {
      EXPECT_EQ(statuses[i], ATC_OK);
      expect_equal(calls[i]->output().data, alone);
    }
  }
}

TEST_F(Region, APlanFromOutsideKeepsItsBits) {
  Call outside(problem(ATC_BACKWARD_WEIGHT));
  std::vector<std::unique_ptr<atc_conv_plan, PlanDeleter>> plans;
  std::vector<std::unique_ptr<Call>> calls;
  for (unsigned i = 0; i < kInRegion; ++i) {
    atc_conv_plan* plan = nullptr;
    ASSERT_DONE(atc_conv_plan_create(&plan, atc_test::kCpu, &outside.problem, nullptr));
    plans.emplace_back(plan);
    calls.push_back(std::make_unique<Call>(outside.problem));
  }
  ASSERT_DONE(outside.run(plans[0].get()));
  std::vector<atc_status> statuses(kInRegion, ATC_ERROR_INTERNAL);
  in_region(kInRegion,
            [&](unsigned thread) { statuses[thread] = calls[thread]->run(plans[thread].get()); });
  for (unsigned i = 0; i < kInRegion; ++i) {
    EXPECT_EQ(statuses[i], ATC_OK);
    expect_equal(calls[i]->output().data, outside.output().data);
  }
}

// The cache has separate plans for calls with one thread and for calls with several threads. So
// alternating between both makes no new plan.
TEST_F(Region, CallsInsideAndOutsideInTurnMakeNoPlanAnew) {
  Call call(problem(ATC_FORWARD));
  const auto both = [&] {
    EXPECT_DONE(call.eager());
    in_region(2, [&](unsigned thread) {
      if (thread == 0) {
        EXPECT_DONE(call.eager());
      }
    });
  };
  const auto misses = [] {
    atc_cache_statistics statistics{};
    statistics.struct_size = sizeof(statistics);
    EXPECT_DONE(atc_cache_stats(&statistics));
    return statistics.misses;
  };
  both();
  const auto before = misses();
  both();
  both();
  EXPECT_EQ(misses(), before);
}

}  // namespace
