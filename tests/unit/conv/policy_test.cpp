// Tests the order in which the sources of a decision (store, memory, race, default) are tried, and
// records that cannot be used.
#include "conv/decide/policy.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include "conv/decide/from_records.hpp"
#include "conv/decide/tuning.hpp"
#include "conv/key.hpp"
#include "conv/memory.hpp"
#include "core/log.hpp"
#include "engines/registry.hpp"
#include "policy_fixture.hpp"
#include "store/entry.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;

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

// If the engine of a record's winner is missing, the record is not used. The second-best candidate
// of the record must not run instead, because it was not compared with the other engines that are
// present now.
TEST_F(Policy, WhereTheWinnersEngineIsMissingTheRecordIsAMiss) {
  const Problem problem = problem_of(102);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));  // stores a record whose winner's engine is not registered
  const Decided decided = decide(problem, request(problem));
  EXPECT_NE(decided.decision->source, Source::record);
  EXPECT_EQ(decided.decision->choice, fallback);
  use_store(store::Mode::replay_only);
  EXPECT_THROW(decide(problem, request(problem)), Error);
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
  EXPECT_EQ(decide(problem, request(problem)).decision->choice, fallback);
  Request of_front_end = request(problem);
  of_front_end.front_end = "fake";
  EXPECT_EQ(to_string(decide(problem, of_front_end).decision->choice), "fake@1:one");
}

TEST_F(Policy, ARecordThatTheDefaultEngineDidNotRaceInIsAMissExceptInReplay) {
  register_fake();
  const Problem problem = problem_of(105);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision decision = record(fallback);
  decision.roster = {{"fake", "1"}};
  put(problem, decision);
  // If the reference is the only engine of the build, a record is preferred to the reference.
  EXPECT_EQ(decide(problem, request(problem)).decision->source,
            fallback.engine == "reference" ? Source::record : Source::default_engine);
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

TEST_F(Policy, ThreadsThatMeetAProblemTogetherRaceItOnce) {
  register_fake();
  const Problem problem = problem_of(142);
  Request only = request(problem, true);
  only.engines_allowed = {"fake"};
  // The pause is long enough for the other threads to call decide() during the race of the first
  // thread.
  script_->pause = std::chrono::milliseconds(20);
  std::vector<std::thread> threads;
  std::atomic<int> raced{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back(
        [&] { raced += decide(problem, only).decision->source == Source::tuned ? 1 : 0; });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(raced, 1);
}

// When a process first finds no usable record in its store, the process writes one log line with
// the reason.
TEST_F(Policy, TheFirstMissIsTold) {
  const Problem problem = problem_of(137);
  use_store(store::Mode::read_write);
  put(problem, record(default_choice(problem)));
  use_store(store::Mode::read_write);
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, const std::string& line) {
    if (line.find("no usable record") == 0) lines.push_back(line);
  });
  Request deterministic = request(problem);
  deterministic.limits.deterministic = true;
  decide(problem, deterministic);
  // the log level is above info, so the reason is not looked up and nothing is logged
  EXPECT_TRUE(lines.empty());
  set_log_level(LogLevel::info);
  for (int i = 0; i < 2; ++i) decide(problem, deterministic);
  set_log_level(LogLevel::warning);
  set_log_sink({});
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_THAT(lines[0], HasSubstr("recorded with problem/allowed/deterministic false, here true"));
}

class Provisional : public Policy {
 protected:
  // The budget of the recorded race in seconds. It is longer than any race of these tests takes on
  // a busy machine.
  static constexpr double kBudget = 100;

  // Returns the decision record(), marked as provisional (made before the measurements were
  // sufficient).
  Decision provisional(const Choice& fallback) const {
    Decision decision = record(fallback);
    decision.unstable = true;
    decision.risk = 0.05;
    decision.why = "the winner may be 5.0 % slower than another one";
    decision.budget_seconds = kBudget;
    return decision;
  }
  // Returns a request whose technique of timing makes decisions that are never provisional, on any
  // machine.
  Request with_budget(const Problem& problem, double seconds) const {
    Request made = request(problem, true);
    made.race.technique = tune::Technique::median_of_three;
    made.race.budget_seconds = seconds;
    return made;
  }
  bool stored_provisionally(const Problem& problem) {
    const auto entry = store_->get(key_for(problem, request(problem)));
    return entry != nullptr && store::is_provisional(entry->value);
  }
};

// An execution takes at least 10 ms here. A budget of half a second is too short to time the two
// best candidates twice, so the decision is unstable (provisional).
TEST_F(Provisional, AnUnstableRaceIsStoredAndUsedLikeAnyOther) {
  script_->pause = std::chrono::milliseconds(10);
  register_fake();
  const Problem problem = problem_of(130);
  use_store(store::Mode::read_write);
  const auto of_fake = [&](bool tune) {
    Request made = request(problem, tune);
    made.front_end = "fake";
    made.engines_allowed = {"fake"};
    made.race.technique = tune::Technique::sustained;
    made.race.budget_seconds = 0.5;
    return made;
  };
  const Decided measured = decide(problem, of_fake(true));
  ASSERT_TRUE(measured.decision->unstable) << measured.decision->why;
  EXPECT_EQ(measured.decision->keeping, Keeping::stored);
  EXPECT_TRUE(stored_provisionally(problem));
  for (const store::Mode mode : {store::Mode::read, store::Mode::replay_only}) {
    use_store(mode);
    const Decided decided = decide(problem, of_fake(false));
    EXPECT_EQ(decided.decision->source, Source::record);
    EXPECT_EQ(decided.decision->choice, measured.decision->choice);
    EXPECT_TRUE(decided.decision->unstable);
    EXPECT_EQ(decided.decision->risk, measured.decision->risk);
    EXPECT_EQ(decided.decision->why, measured.decision->why);
  }
}

