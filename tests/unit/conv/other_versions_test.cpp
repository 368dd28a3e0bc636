// Tests the use of a record that was measured with other versions of libraries: which records may
// be used, that each choice is checked once, and where such a choice stands in a race. The version
// of oneDNN is part of the environment of a record on the CPU. So a record in an environment with
// an invented version of oneDNN stands for a record of another version.
#include <gmock/gmock.h>

#include <cstdlib>
#include <limits>

#include "conv/decide/foresee.hpp"
#include "conv/decide/from_other_versions.hpp"
#include "conv/explain/decisions_digest.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "policy_fixture.hpp"
#include "store/layered_store.hpp"
#include "store/origin.hpp"

namespace atc::conv {
namespace {

using store::Json;
using testing::HasSubstr;

constexpr const char* kLibrary = "onednn";
constexpr const char* kOther = "0.1";

class OtherVersions : public Policy {
 protected:
  void SetUp() override {
    Policy::SetUp();
    fallback_ = default_choice(problem_);
    use_store(store::Mode::read_write);
  }
  Request adopting(bool tune = false) const {
    Request asked = request(problem_, tune);
    asked.other_versions = true;
    return asked;
  }
  store::Key own_key() const { return key_for(problem_, request(problem_)); }
  store::Key other_key(const char* version = kOther) const {
    store::Key key = own_key();
    key.environment[kLibrary] = version;
    return key;
  }
  // Returns a decision of a race with another version of oneDNN. "one" of the fake engine has won.
  Decision other_record(const char* version = kOther) const {
    Decision decision = record({kLibrary, version, "direct", {}});
    decision.roster = {{kLibrary, version}, {"fake", "1"}};
    return decision;
  }
  void put_at(const store::Key& key, const Decision& decision) {
    store_->put(key, to_json(decision));
  }
  static void win(Decision& decision, std::size_t index) {
    decision.candidates[*decision.winner].outcome = tune::Outcome::lost;
    decision.candidates[index].outcome = tune::Outcome::won;
    decision.winner = index;
    decision.choice = decision.candidates[index].choice;
  }
  Source source() const { return decide(problem_, adopting()).decision->source; }
  // Returns the number of executions of the fake engine during a decision.
  int executed() const {
    const int before = script_->executed;
    source();
    return script_->executed - before;
  }
  // Forgets what the process knows, and opens the store again, as a new process would.
  void next_process() {
    forget_verdicts();
    use_store(store::Mode::read_write);
  }

