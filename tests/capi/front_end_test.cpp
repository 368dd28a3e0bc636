// Tests calls of front ends (libraries such as LibTorch that pass their convolutions to atc):
// cached plans that are acquired with options, and an engine that is the default engine of one
// front end only.
#include <cstdlib>
#include <memory>
#include <set>
#include <string>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/openmp.hpp"
#include "support/temp_folder.hpp"

namespace {

using atc_test::Call;
using atc_test::kCpu;

// The name of an engine, and also of the front end of this engine. The engine returns its result in
// a buffer of its own. No other front end can use such a result.
constexpr const char* kName = "own-front";

atc_status offers(void*, const atc_conv_problem*, const atc_engine_limits*,
                  atc_offer_callback offer, void* payload) {
  atc_engine_offer given{};
  given.struct_size = sizeof(given);
  given.configuration = "only";
  given.flags = ATC_ENGINE_RETURNS_OUTPUT;
  return offer(&given, payload);
}

atc_status prepare(void** prepared, void*, const atc_conv_problem* problem,
                   const atc_engine_limits*, const char*) {
  *prepared = new std::vector<float>(static_cast<std::size_t>(problem->input[0]));
  return ATC_OK;
}

atc_status execute(void*, void* prepared, atc_engine_operands* operands) {
  auto& own = *static_cast<std::vector<float>*>(prepared);
  for (std::size_t i = 0; i < own.size(); ++i)
    own[i] = static_cast<const float*>(operands->x)[i] * *static_cast<const float*>(operands->w);
  operands->result = own.data();
  return ATC_OK;
}

void release(void*, void* prepared) { delete static_cast<std::vector<float>*>(prepared); }

// Returns a problem with one channel and one filter element. Each call returns another extent,
// because a process remembers its decisions.
atc_conv_problem scaling() {
  static std::int64_t extent = 40;
  atc_conv_problem problem;
  atc_conv_problem_init(&problem, 1);
  problem.input[0] = ++extent;
  return problem;
}

atc_conv_options options_of(const char* front_end) {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  std::snprintf(options.front_end, sizeof(options.front_end), "%s", front_end);
  return options;
}

struct Release {
  void operator()(atc_conv_plan* plan) const { atc_conv_plan_release(plan); }
};
using Acquired = std::unique_ptr<atc_conv_plan, Release>;

Acquired acquire(const atc_conv_problem& problem, const atc_conv_options* options) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, kCpu, &problem, options, nullptr));
  return Acquired(plan);
}

std::string choice_of(const Acquired& plan) {
  const char* choice = "";
  EXPECT_DONE(atc_conv_plan_choice(&choice, plan.get()));
  return choice;
}

std::int32_t source_of(const Acquired& plan) {
  std::int32_t source = 0;
  EXPECT_DONE(atc_conv_plan_source(&source, plan.get()));
  return source;
}

atc_cache_statistics cache() {
  atc_cache_statistics statistics{};
  statistics.struct_size = sizeof(statistics);
  EXPECT_DONE(atc_cache_stats(&statistics));
  return statistics;
}

class FrontEnd : public testing::Test {
 protected:
  void SetUp() override {
    atc_engine engine{};
    engine.struct_size = sizeof(engine);
    engine.device_type = ATC_DEVICE_CPU;
    engine.name = kName;
    engine.version = "1";
    engine.offers = offers;
    engine.prepare = prepare;
    engine.execute = execute;
    engine.release = release;
    ASSERT_DONE(atc_engine_register(&engine));
  }
  void TearDown() override { EXPECT_DONE(atc_engine_unregister(kName)); }
};

TEST_F(FrontEnd, ItsEngineIsTheDefaultOfItsCallsAndOfNoOthers) {
  const atc_conv_problem problem = scaling();
  const atc_conv_options own = options_of(kName);
  {
    const Acquired plan = acquire(problem, &own);
    EXPECT_EQ(choice_of(plan), std::string(kName) + "@1:only");
    EXPECT_EQ(source_of(plan), ATC_SOURCE_DEFAULT);
  }
  const Acquired plan = acquire(problem, nullptr);
  EXPECT_EQ(choice_of(plan).find(kName), std::string::npos);
}

TEST_F(FrontEnd, ACopyOfItsOwnResultIsRefused) {
  Call call(scaling());
  const atc_conv_options own = options_of(kName);
  const Acquired plan = acquire(call.problem, &own);
  EXPECT_REFUSED(call.run(plan.get()), ATC_ERROR_UNSUPPORTED, kName, "front end");
}