TEST_F(Provisional, IsRacedAgainWhereThereIsMoreBudget) {
  register_fake();
  const Problem problem = problem_of(131);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, provisional(fallback));
  EXPECT_EQ(decide(problem, with_budget(problem, kBudget)).decision->source, Source::record);
  // Tuning is off for this call, so the provisional record is used.
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
  const Decided again = decide(problem, with_budget(problem, 2 * kBudget));
  EXPECT_EQ(again.decision->source, Source::tuned);
  EXPECT_FALSE(again.decision->unstable);
  EXPECT_FALSE(stored_provisionally(problem));
  EXPECT_EQ(decide(problem, with_budget(problem, 3 * kBudget)).decision->source, Source::record);
}

// An execution takes longer than the total budget of the call. So the race has no time for some
// candidates, and its decision is provisional (the measurements were not sufficient).
TEST_F(Provisional, ATotalBudgetThatLeavesCandidatesOutDecidesProvisionally) {
  script_->pause = std::chrono::milliseconds(250);
  register_fake();
  PlanOptions options;
  options.technique = tune::Technique::median_of_three;
  options.budget_seconds = kBudget;
  options.engines_allowed = {"fake"};
  options.front_end = "fake";
  const auto tuned = [&](double total_seconds) {
    return tune_all({}, {problem_of(158)}, options, total_seconds, {}).problems.at(0);
  };
  const TunedProblem hurried = tuned(0.2);
  ASSERT_EQ(hurried.status, Status::ok) << hurried.why;
  EXPECT_TRUE(hurried.decision.unstable);
  EXPECT_THAT(hurried.why, HasSubstr("some candidates had no turn"));
  const Decision whole = tuned(2 * kBudget).decision;
  EXPECT_EQ(whole.source, Source::tuned);
  EXPECT_FALSE(whole.unstable);
  EXPECT_EQ(tuned(0.2).decision.source, Source::memory);
}

TEST_F(Provisional, RetuneMayAskForWhatIsProvisionalAlone) {
  register_fake();
  const Problem firm = problem_of(132), loose = problem_of(133);
  const Choice fallback = default_choice(firm);
  use_store(store::Mode::read_write);
  put(firm, record(fallback));
  put(loose, provisional(default_choice(loose)));
  use_store(store::Mode::read_write);
  const auto source = [&](const Problem& problem) {
    Request again = with_budget(problem, kBudget / 2);
    again.retune = Retune::provisional;
    return decide(problem, again).decision->source;
  };
  EXPECT_EQ(source(firm), Source::record);
  EXPECT_EQ(source(loose), Source::tuned);
  // the call before has stored a firm record, so this call does not measure again
  EXPECT_EQ(source(loose), Source::record);
}

TEST_F(Provisional, MayBeRefused) {
  register_fake();
  const Problem problem = problem_of(134);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, provisional(fallback));
  Request strict = request(problem);
  strict.require_firm = true;
  EXPECT_NE(decide(problem, strict).decision->source, Source::record);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
  use_store(store::Mode::replay_only);
  try {
    decide(problem, strict);
    FAIL() << "a provisional record was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
    EXPECT_THAT(error.what(), HasSubstr("provisional, which require_firm refuses"));
  }
}

// With the option require_firm, a provisional decision (without sufficient measurements) is not
// stored. The decision is kept in memory, so that the next call does not measure again.
TEST_F(Provisional, IsNotStoredWhereFirmOnesAreRequired) {
  register_fake();
  const Problem problem = problem_of(135);
  const Choice fallback = default_choice(problem);
  Decision measured = provisional(fallback);
  measured.source = Source::tuned;
  remember(Knowledge(), key_for(problem, request(problem)), measured);
  use_store(store::Mode::read_write);
  Request strict = with_budget(problem, kBudget);
  strict.require_firm = true;
  EXPECT_EQ(decide(problem, strict).decision->source, Source::memory);
  EXPECT_EQ(store_->size(), 0u);
  EXPECT_EQ(decide(problem, with_budget(problem, kBudget)).decision->source, Source::memory);
  EXPECT_TRUE(stored_provisionally(problem));
  EXPECT_EQ(decide(problem, with_budget(problem, 2 * kBudget)).decision->source, Source::tuned);
}

// The winner in the record is provisional: another candidate of the record may be faster. A
// newcomer (an engine that is not in the record) is only timed against this winner, and not against
// the other candidates. So the new decision is provisional, too.
TEST_F(Provisional, StaysSoWhereNewcomersAloneRaceAgain) {
  register_fake();
  const Problem problem = problem_of(136);
  const Decision before = provisional(default_choice(problem));
  use_store(store::Mode::read_write);
  put(problem, before);
  auto other = std::make_shared<Script>();
  other->name = "newcomer";
  other->offers = {offer("only")};
  EngineRegistry::instance().add(std::make_shared<FakeEngine>(other));
  const Decision raced = *decide(problem, with_budget(problem, kBudget)).decision;
  EXPECT_EQ(raced.source, Source::tuned);
  EXPECT_TRUE(raced.roster.has("newcomer", "1"));
  EXPECT_TRUE(raced.unstable);
  EXPECT_GE(raced.risk, before.risk);
  EXPECT_THAT(raced.why, HasSubstr(before.why));
  EXPECT_TRUE(stored_provisionally(problem));
  EngineRegistry::instance().remove("newcomer");
}