  const Problem problem_ = problem_of(501);
  Choice fallback_;
};

TEST_F(OtherVersions, AChoiceThatExistsHereRunsIfTheOptionIsOn) {
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_EQ(decide(problem_, request(problem_)).decision->choice, fallback_) << "it is off";
  const auto decision = decide(problem_, adopting()).decision;
  EXPECT_EQ(decision->source, Source::adopted);
  EXPECT_EQ(to_string(decision->choice), "fake@1:one");
  EXPECT_EQ(decision->keeping, Keeping::unkept);
  EXPECT_EQ(store_->get(own_key()), nullptr) << "nothing is written for the versions in use";
  const Peeked peeked = peek(problem_, adopting());
  ASSERT_TRUE(peeked.decision);
  EXPECT_EQ(peeked.decision->source, Source::adopted);
  if (fallback_.engine == kLibrary) {
    EXPECT_THAT(decision->candidates[*decision->winner].notes,
                HasSubstr("measured with onednn 0.1"));
  }
}

TEST_F(OtherVersions, ARecordOfTheVersionsInUseComesFirst) {
  register_fake();
  put_at(other_key(), other_record());
  Decision own = record(fallback_);
  win(own, 2);
  put(problem_, own);
  const auto decision = decide(problem_, adopting()).decision;
  EXPECT_EQ(decision->source, Source::record);
  EXPECT_EQ(decision->choice.configuration, "two");
}

TEST_F(OtherVersions, ARecordOfAnotherDeviceOrFormatIsNotUsed) {
  register_fake();
  for (const char* member : {"name", "threads", "isa", "schema"}) {
    store::Key key = other_key();
    ASSERT_TRUE(key.environment.contains(member));
    key.environment[member] = "another";
    put_at(key, other_record());
    key.environment[kLibrary] = own_key().environment[kLibrary];
    put_at(key, other_record());
  }
  store::Key limited = other_key();
  limited.environment["instruction_sets_left"] = "sse41";
  put_at(limited, other_record());
  EXPECT_EQ(decide(problem_, adopting()).decision->choice, fallback_);
}

TEST_F(OtherVersions, AChoiceWithAPartOfAnotherVersionIsNotUsed) {
  script_->version = "2";
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_EQ(decide(problem_, adopting()).decision->choice, fallback_) << "the engine has version 2";
  Decision rewritten = other_record("0.2");
  Choice& choice = rewritten.candidates[1].choice;
  choice.version = "2";
  choice.rewrites = {{"absent", "1", ""}};
  rewritten.choice = choice;
  put_at(other_key("0.2"), rewritten);
  EXPECT_EQ(decide(problem_, adopting()).decision->choice, fallback_) << "there is no such rewrite";
  choice.rewrites.clear();
  rewritten.choice = choice;
  put_at(other_key("0.2"), rewritten);
  EXPECT_EQ(source(), Source::adopted);
}

TEST_F(OtherVersions, ARaceWithoutTheDefaultEngineIsNotUsed) {
  register_fake();
  Decision decision = other_record();
  decision.roster = {{"fake", "1"}};
  put_at(other_key(), decision);
  // If the reference is the only engine of the build, there is no default engine to race.
  EXPECT_EQ(source() == Source::adopted, fallback_.engine == "reference");
}

// LibTorch's version is not part of the environment, but only of the roster (the list of engines
// that were compared). So a record of another LibTorch has the same key.
TEST_F(OtherVersions, ARecordOfAnotherVersionOfTheFrontEndIsUsed) {
  script_->version = "2";
  register_fake();
  Decision decision = record(fallback_);
  win(decision, 0);
  put(problem_, decision);
  Request asked = request(problem_);
  asked.front_end = "fake";
  EXPECT_EQ(decide(problem_, asked).decision->choice.engine, "fake") << "it is off";
  asked.other_versions = true;
  const auto decided = decide(problem_, asked).decision;
  EXPECT_EQ(decided->source, Source::adopted);
  EXPECT_EQ(decided->choice, fallback_);
  EXPECT_THAT(decided->candidates[*decided->winner].notes, HasSubstr("measured with fake 1"));
}

TEST_F(OtherVersions, AReplayOnlyStoreRefusesTheOption) {
  register_fake();
  put_at(other_key(), other_record());
  use_store(store::Mode::replay_only);
  const auto refusal = [&](const auto& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::invalid_argument);
      return error.what();
    }
    return "no error";
  };
  const auto names_value_and_remedy =
      testing::AllOf(HasSubstr("options.other_versions is 2 (on)"), HasSubstr("mode read"));
  EXPECT_THAT(refusal([&] { decide(problem_, adopting()); }), names_value_and_remedy);
  EXPECT_THAT(refusal([&] { peek(problem_, adopting()); }), names_value_and_remedy);
  EXPECT_THAT(refusal([&] { foresee(problem_, adopting()); }), names_value_and_remedy);
  EXPECT_EQ(foresee(problem_, request(problem_)).choice, std::nullopt);
  try {
    decide(problem_, request(problem_));
    FAIL() << "a record of other versions was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
  }
}

TEST_F(OtherVersions, TheEnvironmentVariableTurnsItOnExceptInReplay) {
  setenv("ATC_OTHER_VERSIONS", "1", 1);
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_EQ(decide(problem_, request(problem_)).decision->source, Source::adopted);
  Request without = request(problem_);
  without.other_versions = false;
  EXPECT_EQ(decide(problem_, without).decision->choice, fallback_);
  use_store(store::Mode::replay_only);
  EXPECT_THROW(decide(problem_, request(problem_)), Error);
  EXPECT_FALSE(peek(problem_, request(problem_)).decision);
}

