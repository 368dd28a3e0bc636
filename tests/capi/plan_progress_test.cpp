// Tests progress reports and cancelling of a race (the timing of the candidates) that is started by
// making a plan.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "own_extensions.hpp"
#include "support/temp_folder.hpp"

namespace {

using namespace atc_test;
using testing::HasSubstr;

struct StoreCloser {
  void operator()(atc_store* store) const { atc_store_close(store); }
};
using Store = std::unique_ptr<atc_store, StoreCloser>;

// Stores the reports that the progress callback gets, and sets the fraction at which the callback
// cancels.
struct Watch {
  double cancel_at = 2;  // the fraction at which the callback cancels; above 1: never
  std::vector<double> fractions;
  std::vector<double> seconds;
  bool cancelled = false;

  static std::int32_t progress(const atc_tune_progress* progress, void* payload) {
    auto& watch = *static_cast<Watch*>(payload);
    EXPECT_FALSE(watch.cancelled) << "called again after it cancelled";
    EXPECT_EQ(progress->struct_size, sizeof(atc_tune_progress));
    EXPECT_EQ(progress->problem, 0u);
    EXPECT_EQ(progress->problems, 1u);
    EXPECT_THAT(progress->description, HasSubstr("forward"));
    watch.fractions.push_back(progress->problem_fraction);
    watch.seconds.push_back(progress->seconds);
    watch.cancelled = progress->problem_fraction >= watch.cancel_at;
    return watch.cancelled ? -1 : 0;
  }
};

class PlanProgress : public testing::Test {
 protected:
  void SetUp() override {
    const atc_engine engine = own_.callbacks();
    ASSERT_DONE(atc_engine_register(&engine));
    atc_store* store = nullptr;
    ASSERT_DONE(atc_store_open(&store, folder_.c_str(), 0));
    store_.reset(store);
  }
  void TearDown() override {
    EXPECT_DONE(atc_cache_clear());
    EXPECT_DONE(atc_engine_unregister("own"));
  }

  atc_conv_options watched(Watch& watch) const {
    atc_conv_options options{};
    options.struct_size = sizeof(options);
    options.tune = ATC_ON;
    options.technique = ATC_TECHNIQUE_ONCE;
    // The budget of a race in seconds. It is so long that it never ends the race, even on a busy
    // machine.
    options.budget_seconds = 60;
    options.store = store_.get();
    options.progress = Watch::progress;
    options.progress_payload = &watch;
    return options;
  }

  std::uint64_t entries() const {
    atc_store_info info{};
    info.struct_size = sizeof(info);
    EXPECT_DONE(atc_store_describe(&info, store_.get()));
    return info.entries;
  }