TEST_F(Policy, AMalformedRecordIsAMiss) {
  const Problem problem = problem_of(107);
  use_store(store::Mode::read_write);
  store_->put(key_for(problem, request(problem)), {{"choice", store::Json::object()}});
  EXPECT_NE(decide(problem, request(problem)).decision->source, Source::record);
}

// Problems that differ only in the batch are a family. An imported entry may be stored in the
// family of another problem. It must not be used as the record of a near batch, and must not cause
// an error.
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
  remember(Knowledge(), key_for(problem, request(problem)), measured);
  use_store(store::Mode::read_write);
  EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::memory);
  EXPECT_EQ(store_->size(), 1u);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

TEST_F(Policy, ACancelledRaceIsForgotten) {
  register_fake();
  const Problem problem = problem_of(115);
  use_store(store::Mode::read_write);
  bool ended = false;
  // Each round cancels the race one progress report later than the round before. So the race is
  // cancelled at each of its steps, also when it already has a winner.
  for (int cancel_at = 1; !ended; ++cancel_at) {
    SCOPED_TRACE(cancel_at);
    int calls = 0;
    const auto cancel = [&](double fraction, const std::string&) {
      ended = ended || fraction == 1;
      return ++calls != cancel_at;
    };
    try {
      decide(problem, request(problem, true), cancel);
      ADD_FAILURE() << "decided";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::cancelled);
    }
    EXPECT_TRUE(recall(Knowledge(), key_for(problem, request(problem))).empty());
    EXPECT_EQ(store_->size(), 0u);
  }
  EXPECT_NE(decide(problem, request(problem, true)).decision->source, Source::memory);
}

TEST_F(Policy, AChoiceThatNeedsMoreWorkspaceThanAllowedIsRefused) {
  script_->workspace = 4096;
  register_fake();
  const Problem problem = problem_of(116);
  PlanOptions options;
  options.workspace = 0;
  try {
    decide_given(problem, resolve({}, problem, options, Settings{}), {"fake", "1", "one", {}});
    FAIL() << "built beyond the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("4096"));
  }
  EXPECT_NO_THROW(decide_given(problem, request(problem), {"fake", "1", "one", {}}));
}

TEST_F(Policy, ARecordThatHidesItsOwnBufferIsNotBuilt) {
  // the engine now returns its output in a buffer of its own; when the record was made, it did not
  script_->returns_output = true;
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
    options.tune = tune ? TuningMode::on : TuningMode::off;
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
  EXPECT_TRUE(decided.decision->is_incomplete());
  EXPECT_NE(decided.decision->keeping, Keeping::stored);
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
  const Decided decided = decide_given(problem, request(problem), {"fake", "1", "one", {}});
  EXPECT_EQ(decided.decision->source, Source::given);
  for (const Choice& choice : {Choice{"fake", "1", "two", {}}, Choice{"fake", "2", "one", {}},
                               Choice{"nobody", "1", "x", {}}}) {
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
    decide_given(problem, request(problem), {"fake", "1", "one", {}});
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
    const Decided decided = decide_given(problem, request(problem), {"fake", "1", "one", {}});
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

// Decides a problem that has no usable record, while the store is replay-only. Returns the text of
// the error.
std::string told(const Problem& asked, const Request& with) {
  try {
    decide(asked, with);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
    return error.what();
  }
  return "decided";
}

// If a replay-only store has no record of the problem, the error must describe the nearest record.
TEST_F(Policy, AMissIsTold) {
  const Problem problem = problem_of(191);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  use_store(store::Mode::replay_only);
  Request deterministic = request(problem);
  deterministic.limits.deterministic = true;
  EXPECT_THAT(told(problem, deterministic),
              HasSubstr("recorded with problem/allowed/deterministic false, here true"));
  Problem strided = problem;
  strided.stride[0] = 2;
  EXPECT_THAT(told(strided, request(problem)), HasSubstr("problem/stride/0 1, here 2"));
  EXPECT_THAT(told(problem_of(17, 5), request(problem_of(17, 5))), HasSubstr("nothing like it"));
  // For this problem there is a record, but the engine of its choice is missing.
  EXPECT_THAT(told(problem, request(problem)),
              HasSubstr("one, whose choice fake@1:one cannot be built here"));
}

// To describe the nearest record, the error of a replay reads the whole store. A program may repeat
// the call after the error. Then the store must not be read again.
TEST_F(Policy, WhatIsNearIsLookedForOncePerKey) {
  const Problem problem = problem_of(192);
  use_store(store::Mode::read_write);
  put(problem, record(default_choice(problem)));
  use_store(store::Mode::replay_only);
  Problem strided = problem, dilated = problem;
  strided.stride[0] = 2;
  dilated.dilation[0] = 2;
  const std::string first = told(strided, request(strided));
  EXPECT_THAT(first, HasSubstr("problem/stride/0 1, here 2"));
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "store"))
    if (entry.path().extension() == ".json" && entry.path().filename() != "manifest.json")
      file = entry.path();
  std::ofstream(file) << "unreadable from now on";
  EXPECT_EQ(told(strided, request(strided)), first);
  EXPECT_THAT(told(dilated, request(dilated)), HasSubstr("nothing like it"));
  std::filesystem::remove(file);
  EXPECT_THAT(told(strided, request(strided)), HasSubstr("nothing like it"));
}