TEST_F(OtherVersions, OneProcessPaysForTheCheck) {
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_GT(executed(), 0) << "the gate did not check it";
  next_process();
  EXPECT_EQ(executed(), 0) << "checked again by the next process";
  EXPECT_EQ(source(), Source::adopted);
  EXPECT_FALSE(store_->get(other_key())->value.contains(store::kReceived))
      << "it was measured here, before the versions changed";
}

TEST_F(OtherVersions, AResultOfAnotherEnvironmentIsNotBelieved) {
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_GT(executed(), 0);
  Json kept = store_->get(other_key())->value;
  std::string by = kept[store::kChecked]["by"];
  ASSERT_THAT(by, HasSubstr(", environment "));
  by.back() = by.back() == '0' ? '1' : '0';
  kept[store::kChecked]["by"] = by;
  store_->put(other_key(), kept);
  next_process();
  EXPECT_GT(executed(), 0) << "a result for other versions was believed";
}

TEST_F(OtherVersions, OneProcessPaysForARefusal) {
  script_->skips = [](const Problem&, const std::string&) { return true; };
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_EQ(decide(problem_, adopting()).decision->choice, fallback_);
  next_process();
  script_->skips = {};
  EXPECT_EQ(executed(), 0) << "checked again by the next process";
  EXPECT_EQ(decide(problem_, adopting()).decision->choice, fallback_);
}

// The choice was checked with the versions in use, not with those of its record.
TEST_F(OtherVersions, ARecordFromElsewhereRemainsReceived) {
  register_fake();
  put_at(other_key(), other_record());
  secret_ = store::Secret{3, 4};  // as if the store's folder had been copied from another machine
  next_process();
  ASSERT_TRUE(store_->get(other_key())->elsewhere);
  EXPECT_GT(executed(), 0);
  const auto entry = store_->get(other_key());
  EXPECT_FALSE(entry->elsewhere);
  EXPECT_TRUE(entry->value.contains(store::kReceived));
  next_process();
  EXPECT_EQ(executed(), 0) << "checked again by the next process";
}

TEST_F(OtherVersions, TheOrderOfDecisionsDecidesBetweenVersions) {
  register_fake();
  Decision uncertain = other_record("0.1");
  uncertain.unstable = true;
  uncertain.risk = 0.5;
  Decision firm = other_record("0.2");
  win(firm, 2);
  for (const bool swapped : {false, true}) {
    put_at(other_key(swapped ? "0.2" : "0.1"), uncertain);
    store_->remove(other_key(swapped ? "0.1" : "0.2"));
    put_at(other_key(swapped ? "0.1" : "0.2"), firm);
    EXPECT_EQ(decide(problem_, adopting()).decision->choice.configuration, "two");
  }
  store_->remove(other_key("0.1"));
  store_->remove(other_key("0.2"));
  put_at(other_key("0.1"), uncertain);
  EXPECT_EQ(source(), Source::adopted);
  Request certain = adopting();
  certain.require_firm = true;
  EXPECT_EQ(decide(problem_, certain).decision->choice, fallback_);
}

TEST_F(OtherVersions, AnotherLayerServesToo) {
  register_fake();
  use_store(store::Mode::read_write, "pack");
  put_at(other_key(), other_record());
  store::Options options;
  options.secret = secret_;
  store_ = store::open_layers({folder_ / "store", folder_ / "pack"}, options);
  store::use(store_);
  EXPECT_EQ(source(), Source::adopted);
}

TEST_F(OtherVersions, ARequestThatNotesMissesNotesTheProblem) {
  register_fake();
  put_at(other_key(), other_record());
  Request later = adopting();
  later.notes_misses = true;
  const Decided decided = decide(problem_, later);
  EXPECT_EQ(decided.decision->source, Source::adopted);
  EXPECT_TRUE(decided.missed);
}

