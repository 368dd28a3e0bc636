// What decides, in which order, and what becomes of records that do not fit.
#include "conv/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "engines/registry.hpp"
#include "fake_engine.hpp"
#include "store/in_use.hpp"
#include "support/temp_folder.hpp"

namespace atc::conv {
namespace {

using atc_test::FakeEngine;
using atc_test::offer;
using atc_test::problem_of;
using atc_test::Script;
using testing::HasSubstr;

class Policy : public testing::Test {
 protected:
  void SetUp() override {
    script_ = std::make_shared<Script>();
    script_->offers = {offer("one"), offer("two")};
  }
  void TearDown() override {
    store::use(nullptr);
    if (registered_) EngineRegistry::instance().remove(script_->name);
  }

  void register_fake() {
    EngineRegistry::instance().add(std::make_shared<FakeEngine>(script_));
    registered_ = true;
  }
  void use_store(store::Mode mode, const char* name = "store") {
    store::Options options;
    options.mode = mode;
    store_ = store::Store::open(folder_ / name, options);
    store::use(store_);
  }
  Request request(const Problem& problem, bool tune = false) const {
    PlanOptions options;
    options.tune = tune;
    // What a busy machine cannot make unstable: these tests are not about how well is measured.
    options.technique = tune::Technique::once;
    options.budget_seconds = 10;  // an upper bound: races of so few end long before
    return resolve({}, problem, options, Settings{});
  }
  // What runs by default in this build.
  Choice default_choice(const Problem& problem) {
    store::use(nullptr);
    return decide(problem, request(problem)).decision->choice;
  }
  // A record among the default's first choice and the fake's two, the fake's "one" the winner.
  Decision record(const Choice& fallback) const {
    Decision decision;
    decision.candidates.resize(3);
    decision.candidates[0].choice = fallback;
    decision.candidates[1].choice = {"fake", "1", "one"};
    decision.candidates[2].choice = {"fake", "1", "two"};
    const double medians[] = {3e-3, 1e-3, 2e-3};
    for (int i = 0; i < 3; ++i) {
      Candidate& candidate = decision.candidates[static_cast<std::size_t>(i)];
      candidate.outcome =
          static_cast<std::int32_t>(i == 1 ? tune::Outcome::won : tune::Outcome::lost);
      candidate.statistics.samples = 5;
      candidate.statistics.median = medians[i];
    }
    decision.winner = 1;
    decision.default_candidate = 0;
    decision.choice = decision.candidates[1].choice;
    decision.engines = {{fallback.engine, fallback.version}, {"fake", "1"}};
    return decision;
  }
  void put(const Problem& problem, const Decision& decision) {
    store_->put(key_for(problem, request(problem)), to_json(decision));
  }

  const test::TempFolder folder_;
  std::shared_ptr<Script> script_;
  std::shared_ptr<store::Store> store_;
  bool registered_ = false;
};

TEST_F(Policy, ARegisteredEngineNeverRunsByDefault) {
  register_fake();
  const Problem problem = problem_of(100);
  EXPECT_NE(decide(problem, request(problem)).decision->choice.engine, "fake");
  EXPECT_EQ(script_->asked, 0);
}

TEST_F(Policy, ARecordDecidesWithoutAskingForOffers) {
  register_fake();
  const Problem problem = problem_of(101);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  script_->asked = 0;
  const Decided decided = decide(problem, request(problem));
  EXPECT_EQ(decided.decision->source, Source::record);
  EXPECT_EQ(to_string(decided.decision->choice), "fake@1:one");
  EXPECT_EQ(script_->asked, 0);
}

TEST_F(Policy, WhereTheWinnersEngineIsMissingTheBestRecordedOneThatIsThereRuns) {
  const Problem problem = problem_of(102);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));  // the fake is not registered
  const Decided decided = decide(problem, request(problem));
  EXPECT_EQ(decided.decision->source, Source::record);
  EXPECT_EQ(decided.decision->choice, fallback);
}