// One thread makes plans, while another thread registers and unregisters the engine of the record's
// choice. A plan whose creation has found the engine must be able to use it until the plan is
// destroyed.
TEST_F(Policy, AnEngineMayGoWhilePlansAreMade) {
  const Problem problem = problem_of(190);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  std::atomic<bool> done{false};
  std::atomic<int> of_record{0};
  std::thread maker([&] {
    while (!done) of_record += decide(problem, request(problem)).decision->choice.engine == "fake";
  });
  for (int i = 0; i < 300; ++i) {
    const int before = of_record;
    EngineRegistry::instance().add(std::make_shared<FakeEngine>(script_));
    // waits until the other thread has made one more plan with the engine
    while (of_record == before) std::this_thread::yield();
    for (bool removed = false; !removed;) {
      try {
        EngineRegistry::instance().remove("fake");
        removed = true;
      } catch (const Error& error) {
        ASSERT_EQ(error.status(), Status::busy);
        std::this_thread::yield();
      }
    }
  }
  done = true;
  maker.join();
}

TEST_F(Policy, ARaceBrokenOffServesTheProcessUntilThereIsMoreTime) {
  register_fake();
  const Problem problem = problem_of(180);
  Request hurried = request(problem, true);
  hurried.race.budget_seconds = 1e-9;
  const Decided first = decide(problem, hurried);
  ASSERT_EQ(first.decision->completeness, Completeness::uncompared);
  EXPECT_EQ(decide(problem, hurried).decision->source, Source::memory);
  const Decided again = decide(problem, request(problem, true));
  EXPECT_EQ(again.decision->source, Source::tuned);
  EXPECT_NE(again.decision->completeness, Completeness::uncompared);
}

TEST_F(Policy, WhatIsRememberedIsWrittenIntoEachStoreInUse) {
  register_fake();
  const Problem problem = problem_of(181);
  use_store(store::Mode::read_write);
  ASSERT_EQ(decide(problem, request(problem, true)).decision->keeping, Keeping::stored);
  use_store(store::Mode::read_write, "second");
  EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::memory);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

// An engine that is not in the record (a newcomer) is timed only against the recorded winner. If it
// does not win, the record keeps its candidates.
TEST_F(Policy, ANewcomerRacesTheRecordedWinner) {
  register_fake();
  const Problem problem = problem_of(182);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision decision = record(fallback);
  script_->offers = {offer("one")};
  put(problem, decision);
  auto other = std::make_shared<Script>();
  other->name = "newcomer";
  other->offers = {offer("only")};
  EngineRegistry::instance().add(std::make_shared<FakeEngine>(other));
  script_->asked = script_->prepared = 0;
  const Decision known = *decide(problem, request(problem)).decision;
  EXPECT_EQ(known.source, Source::record) << "nothing is measured: who raced serves";
  EXPECT_EQ(other->asked, 0);
  Request few = request(problem, true);
  few.engines_allowed = {fallback.engine, "fake", "newcomer"};
  const Decision raced = *decide(problem, few).decision;
  EXPECT_EQ(raced.source, Source::tuned);
  EXPECT_EQ(script_->asked, 0) << "the winner starts from its record";
  EXPECT_EQ(raced.roster,
            (Roster{{fallback.engine, fallback.version}, {"fake", "1"}, {"newcomer", "1"}}));
  ASSERT_EQ(raced.candidates.size(), 4u);
  EXPECT_EQ(raced.candidates[0].choice, fallback) << "the standings of the first race are kept";
  EXPECT_EQ(raced.candidates[3].choice.engine, "newcomer");
  EXPECT_TRUE(raced.candidates[1].ran());
  EXPECT_TRUE(raced.candidates[3].ran());
  EXPECT_NE(decide(problem, request(problem, true)).decision->source, Source::tuned);
  EngineRegistry::instance().remove("newcomer");
}

// A record can have two choices: one for eager calls, and one for calls that are captured in a CUDA
// graph. A newcomer (an engine that is not in the record) is timed against both.
TEST_F(Policy, ANewcomerRacesBothChoicesOfARecord) {
  register_fake();
  const Problem problem = problem_of(148);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision known = record(fallback);
  known.captured = 2;
  known.candidates[0].statistics.executions = known.candidates[2].statistics.executions = 99;
  put(problem, known);
  auto other = std::make_shared<Script>();
  other->name = "newcomer";
  other->offers = {offer("new")};
  EngineRegistry::instance().add(std::make_shared<FakeEngine>(other));
  const Decision raced = *decide(problem, request(problem, true)).decision;
  EXPECT_EQ(raced.source, Source::tuned);
  ASSERT_EQ(raced.candidates.size(), 4u);
  EXPECT_EQ(raced.candidates[0].statistics.executions, 99u) << "it has not raced";
  EXPECT_EQ(raced.candidates[2].choice, known.candidates[2].choice);
  EXPECT_NE(raced.candidates[2].statistics.executions, 99u) << "it has";
  EXPECT_EQ(raced.candidates[3].choice.engine, "newcomer");
  EXPECT_EQ(raced.choice, raced.candidates[*raced.winner].choice);
  // the decision has no choice for captured calls, because the CPU has no captures
  EXPECT_EQ(raced.captured, std::nullopt);
  EngineRegistry::instance().remove("newcomer");
}

TEST_F(Policy, ANewcomerThatOffersNothingIsAskedOnce) {
  register_fake();
  const Problem problem = problem_of(183);
  use_store(store::Mode::read_write);
  put(problem, record(default_choice(problem)));
  use_store(store::Mode::read_write);
  auto other = std::make_shared<Script>();
  other->name = "newcomer";
  EngineRegistry::instance().add(std::make_shared<FakeEngine>(other));
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(decide(problem, request(problem, true)).decision->source, Source::record);
  EXPECT_EQ(other->asked, 1);
  EngineRegistry::instance().remove("newcomer");
}