TEST_F(OtherVersions, TheReasonOfAMissNamesTheOption) {
  register_fake();
  put_at(other_key(), other_record());
  EXPECT_THAT(peek(problem_, request(problem_)).miss, HasSubstr("the option other_versions is on"));
  store_->remove(other_key());
  EXPECT_THAT(peek(problem_, request(problem_)).miss, testing::Not(HasSubstr("other_versions")));
}

TEST_F(OtherVersions, TheDigestIsOfWhatRuns) {
  register_fake();
  const auto digest = [&](bool on) {
    PlanOptions options;
    options.tune = TuningMode::off;
    options.other_versions = on;
    return decisions_digest({problem_}, {}, options);
  };
  const auto without = digest(true);
  EXPECT_EQ(without, digest(false));
  put_at(other_key(), other_record());
  const int executed = script_->executed, prepared = script_->prepared;
  EXPECT_NE(digest(true), without);
  EXPECT_EQ(digest(false), without);
  EXPECT_EQ(foresee(problem_, adopting()).choice, (Choice{"fake", "1", "one", {}}));
  EXPECT_EQ(script_->executed, executed) << "something ran";
  EXPECT_EQ(script_->prepared, prepared) << "something was built";
  // If the gate refuses the choice, the default runs, and the digest is that of the default.
  script_->skips = [](const Problem&, const std::string&) { return true; };
  EXPECT_EQ(decide(problem_, adopting()).decision->choice, fallback_);
  EXPECT_EQ(digest(true), without);
}

// Runs races in which so few calls are expected that no turn (preparing, check, first batch) pays.
// So only the default and the favourite get a turn.
class RaceOfOtherVersions : public OtherVersions {
 protected:
  // Decides the problem, and returns the configurations of the fake engine that got a turn. (On a
  // busy machine a candidate may seem so slow in its turn that it is not timed further.)
  std::vector<std::string> tried(const Request& asked) const {
    const auto decision = decide(problem_, asked).decision;
    EXPECT_EQ(decision->source, Source::tuned);
    std::vector<std::string> names;
    for (const Candidate& candidate : decision->candidates)
      if (candidate.choice.engine == "fake" && candidate.outcome &&
          *candidate.outcome != tune::Outcome::skipped)
        names.push_back(candidate.choice.configuration);
    return names;
  }
  Request in_few_calls(bool adopts) const {
    Request asked = request(problem_, true);
    asked.other_versions = adopts;
    asked.race.expected_calls = 1e-9;
    // On a busy machine any finite budget may end before the favourite's turn.
    asked.race.budget_seconds = std::numeric_limits<double>::infinity();
    return asked;
  }
};

TEST_F(RaceOfOtherVersions, TheChoiceIsTimedFirst) {
  register_fake();
  Decision decision = other_record();
  win(decision, 2);
  put_at(other_key(), decision);
  EXPECT_THAT(tried(in_few_calls(true)), testing::ElementsAre("two"));
  const auto entry = store_->get(own_key());
  ASSERT_NE(entry, nullptr) << "the race is recorded for the versions in use";
  EXPECT_THAT(entry->value.dump(), testing::Not(HasSubstr("\"0.1\""))) << "it has old results";
  // Without the option the race does not prefer this choice.
  Request again = in_few_calls(false);
  again.retune = Retune::all;
  EXPECT_THAT(tried(again), testing::IsEmpty());
}

TEST_F(RaceOfOtherVersions, AChoiceThatHadNoPlaceGetsOne) {
  script_->offers.clear();
  for (const char* name : {"one", "three", "four", "five", "six", "two"})
    script_->offers.push_back(offer(name));
  register_fake();
  Decision decision = other_record();
  win(decision, 2);  // "two", for which the race has no place
  put_at(other_key(), decision);
  EXPECT_THAT(tried(in_few_calls(true)), testing::ElementsAre("two"));
  script_->offers.pop_back();
  Request again = in_few_calls(true);
  again.retune = Retune::all;
  EXPECT_THAT(tried(again), testing::IsEmpty()) << "the engine does not offer it any more";
}

}  // namespace
}  // namespace atc::conv