TEST_F(Policy, AnotherVersionOfAnEngineIsAnotherEngine) {
  script_->version = "2";
  register_fake();
  const Problem problem = problem_of(103);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  EXPECT_EQ(decide(problem, request(problem)).decision->choice, fallback);
}

TEST_F(Policy, AWinnerThatReturnsItsOwnBufferIsForItsFrontEndAlone) {
  register_fake();
  const Problem problem = problem_of(104);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision decision = record(fallback);
  decision.candidates[1].returns_output = true;
  put(problem, decision);
  EXPECT_EQ(to_string(decide(problem, request(problem)).decision->choice), "fake@1:two");
}

TEST_F(Policy, ARecordThatTheDefaultEngineDidNotRaceInIsAMissExceptInReplay) {
  register_fake();
  const Problem problem = problem_of(105);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision decision = record(fallback);
  decision.engines = {{"fake", "1"}};
  put(problem, decision);
  EXPECT_EQ(decide(problem, request(problem)).decision->source,
            fallback.engine == "reference" ? Source::reference : Source::default_engine);
  use_store(store::Mode::replay_only);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

TEST_F(Policy, ARecordThatCannotBeBuiltFallsToTheDefaultAndIsAnErrorInReplay) {
  script_->unbuildable = "one";
  register_fake();
  const Problem problem = problem_of(106);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  const Decided decided = decide(problem, request(problem));
  EXPECT_EQ(decided.decision->choice, fallback);
  EXPECT_NE(decided.decision->source, Source::record);
  use_store(store::Mode::replay_only);
  try {
    decide(problem, request(problem));
    FAIL() << "a record that cannot be built was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
  }
}

TEST_F(Policy, AMalformedRecordIsAMiss) {
  const Problem problem = problem_of(107);
  use_store(store::Mode::read_write);
  store_->put(key_for(problem, request(problem)), {{"choice", store::Json::object()}});
  EXPECT_NE(decide(problem, request(problem)).decision->source, Source::record);
}

// Bytes from outside may claim any family: such an entry is no nearest batch, and no fault either.
TEST_F(Policy, AnEntryOfAForeignProblemInTheFamilyIsAMiss) {
  const Problem problem = problem_of(113);
  use_store(store::Mode::read_write);
  store::Key key = key_for(problem, request(problem));
  key.problem = store::Json::object();
  store_->put(key, {{"choice", store::Json::object()}});
  key.problem = {{"x", {{"shape", {"two"}}, {"strides", {1}}}}, {"y", 3}};
  store_->put(key, {{"choice", store::Json::object()}});
  EXPECT_NE(decide(problem, request(problem)).decision->source, Source::inherited);
}

TEST_F(Policy, WhatWasMeasuredBeforeAStoreWasOpenedIsKeptInIt) {
  register_fake();
  const Problem problem = problem_of(114);
  store::use(nullptr);
  Decision measured = record(default_choice(problem));
  measured.source = Source::tuned;
  remember(key_for(problem, request(problem)), measured);
  use_store(store::Mode::read_write);
  EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::memory);
  EXPECT_EQ(store_->size(), 1u);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

TEST_F(Policy, ACancelledRaceIsForgotten) {
  register_fake();
  const Problem problem = problem_of(115);
  int calls = 0;
  try {
    decide(problem, request(problem, true), [&](const tune::Progress&) { return ++calls < 4; });
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::cancelled);
  }
  EXPECT_EQ(recall(key_for(problem, request(problem))), nullptr);
  EXPECT_NE(decide(problem, request(problem, true)).decision->source, Source::memory);
}

TEST_F(Policy, AChoiceThatNeedsMoreWorkspaceThanAllowedIsRefused) {
  script_->workspace = 4096;
  register_fake();
  const Problem problem = problem_of(116);
  PlanOptions options;
  options.workspace = 0;
  try {
    decide_given(problem, resolve({}, problem, options, Settings{}), {"fake", "1", "one"});
    FAIL() << "built beyond the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("4096"));
  }
  EXPECT_NO_THROW(decide_given(problem, request(problem), {"fake", "1", "one"}));
}

