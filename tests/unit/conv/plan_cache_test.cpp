#include "conv/run/plan_cache.hpp"
#include "conv/decide/policy.hpp"

#include <gtest/gtest.h>

#include "conv/memory.hpp"
#include "conv/run/workspace_pool.hpp"
#include "engines/registry.hpp"
#include "fake_engine.hpp"

namespace atc::conv {
namespace {

std::unique_ptr<Plan> make_plan(const Settings& settings) {
  const Problem problem = atc_test::problem_of(9);
  const Request request = resolve({}, problem, {}, settings);
  return std::make_unique<Plan>(problem, request, decide(problem, request));
}

TEST(PlanCache, OnePlanPerCallerAndAllOfThemKept) {
  clear_plan_cache();
  int made = 0;
  const auto make = [&](const Settings& settings) {
    ++made;
    return make_plan(settings);
  };
  {
    const PlanLease one({"call", {}, 4}, make), other({"call", {}, 4}, make);
    EXPECT_NE(&one.plan(), &other.plan());
  }
  EXPECT_EQ(made, 2);
  EXPECT_EQ(cache_statistics().plans, 2u);
  { const PlanLease again({"call", {}, 4}, make); }
  EXPECT_EQ(made, 2);
  { const PlanLease elsewhere({"call", {}, 16}, make); }
  { const PlanLease another({"cell", {}, 4}, make); }
  EXPECT_EQ(made, 4);
  clear_plan_cache();
}

TEST(PlanCache, ADecisionMadeSinceMakesAPlanStale) {
  clear_plan_cache();
  int made = 0;
  const auto make = [&](const Settings& settings) {
    ++made;
    return make_plan(settings);
  };
  { const PlanLease one({"call", {}, 4}, make); }
  decisions_changed();
  { const PlanLease two({"call", {}, 4}, make); }
  EXPECT_EQ(made, 2);
  EXPECT_EQ(cache_statistics().plans, 1u);
  clear_plan_cache();
}

// A cached plan belongs to the settings at the time when its creation began. If the settings change
// while the plan is made, the next call must decide again.
TEST(PlanCache, AChangeWhileAPlanIsMadeMakesTheNextCallDecideAgain) {
  clear_plan_cache();
  int made = 0;
  const auto make = [&](const Settings& settings) {
    if (++made == 1) decisions_changed();
    return make_plan(settings);
  };
  { const PlanLease one({"changing", {}, 4}, make); }
  { const PlanLease two({"changing", {}, 4}, make); }
  { const PlanLease three({"changing", {}, 4}, make); }
  EXPECT_EQ(made, 2);
  clear_plan_cache();
}

// A choice cannot be checked while a stream is captured. So a plan that was made during a capture
// is used for this call only. The next call makes the plan again, so that its choice is checked.
TEST(PlanCache, AnUncheckedPlanServesOneCall) {
  clear_plan_cache();
  int made = 0;
  const auto make = [&](const Settings& settings) {
    const Problem problem = atc_test::problem_of(9);
    const Request request = resolve({}, problem, {}, settings);
    Decided decided = decide(problem, request);
    Decision decision = *decided.decision;
    if (++made == 1) decision.owed = Owed::check;
    decided.decision = std::make_shared<const Decision>(std::move(decision));
    return std::make_unique<Plan>(problem, request, std::move(decided));
  };
  { EXPECT_FALSE(PlanLease({"unchecked", {}, 4}, make).from_cache()); }
  EXPECT_EQ(cache_statistics().plans, 0u);
  { EXPECT_TRUE(PlanLease({"unchecked", {}, 4}, make).from_cache()); }
  { EXPECT_TRUE(PlanLease({"unchecked", {}, 4}, make).from_cache()); }
  EXPECT_EQ(made, 2);
  EXPECT_EQ(cache_statistics().put_off, 0u) << "no race was put off";
  clear_plan_cache();
}

TEST(PlanCache, APlanThatWasClearedWhileInUseIsDroppedAfterwards) {
  {
    const PlanLease one({"cleared", {}, 4}, make_plan);
    clear_plan_cache();
  }
  EXPECT_EQ(cache_statistics().plans, 0u);
}

TEST(PlanCache, AFailedMakeLeavesNothingBehind) {
  clear_plan_cache();
  EXPECT_THROW(
      PlanLease({"failing", {}, 4},
                [](const Settings&) -> std::unique_ptr<Plan> { fail(Status::unsupported, "no"); }),
      Error);
  EXPECT_EQ(cache_statistics().plans, 0u);
  { const PlanLease one({"failing", {}, 4}, make_plan); }
  EXPECT_EQ(cache_statistics().plans, 1u);
  clear_plan_cache();
}

TEST(WorkspacePool, GivesTheSameMemoryAgain) {
  clear_workspace_pool();
  void* first = nullptr;
  {
    const WorkspaceLease lease(1000, {});
    first = lease.data();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 64, 0u);
    const WorkspaceLease other(1000, {});
    EXPECT_NE(other.data(), first);
  }
  const WorkspaceLease again(500, {});
  // the pool of workspaces hands out the block that was returned last
  EXPECT_EQ(again.data(), first);
}

}  // namespace
}  // namespace atc::conv