// Two versions of an engine use the same store. Each version must find its own decision, so that
// the versions do not race again and again.
TEST_F(Policy, VersionsThatShareAStoreDoNotAlternate) {
  const Problem problem = problem_of(184);
  use_store(store::Mode::read_write);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  for (const char* version : {"1", "2"}) {
    // Stores two decisions in one record, each with another version of the engine `fake`.
    Decision decision = record(fallback);
    decision.candidates[1].choice.version = decision.candidates[2].choice.version = version;
    decision.choice = decision.candidates[1].choice;
    decision.roster = {{fallback.engine, fallback.version}, {"fake", version}};
    Record together = recorded(*store_, key_for(problem, request(problem)));
    add(together, decision);
    store_->put(key_for(problem, request(problem)), to_json(together));
  }
  for (const char* version : {"1", "2", "1"}) {
    script_->version = version;
    register_fake();
    const Decision found = *decide(problem, request(problem, true)).decision;
    EXPECT_EQ(found.source, Source::record);
    EXPECT_EQ(found.choice.version, version);
    EngineRegistry::instance().remove("fake");
    registered_ = false;
  }
}

TEST_F(Policy, AChainRunsAndIsReplayed) {
  register_fake();
  script_->offers = {offer("one")};
  script_->workspace = 128;
  rewrite_script().configurations = {"", "wide"};
  const Problem problem = problem_of(185);
  Choice chain{"fake", "1", "one", {{"detour", "1", "wide"}}};
  use_store(store::Mode::read_write);
  Decision decision = record(default_choice(problem));
  decision.candidates[1].choice = decision.choice = chain;
  decision.roster.add("detour", "1");
  use_store(store::Mode::read_write);
  put(problem, decision);
  use_store(store::Mode::replay_only);
  const Decided decided = decide(problem, request(problem));
  EXPECT_EQ(to_string(decided.decision->choice), "detour@1(wide)>fake@1:one");
  EXPECT_EQ(decided.prepared->workspace_size(), atc_test::FakeRewrite::between(problem) + 128);
  // The choice is a chain: a rewrite ("detour") and an engine ("fake"). If one of them is barred or
  // missing, the record is not used.
  for (const char* link : {"detour", "fake"}) {
    Request barred = request(problem);
    barred.engines_barred = {link};
    EXPECT_THROW(decide(problem, barred), Error) << link;
  }
  rewrite_script().version = "2";
  EXPECT_THROW(decide(problem, request(problem)), Error);
  EXPECT_THROW(decide_given(problem, request(problem), chain), Error);
  rewrite_script() = {"1", {""}};
  EXPECT_THROW(decide(problem, request(problem)), Error) << "no such way any more";
}

TEST_F(Policy, AChainRacesWithPlacesOfItsOwn) {
  register_fake();
  script_->offers = {offer("one"), offer("two"), offer("three")};
  rewrite_script().configurations = {""};
  const Problem problem = problem_of(186);
  const Decision raced = *decide(problem, request(problem, true)).decision;
  std::vector<std::string> chains;
  for (const Candidate& candidate : raced.candidates) {
    if (candidate.choice.rewrites.empty() || candidate.choice.engine != "fake") continue;
    chains.push_back(to_string(candidate.choice));
    EXPECT_TRUE(candidate.ran()) << candidate.reason;
    EXPECT_EQ(candidate.rewrites, "detour@1>");
  }
  EXPECT_EQ(chains, (std::vector<std::string>{"detour@1>fake@1:one", "detour@1>fake@1:two"}));
  EXPECT_TRUE(raced.roster.has("detour", "1"));
}

TEST_F(Policy, AChainKeepsToTheWorkspaceOfAll) {
  register_fake();
  script_->offers = {offer("one")};
  script_->workspace = 1 << 20;
  rewrite_script().configurations = {""};
  const Problem problem = problem_of(187);
  const Choice chain{"fake", "1", "one", {{"detour", "1", ""}}};
  Request limited = request(problem);
  limited.limits.workspace = 1 << 20;
  EXPECT_NO_THROW(decide_given(problem, limited, {"fake", "1", "one", {}}));
  try {
    decide_given(problem, limited, chain);
    FAIL() << "built beyond the limit";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::unsupported);
    EXPECT_THAT(error.what(), HasSubstr("workspace"));
  }
}

// decide() must return the winner in the form in which the race has prepared it, and must not
// prepare the winner again.
TEST_F(Policy, AWinnerIsPreparedOnce) {
  register_fake();
  script_->offers = {offer("one")};
  const Problem problem = problem_of(188);
  Request only = request(problem, true);
  only.engines_allowed = {"fake"};
  const Decided decided = decide(problem, only);
  EXPECT_EQ(decided.decision->choice.engine, "fake");
  EXPECT_NE(decided.prepared, nullptr);
  EXPECT_EQ(script_->prepared, 1);
}

// A candidate that has to be compiled is prepared on another thread during the race. If the engine
// gives the compiled result as a text, the race's thread prepares the candidate from this text.
TEST_F(Policy, WhatCompilesIsCompiledBesideTheRace) {
  register_fake();
  script_->offers = {offer("one"), offer("two"), offer("three")};
  script_->offers[2].compiles = true;
  script_->compiled = "text";
  Request only = request(problem_of(190), true);
  only.engines_allowed = {"fake"};
  decide(problem_of(190), only);
  EXPECT_EQ(script_->prepared_beside, 1);  // the candidate "three"
  EXPECT_EQ(script_->loaded, 1);
  EXPECT_EQ(script_->prepared, 4);

  script_->compiled.clear();
  const Decided decided = decide(problem_of(191), only);
  EXPECT_EQ(script_->prepared_beside, 2);
  EXPECT_EQ(script_->loaded, 1);
  EXPECT_EQ(script_->prepared, 7);
  for (const Candidate& candidate : decided.decision->candidates)
    EXPECT_TRUE(candidate.ran()) << candidate.reason;
}