  const atc::test::TempFolder folder_;
  OwnEngine own_;
  Store store_;
};

// The functions that take options and can measure, called through one common signature.
using Create = atc_status (*)(atc_conv_plan**, const atc_conv_problem*, const atc_conv_options*);
constexpr Create kCreates[] = {
    [](atc_conv_plan** out, const atc_conv_problem* problem, const atc_conv_options* options) {
      return atc_conv_plan_create(out, kCpu, problem, options);
    },
    [](atc_conv_plan** out, const atc_conv_problem* problem, const atc_conv_options* options) {
      return atc_conv_plan_acquire(out, kCpu, problem, options, nullptr);
    }};

std::int32_t source_of(const atc_conv_plan* plan) {
  std::int32_t source = 0;
  EXPECT_DONE(atc_conv_plan_source(&source, plan));
  return source;
}

TEST_F(PlanProgress, RisesFromZeroToOneDuringARaceAlone) {
  for (const Create create : kCreates) {
    const atc_conv_problem problem = new_problem();
    Watch watch;
    const atc_conv_options options = watched(watch);
    atc_conv_plan* plan = nullptr;
    ASSERT_DONE(create(&plan, &problem, &options));
    EXPECT_EQ(source_of(plan), ATC_SOURCE_TUNED);
    atc_conv_plan_release(plan);
    ASSERT_GE(watch.fractions.size(), 4u);
    EXPECT_EQ(watch.fractions.front(), 0);
    EXPECT_TRUE(std::is_sorted(watch.fractions.begin(), watch.fractions.end()));
    EXPECT_TRUE(std::is_sorted(watch.seconds.begin(), watch.seconds.end()));
    EXPECT_EQ(std::count(watch.fractions.begin(), watch.fractions.end(), 1.0), 1);
    EXPECT_EQ(watch.fractions.back(), 1);

    Watch idle;
    const atc_conv_options again = watched(idle);
    ASSERT_DONE(atc_conv_plan_create(&plan, kCpu, &problem, &again));
    EXPECT_EQ(source_of(plan), ATC_SOURCE_RECORD);
    atc_conv_plan_destroy(plan);
    EXPECT_TRUE(idle.fractions.empty()) << "called though a record served";
  }
}

TEST_F(PlanProgress, WhereverItCancelsNothingIsMadeOrKept) {
  for (const Create create : kCreates)
    for (const double fraction : {0.0, 1e-9, 0.9, 1.0}) {
      SCOPED_TRACE(fraction);
      const atc_conv_problem problem = new_problem();
      Watch watch;
      watch.cancel_at = fraction;
      const atc_conv_options options = watched(watch);
      auto* const untouched = reinterpret_cast<atc_conv_plan*>(this);
      atc_conv_plan* plan = untouched;
      const int live = own_.live;  // the number of prepared candidates that the cached plans hold
      EXPECT_REFUSED(create(&plan, &problem, &options), ATC_ERROR_CANCELLED, "was cancelled");
      EXPECT_TRUE(watch.cancelled);
      EXPECT_EQ(plan, untouched);
      EXPECT_EQ(entries(), 0u);
      EXPECT_EQ(own_.live, live);

      // The cancelled race must have left no decision in the process, so the next call measures
      // again.
      Watch second;
      const atc_conv_options without = watched(second);
      ASSERT_DONE(create(&plan, &problem, &without));
      EXPECT_EQ(source_of(plan), ATC_SOURCE_TUNED);
      EXPECT_EQ(entries(), 1u);
      atc_conv_plan_release(plan);
      // Removes the entry from the store, so that the next function measures, too.
      EXPECT_DONE(atc_store_prune(nullptr, store_.get(), 0));
    }
}

TEST_F(PlanProgress, CancelledBeforeTheRaceNoEngineRuns) {
  const atc_conv_problem problem = new_problem();
  Watch watch;
  watch.cancel_at = 0;
  const atc_conv_options options = watched(watch);
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &problem, &options), ATC_ERROR_CANCELLED, "");
  EXPECT_EQ(watch.fractions, std::vector<double>{0});
  EXPECT_EQ(own_.calls, 0);
}

// The engine "own" is registered after a decision was stored. So it is timed against the winner of
// that decision.
TEST_F(PlanProgress, ACancelledRaceOfNewcomersLeavesTheRecord) {
  ASSERT_DONE(atc_engine_unregister("own"));
  OwnEngine first;
  atc_engine other = first.callbacks();
  other.name = "other";
  ASSERT_DONE(atc_engine_register(&other));
  const atc_conv_problem problem = new_problem();
  Watch watch;
  atc_conv_options options = watched(watch);
  atc_conv_plan* plan = nullptr;
  ASSERT_DONE(atc_conv_plan_create(&plan, kCpu, &problem, &options));
  atc_conv_plan_destroy(plan);
  std::uint64_t before = 0, after = 0;
  EXPECT_DONE(atc_store_digest(&before, store_.get()));

  const atc_engine engine = own_.callbacks();
  ASSERT_DONE(atc_engine_register(&engine));
  Watch cancelling;
  cancelling.cancel_at = 0.01;
  options = watched(cancelling);
  plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCpu, &problem, &options), ATC_ERROR_CANCELLED, "");
  EXPECT_EQ(plan, nullptr);
  EXPECT_DONE(atc_store_digest(&after, store_.get()));
  EXPECT_EQ(before, after);
  EXPECT_DONE(atc_engine_unregister("other"));
}

TEST_F(PlanProgress, IsNoPartOfWhatACachedPlanIsKnownBy) {
  const atc_conv_problem problem = new_problem();
  Watch first, second;
  const atc_conv_options options = watched(first), others = watched(second);
  atc_conv_plan *one = nullptr, *two = nullptr;
  ASSERT_DONE(atc_conv_plan_acquire(&one, kCpu, &problem, &options, nullptr));
  atc_conv_plan_release(one);
  // The first plan is made anew from the record, because measuring has changed the store. The
  // second plan comes from the cache.
  ASSERT_DONE(atc_conv_plan_acquire(&one, kCpu, &problem, &options, nullptr));
  atc_conv_plan_release(one);
  atc_cache_statistics before{}, after{};
  before.struct_size = after.struct_size = sizeof(before);
  ASSERT_DONE(atc_cache_stats(&before));
  ASSERT_DONE(atc_conv_plan_acquire(&two, kCpu, &problem, &others, nullptr));
  atc_conv_plan_release(two);
  ASSERT_DONE(atc_cache_stats(&after));
  EXPECT_EQ(after.hits, before.hits + 1);
  EXPECT_TRUE(second.fractions.empty());
}

}  // namespace