TEST_F(FrontEnd, ARecordWithoutItsEngineIsAMissUnlessReplaying) {
  const atc::test::TempFolder folder;
  const atc_conv_problem problem = scaling();
  atc_store* store = nullptr;
  ASSERT_DONE(atc_store_open(&store, folder.c_str(), ATC_STORE_READ_WRITE));
  ASSERT_DONE(atc_store_use(store));
  atc_store_close(store);
  atc_tune_options tune{};
  tune.struct_size = sizeof(tune);
  tune.engines_barred = kName;
  tune.technique = ATC_TECHNIQUE_ONCE;
  // The budget in seconds; it is so long that it never ends the race, even on a busy machine.
  tune.problem_budget_seconds = 60;
  ASSERT_DONE(atc_tune(nullptr, kCpu, &problem, 1, &tune, nullptr, nullptr));
  const atc_conv_options own = options_of(kName);
  EXPECT_EQ(source_of(acquire(problem, nullptr)), ATC_SOURCE_RECORD);
  EXPECT_EQ(source_of(acquire(problem, &own)), ATC_SOURCE_DEFAULT);
  ASSERT_DONE(atc_store_open(&store, folder.c_str(), ATC_STORE_REPLAY_ONLY));
  ASSERT_DONE(atc_store_use(store));
  atc_store_close(store);
  EXPECT_EQ(source_of(acquire(problem, &own)), ATC_SOURCE_RECORD);
  ASSERT_DONE(atc_store_use(nullptr));
}

TEST_F(FrontEnd, ItsEngineRacesAgainstTheOneThatRunsForOthers) {
  const atc_conv_problem problem = scaling();
  const std::string others = choice_of(acquire(problem, nullptr));
  const std::string rival = others.substr(0, others.find('@'));
  if (rival == "reference")
    GTEST_SKIP() << "built without oneDNN: the reference races with nothing";
  // The calls take microseconds. If other programs have the cores, a call may wait milliseconds for
  // its second thread, and the rival engine would look too slow to be timed. So one thread is used.
  atc::test::use_threads(1);
  // Without this setting the rival engine would not be timed, because no engine can save much time
  // for such a small problem.
  setenv("ATC_EXPECTED_CALLS", "inf", 1);
  EXPECT_DONE(atc_settings_from_env());
  atc_conv_options own = options_of(kName);
  own.tune = ATC_ON;
  const Acquired plan = acquire(problem, &own);
  EXPECT_EQ(source_of(plan), ATC_SOURCE_TUNED);
  std::set<std::string> timed;
  std::size_t count = 0;
  EXPECT_DONE(atc_conv_plan_candidate_count(&count, plan.get()));
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    EXPECT_DONE(atc_conv_plan_candidate(&candidate, plan.get(), i));
    if (candidate.samples > 0) timed.insert(candidate.engine);
  }
  EXPECT_EQ(timed, (std::set<std::string>{kName, rival}));
}

TEST_F(FrontEnd, AnUnknownNameIsRefused) {
  const atc_conv_problem problem = scaling();
  const atc_conv_options unknown = options_of("nobody");
  atc_conv_plan* none = nullptr;
  EXPECT_REFUSED(atc_conv_plan_acquire(&none, kCpu, &problem, &unknown, nullptr),
                 ATC_ERROR_INVALID_ARGUMENT, "front_end", "nobody");
  EXPECT_EQ(none, nullptr);
}

TEST(AcquiredPlan, ComesFromTheCacheAndGoesBack) {
  ASSERT_DONE(atc_cache_clear());
  Call call(atc_test::small_problem());
  const std::uint64_t hits = cache().hits;
  { ASSERT_DONE(call.run(acquire(call.problem, nullptr).get())); }
  EXPECT_EQ(cache().plans, 1u);
  const Acquired again = acquire(call.problem, nullptr);
  EXPECT_EQ(cache().hits, hits + 1);
  EXPECT_EQ(cache().plans, 0u);  // the caller holds the plan, so the cache does not contain it
  const Acquired second = acquire(call.problem, nullptr);
  EXPECT_NE(second.get(), again.get());
  EXPECT_EQ(cache().hits, hits + 1);
}

TEST(AcquiredPlan, OtherOptionsAreAnotherPlan) {
  ASSERT_DONE(atc_cache_clear());
  const atc_conv_problem problem = atc_test::small_problem();
  atc_conv_options deterministic = options_of("");
  deterministic.deterministic = ATC_ON;
  const std::uint64_t misses = cache().misses;
  acquire(problem, nullptr);
  acquire(problem, &deterministic);
  EXPECT_EQ(cache().misses, misses + 2);
  // Bytes after the NUL of `front_end` have no meaning, so the same cached plan must be used.
  atc_conv_options same = deterministic;
  same.front_end[5] = 'x';
  acquire(problem, &same);
  EXPECT_EQ(cache().misses, misses + 2);
}

TEST(AcquiredPlan, TakesNoWeights) {
  Call call(atc_test::small_problem());
  const Acquired plan = acquire(call.problem, nullptr);
  EXPECT_REFUSED(atc_conv_plan_set_weights(plan.get(), &call.w.view), ATC_ERROR_INVALID_ARGUMENT,
                 "cache of plans");
}

}  // namespace