TEST_F(Policy, ARecordThatHidesItsOwnBufferIsNotBuilt) {
  script_->returns_output = true;  // the record's candidates do not say so
  register_fake();
  const Problem problem = problem_of(117);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  EXPECT_EQ(decide(problem, request(problem)).decision->choice, fallback);
}

TEST_F(Policy, CudaIsALibraryThatIsMissing) {
  const Problem problem = problem_of(118);
  PlanOptions options;
  for (const bool tune : {false, true}) {
    options.tune = tune;
    try {
      decide(problem, resolve({DeviceType::cuda, 0}, problem, options, Settings{}));
      FAIL() << "decided for CUDA";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::library);
    }
  }
}

TEST_F(Policy, ARaceThatLostACandidateToMemoryServesThisProcessAndIsNotStored) {
  script_->out_of_memory = "two";
  register_fake();
  const Problem problem = problem_of(108);
  use_store(store::Mode::read_write);
  const Decided decided = decide(problem, request(problem, true));
  EXPECT_EQ(decided.decision->source, Source::tuned);
  EXPECT_TRUE(decided.decision->incomplete);
  EXPECT_FALSE(decided.decision->stored);
  EXPECT_EQ(store_->size(), 0u);
  EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::memory);
}

TEST_F(Policy, AFieldOfTheReferenceAloneIsNoRace) {
  if (!EngineRegistry::instance().find("onednn")) {
    const Problem problem = problem_of(109);
    EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::reference);
  } else {
    GTEST_SKIP() << "oneDNN offers in this build";
  }
}

TEST_F(Policy, AGivenChoiceIsThatOrAnError) {
  script_->unbuildable = "two";
  register_fake();
  const Problem problem = problem_of(110);
  const Decided decided = decide_given(problem, request(problem), {"fake", "1", "one"});
  EXPECT_EQ(decided.decision->source, Source::given);
  for (const Choice& choice :
       {Choice{"fake", "1", "two"}, Choice{"fake", "2", "one"}, Choice{"nobody", "1", "x"}}) {
    try {
      decide_given(problem, request(problem), choice);
      FAIL() << to_string(choice);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      EXPECT_THAT(error.what(), HasSubstr(to_string(choice)));
    }
  }
}

TEST_F(Policy, AGivenChoiceThatReturnsItsOwnBufferIsRefused) {
  script_->returns_output = true;
  register_fake();
  const Problem problem = problem_of(112);
  try {
    decide_given(problem, request(problem), {"fake", "1", "one"});
    FAIL() << "its output would stay unwritten";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("front end"));
  }
}

TEST_F(Policy, AnEngineWithLivePlansIsBusy) {
  register_fake();
  const Problem problem = problem_of(111);
  {
    const Decided decided = decide_given(problem, request(problem), {"fake", "1", "one"});
    try {
      EngineRegistry::instance().remove("fake");
      FAIL() << "removed under a live plan";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::busy);
    }
  }
  EngineRegistry::instance().remove("fake");
  registered_ = false;
}

TEST_F(Policy, ARaceBrokenOffServesTheProcessUntilThereIsMoreTime) {
  register_fake();
  const Problem problem = problem_of(180);
  Request hurried = request(problem, true);
  hurried.race.budget_seconds = 1e-9;
  const Decided first = decide(problem, hurried);
  ASSERT_TRUE(first.decision->uncompared);
  EXPECT_EQ(decide(problem, hurried).decision->source, Source::memory);
  const Decided again = decide(problem, request(problem, true));
  EXPECT_EQ(again.decision->source, Source::tuned);
  EXPECT_FALSE(again.decision->uncompared);
}

TEST_F(Policy, WhatIsRememberedIsWrittenIntoEachStoreInUse) {
  register_fake();
  const Problem problem = problem_of(181);
  use_store(store::Mode::read_write);
  ASSERT_TRUE(decide(problem, request(problem, true)).decision->stored);
  use_store(store::Mode::read_write, "second");
  EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::memory);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

}  // namespace
}  // namespace atc::conv