// The record names its sidecar, the file with the compiled text. The sidecar is loaded when a plan
// is made, but not when the record is looked up.
TEST_F(Policy, WhatWasCompiledIsLoadedByWhoBuildsAPlan) {
  const Problem problem = problem_of(193);
  Request only = recorded_compiled(problem, std::string(100'000, 'x'));
  const store::Key key = key_for(problem, only);
  const auto entry = store_->get(key);
  ASSERT_NE(entry, nullptr);
  const auto name = store::sidecar_from_json(entry->value[store::kSidecar]);
  ASSERT_TRUE(name);
  EXPECT_EQ(store_->sidecar(key, *name), script_->compiled);

  script_->loaded = 0;
  use_store(store::Mode::replay_only);
  Request look_up = only;
  look_up.tune = look_up.plan_wanted = false;
  EXPECT_EQ(decide(problem, look_up).decision->compiled, "");
  EXPECT_EQ(script_->loaded, 0);
  const Decided built = decide(problem, only);
  EXPECT_EQ(built.decision->source, Source::record);
  EXPECT_TRUE(built.decision->compiled.empty()) << "a plan keeps a text that it has no use for";
  EXPECT_EQ(script_->loaded, 1);
}

TEST_F(Policy, WhatWasCompiledIsNotKeptByTheOneThatRacedIt) {
  register_fake();
  script_->offers[0].compiles = true;
  script_->compiled = "text";
  script_->offers.resize(1);
  const Problem problem = problem_of(196);
  Request only = request(problem, true);
  only.engines_allowed = {"fake"};
  for (const bool builds : {true, false}) {
    only.plan_wanted = builds;
    only.retune = Retune::all;
    const Decided decided = decide(problem, only);
    EXPECT_EQ(decided.decision->source, Source::tuned);
    EXPECT_EQ(decided.decision->compiled, "");
  }
  const Record kept = recall(only.knowledge_in_use(), key_for(problem, only));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept.front().compiled, "text") << "a store that is used later gets it";
}

// Records that older versions of atc have written contain the compiled text itself.
TEST_F(Policy, WhatWasCompiledIsLoadedFromARecordThatHoldsIt) {
  register_fake();
  script_->compiled = "text";
  const Problem problem = problem_of(194);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  store::Json value = to_json(record(fallback));
  value["compiled"] = "text";
  const store::Key key = key_for(problem, request(problem));
  store_->put(key, value);
  EXPECT_EQ(decide(problem, request(problem)).decision->choice.configuration, "one");
  EXPECT_EQ(script_->loaded, 1);

  // A record that an older version of atc has written contains the compiled text itself. If such a
  // record is written again, the text is moved to a sidecar (a file beside the record).
  Record known = recorded(*store_, key);
  Decision decision = known.front();
  decision.roster.add("another", "1");
  write_down(*store_, key, request(problem), decision);
  const store::Json moved = store_->get(key)->value;
  EXPECT_FALSE(moved.contains("compiled"));
  const auto name = store::sidecar_from_json(moved[store::kSidecar]);
  ASSERT_TRUE(name);
  EXPECT_EQ(store_->sidecar(key, *name), "text");
}

// The decision `firm` is so large that its entry has no room for a second decision.
TEST_F(Policy, AProvisionalDecisionForWhichThereIsNoRoomIsNotStored) {
  use_store(store::Mode::read_write);
  const Problem problem = problem_of(195);
  const store::Key key = key_for(problem, request(problem));
  Decision firm = record({"onednn", "1", "any", {}});
  firm.candidates.resize(200, Candidate(firm.candidates.back()));
  for (Candidate& candidate : firm.candidates) candidate.notes = "how it computes";
  Decision loose = firm;
  loose.unstable = true;
  loose.roster.add("another", "1");

  write_down(*store_, key, request(problem), firm);
  ASSERT_EQ(firm.keeping, Keeping::stored) << firm.why;
  write_down(*store_, key, request(problem), loose);
  EXPECT_NE(loose.keeping, Keeping::stored);
  const Record kept = recorded(*store_, key);
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_FALSE(kept.front().unstable);

  Decision newer = loose;
  newer.unstable = false;
  newer.roster.add("a third", "1");
  write_down(*store_, key, request(problem), newer);
  EXPECT_EQ(newer.keeping, Keeping::stored) << newer.why;
  EXPECT_EQ(recorded(*store_, key).size(), 1U);
}

// The sidecar (the file with the compiled text) is damaged, so the candidate is compiled again. The
// new text is stored as the sidecar, even if it differs from the old text. A store that is open for
// reading only is not changed.
TEST_F(Policy, WhatWasCompiledAndIsLostIsKeptAnew) {
  const Problem problem = problem_of(240);
  const Request only = recorded_compiled(problem, "text");
  const store::Key key = key_for(problem, only);
  const store::Json before = store_->get(key)->value;
  for (const auto& item : std::filesystem::recursive_directory_iterator(folder_.path()))
    if (item.path().extension() == ".z") std::filesystem::resize_file(item.path(), 1);

  script_->compiled = "another text";
  use_store(store::Mode::read);
  decide(problem, only);
  EXPECT_EQ(store_->get(key)->value, before);
  use_store(store::Mode::read_write);
  decide(problem, only);
  store::Json after = store_->get(key)->value;
  const auto name = store::sidecar_from_json(after[store::kSidecar]);
  ASSERT_TRUE(name);
  EXPECT_EQ(store_->sidecar(key, *name), "another text");
  after[store::kSidecar] = before[store::kSidecar];
  EXPECT_EQ(after, before);
}

// An original candidate is the convolution that the program would run without atc, for example
// LibTorch's. The store cannot keep its compiled form, so it may have to be compiled in each
// process. If another candidate is equally fast and its compiled text can be stored, the other
// candidate wins.
TEST_F(Policy, WhatTheProgramWouldRunLosesATieToWhatIsKept) {
  register_fake();
  script_->offers = {offer("own"), offer("one")};
  script_->offers[0].original = true;
  script_->offers[1].compiles = true;
  script_->compiled = "text";
  script_->pause = std::chrono::milliseconds(100);
  use_store(store::Mode::read_write);
  std::int64_t width = 195;
  const auto winner = [&] {
    const Problem problem = problem_of(width++);
    Request only = request(problem, true);
    only.engines_allowed = {"fake"};
    // With this technique and this margin the two candidates always tie, even on a busy machine.
    only.race.technique = tune::Technique::median_of_three;
    only.race.tie_margin = 0.99;
    return decide(problem, only).decision->choice.configuration;
  };
  EXPECT_EQ(winner(), "one");
  script_->compiled.clear();
  EXPECT_EQ(winner(), "own");
  script_->compiled = "text";
  use_store(store::Mode::read);
  EXPECT_EQ(winner(), "own");
}

// The gain of a decision is relative to the time of the program's own convolution ("original"). So
// this convolution is always timed in more than one sample, also if a recording is tuned.
TEST_F(Policy, WhatTheProgramWouldRunIsTimedMoreThanOnce) {
  register_fake();
  script_->offers = {offer("own")};
  script_->offers[0].original = true;
  script_->pause = std::chrono::milliseconds(30);
  const Problem problem = problem_of(333);
  Request tuned = request(problem, true);
  tuned.race.technique = tune::Technique::interleaved;
  tuned.race.budget_seconds = 60;
  const auto raced = decide(problem, tuned).decision;
  const auto own =
      std::find_if(raced->candidates.begin(), raced->candidates.end(),
                   [](const Candidate& candidate) { return candidate.choice.engine == "fake"; });
  ASSERT_NE(own, raced->candidates.end());
  EXPECT_EQ(raced->default_candidate, static_cast<std::size_t>(own - raced->candidates.begin()));
  EXPECT_GE(own->statistics.samples, 2u) << own->reason;
}

// If a recording is tuned, a plug-in engine offers the program's own convolution as "original".
// Then this offer is the default of the race, and not the device's default engine.
TEST_F(Policy, WhatTheProgramWouldRunIsTheDefaultOfItsRace) {
  if (!EngineRegistry::instance().find("onednn")) GTEST_SKIP() << "this build has no oneDNN";
  register_fake();
  script_->offers = {offer("own")};
  std::int64_t width = 371;
  for (const bool original : {true, false}) {
    script_->offers[0].original = original;
    const Problem problem = problem_of(width++);
    Request few = request(problem, true);
    few.engines_allowed = {"onednn", "fake"};
    const auto raced = decide(problem, few).decision;
    ASSERT_TRUE(raced->default_candidate);
    EXPECT_EQ(raced->candidates[*raced->default_candidate].choice.engine,
              original ? "fake" : "onednn");
  }
}

// The record was made without the program's own convolution. So this convolution is timed as a
// newcomer (a candidate that is not in the record), but it must still be the default of the race.
TEST_F(Policy, WhatTheProgramWouldRunIsTheDefaultAlsoAsANewcomer) {
  if (!EngineRegistry::instance().find("onednn")) GTEST_SKIP() << "this build has no oneDNN";
  use_store(store::Mode::read_write);
  const Problem problem = problem_of(377);
  Request few = request(problem, true);
  few.engines_allowed = {"onednn", "fake"};
  const auto recorded = decide(problem, few).decision;
  EXPECT_EQ(recorded->choice.engine, "onednn");
  register_fake();
  script_->offers = {offer("own")};
  script_->offers[0].original = true;
  const auto raced = decide(problem, few).decision;
  ASSERT_EQ(raced->source, Source::tuned);
  ASSERT_TRUE(raced->default_candidate);
  EXPECT_EQ(raced->candidates[*raced->default_candidate].choice.engine, "fake");
  EXPECT_EQ(raced->candidates.size(), recorded->candidates.size() + 1);
}

// An execution of the program's own convolution takes longer than the whole budget, so the race
// compares nothing. If a call without tuning runs another candidate (as in programs on candle,
// where it runs oneDNN), the call that tunes runs this candidate, too.
TEST_F(Policy, WhatTheProgramWouldRunDoesNotReplaceTheDefaultUncompared) {
  if (!EngineRegistry::instance().find("onednn")) GTEST_SKIP() << "this build has no oneDNN";
  register_fake();
  script_->offers = {offer("own")};
  script_->offers[0].original = true;
  script_->pause = std::chrono::milliseconds(100);
  const Problem problem = problem_of(381);
  Request few = request(problem, true);
  few.engines_allowed = {"onednn", "fake"};
  few.race.budget_seconds = 0.01;
  EXPECT_EQ(decide(problem, few).decision->choice, default_choice(problem));
  EXPECT_EQ(script_->executed, 1);
  EXPECT_EQ(decide(problem, few).decision->choice.engine, "onednn");
  EXPECT_EQ(script_->executed, 1) << "raced again";
  few.race.budget_seconds = 60;
  const auto raced = decide(problem, few).decision;
  EXPECT_EQ(raced->source, Source::tuned);
  EXPECT_EQ(raced->choice.engine, "onednn");
  EXPECT_GT(script_->executed, 1);
}

// The same as a newcomer: nothing was compared with the recorded choice, so this choice still runs.
TEST_F(Policy, WhatTheProgramWouldRunDoesNotReplaceARecordUncompared) {
  if (!EngineRegistry::instance().find("onednn")) GTEST_SKIP() << "this build has no oneDNN";
  use_store(store::Mode::read_write);
  const Problem problem = problem_of(383);
  Request few = request(problem, true);
  few.engines_allowed = {"onednn", "fake"};
  const Choice recorded = decide(problem, few).decision->choice;
  register_fake();
  script_->offers = {offer("own")};
  script_->offers[0].original = true;
  script_->pause = std::chrono::milliseconds(100);
  few.race.budget_seconds = 0.01;
  EXPECT_EQ(decide(problem, few).decision->choice, recorded);
  EXPECT_EQ(script_->executed, 1);
  EXPECT_EQ(decide(problem, few).decision->choice, recorded);
  EXPECT_EQ(script_->executed, 1) << "raced again";
  // The record is unchanged, so another process with a longer budget compares both.
  few.race.budget_seconds = 60;
  const auto raced = decide(problem, few).decision;
  EXPECT_EQ(raced->source, Source::tuned);
  EXPECT_EQ(raced->choice.engine, "onednn");
  EXPECT_GT(script_->executed, 1);
}

// The original candidate may spread infinities to other outputs, because the program has the same
// results without atc. Any other candidate must keep infinities where the default keeps them.
TEST_F(Policy, TheOriginalAloneMayLetInfinitiesSpread) {
  if (!EngineRegistry::instance().find("onednn")) GTEST_SKIP() << "this build has no oneDNN";
  register_fake();
  script_->spreads = true;
  std::int64_t width = 341;
  for (const bool original : {true, false}) {
    script_->offers = {offer("own")};
    script_->offers[0].original = original;
    const Problem problem = problem_of(width++);
    Request few = request(problem, true);
    // Only two candidates take part. A third, faster candidate could end the timing of "own" before
    // the gate has checked it.
    few.race.max_candidates = 2;
    const auto raced = decide(problem, few).decision;
    const auto own =
        std::find_if(raced->candidates.begin(), raced->candidates.end(),
                     [](const Candidate& candidate) { return candidate.choice.engine == "fake"; });
    ASSERT_NE(own, raced->candidates.end());
    EXPECT_EQ(own->ran(), original) << own->reason;
    EXPECT_EQ(own->outcome == tune::Outcome::wrong_result, !original) << own->reason;
  }
}

// A candidate gets no turn (is not timed) if the turn would take longer than the candidate can
// save. The decision of the race is nevertheless complete and firm.
TEST_F(Policy, ACandidateThatDoesNotPayIsLeftOutOfAFirmDecision) {
  register_fake();
  script_->offers = {offer("one"), offer("two")};
  use_store(store::Mode::read_write);
  Request only = request(problem_of(357), true);
  only.engines_allowed = {"fake"};
  only.race.expected_calls = 1e-3;
  const auto raced = decide(problem_of(357), only).decision;
  EXPECT_EQ(raced->choice.configuration, "one");
  EXPECT_EQ(raced->candidates[1].outcome, tune::Outcome::skipped);
  EXPECT_THAT(raced->candidates[1].reason, HasSubstr("expected to save"));
  EXPECT_FALSE(raced->unstable);
  EXPECT_FALSE(raced->is_incomplete());
  EXPECT_EQ(raced->keeping, Keeping::stored);
  // A later request for the same problem that expects more calls must use the same decision.
  only.race.expected_calls = std::numeric_limits<double>::infinity();
  EXPECT_EQ(decide(problem_of(357), only).decision->source, Source::record);
}

TEST_F(Policy, WhatCannotBeCompiledBesideTheRaceSaysWhy) {
  register_fake();
  script_->offers = {offer("one"), offer("two"), offer("three")};
  script_->offers[2].compiles = true;
  script_->unbuildable = "three";
  Request only = request(problem_of(192), true);
  only.engines_allowed = {"fake"};
  const Decided decided = decide(problem_of(192), only);
  ASSERT_EQ(decided.decision->candidates.size(), 3u);
  EXPECT_THAT(decided.decision->candidates[2].reason, HasSubstr("scripted not to build three"));
}

TEST_F(Policy, AnEngineHasItsOwnPlacesAndTheDefaultAllThatItOffers) {
  register_fake();
  script_->offers.clear();
  for (int i = 0; i < 9; ++i) script_->offers.push_back(offer(std::to_string(i)));
  const Problem problem = problem_of(189);
  const Decision raced = *decide(problem, request(problem, true)).decision;
  std::size_t ran = 0, beyond = 0;
  for (const Candidate& candidate : raced.candidates) {
    if (candidate.choice.engine != "fake") continue;
    (candidate.reason.find("beyond the 4 places of fake") == std::string::npos ? ran : beyond) += 1;
  }
  EXPECT_EQ(ran, 4u);
  EXPECT_EQ(beyond, 5u);
}

}  // namespace
}  // namespace atc::conv
