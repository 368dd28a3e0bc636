// Tests foresee(), which returns the choice that decide() will make. It must return the same
// choice, and must not run any candidate.
#include "conv/decide/foresee.hpp"

#include <gmock/gmock.h>

#include <fstream>

#include "conv/explain/decisions_digest.hpp"
#include "conv/pins/pins_in_use.hpp"
#include "conv/race/verdicts.hpp"
#include "core/error.hpp"
#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

class Foresee : public Policy {
 protected:
  void TearDown() override {
    use_pins(nullptr);
    Policy::TearDown();
  }
  void pin_choice(const std::string& choice) {
    const std::string path = (folder_ / "pins.json").string();
    std::ofstream(path) << R"({"schema": 1, "pins": [{"match": {}, "choice": ")" << choice
                        << "\"}]}";
    use_pin_file(path);
  }
  // Calls foresee(), and then decide(), and expects the same choice of both.
  void expect_as_decided(const Problem& problem, const Request& asked, Source source) {
    const int prepared = script_->prepared, executed = script_->executed;
    const Foreseen foreseen = foresee(problem, asked);
    EXPECT_EQ(script_->prepared, prepared) << "something was built";
    EXPECT_EQ(script_->executed, executed) << "something ran";
    const auto decision = decide(problem, asked).decision;
    EXPECT_EQ(decision->source, source);
    EXPECT_EQ(foreseen.choice, decision->choice);
    EXPECT_EQ(foreseen.captured, std::nullopt);
  }
  std::uint64_t digest(const std::vector<Problem>& problems) const {
    PlanOptions options;
    options.tune = TuningMode::off;
    return decisions_digest(problems, {}, options);
  }
};

TEST_F(Foresee, EachSourceOfADecision) {
  register_fake();
  const Problem problem = problem_of(401);
  const Choice fallback = default_choice(problem);
  expect_as_decided(problem, request(problem), Source::default_engine);
  use_store(store::Mode::read_write);
  expect_as_decided(problem, request(problem), Source::default_engine);
  put(problem, record(fallback));
  expect_as_decided(problem, request(problem), Source::record);
  expect_as_decided(problem_of(401, 4), request(problem_of(401, 4)), Source::inherited);
  pin_choice("fake@1:two");
  expect_as_decided(problem, request(problem), Source::pinned);
}

TEST_F(Foresee, DecisionsOfThisProcessWhereTheRequestTunes) {
  register_fake();
  const Problem problem = problem_of(403);
  Request tuned = request(problem, true);
  tuned.engines_allowed = {"fake"};
  script_->offers = {offer("one")};
  decide(problem, tuned);
  EXPECT_EQ(foresee(problem, tuned).choice, (Choice{"fake", "1", "one", {}}));
  expect_as_decided(problem, tuned, Source::memory);
  EXPECT_FALSE(foresee(problem, request(problem)).choice == (Choice{"fake", "1", "one", {}}));
}

TEST_F(Foresee, ACapturedChoiceOnlyIfItsEngineIsHere) {
  register_fake();
  const Problem problem = problem_of(405);
  Decision known = record(default_choice(problem));
  known.captured = 2;
  use_store(store::Mode::read_write);
  put(problem, known);
  const Foreseen both = foresee(problem, request(problem));
  EXPECT_EQ(both.choice, known.choice);
  EXPECT_EQ(both.captured, known.candidates[2].choice);
  const std::uint64_t digest_of_both = digest({problem});
  known.candidates[2].choice.version = "0";
  put(problem, known);
  const Foreseen eager = foresee(problem, request(problem));
  EXPECT_EQ(eager.choice, known.choice);
  EXPECT_EQ(eager.captured, std::nullopt);
  EXPECT_NE(digest({problem}), digest_of_both);
}

TEST_F(Foresee, NoChoiceThatTheGateIsKnownToRefuse) {
  register_fake();
  const Problem problem = problem_of(407);
  const Request plain = request(problem);
  const Choice fallback = default_choice(problem);
  note_verdict(fallback, problem, plain, "wrong");
  const auto next = foresee(problem, plain).choice;
  ASSERT_TRUE(next);
  EXPECT_FALSE(*next == fallback);
  EXPECT_EQ(*next, decide(problem, plain).decision->choice);
  forget_verdicts();
  // The record was received from another machine. The gate has refused its choice in an earlier
  // process, and the store has this verdict. So foresee() must not return this choice.
  use_store(store::Mode::read_write);
  Decision known = record(fallback);
  known.received = true;
  put(problem, known);
  EXPECT_EQ(foresee(problem, plain).choice, known.choice);
  script_->skips = [](const Problem&, const std::string&) { return true; };
  EXPECT_EQ(decide(problem, plain).decision->choice, fallback);
  forget_verdicts();
  use_store(store::Mode::read);
  EXPECT_EQ(foresee(problem, plain).choice, fallback);
}

TEST_F(Foresee, WhatFailsHasNoChoice) {
  register_fake();
  const Problem problem = problem_of(409);
  use_store(store::Mode::read_write);
  use_store(store::Mode::replay_only);
  EXPECT_THROW(decide(problem, request(problem)), Error);
  EXPECT_EQ(foresee(problem, request(problem)).choice, std::nullopt);
  pin_choice("absent@1:two");
  EXPECT_THROW(decide(problem, request(problem)), Error);
  EXPECT_EQ(foresee(problem, request(problem)).choice, std::nullopt);
}

TEST_F(Foresee, ADigestIsThatOfTheChoices) {
  register_fake();
  const Problem one = problem_of(411), two = problem_of(412);
  const Choice fallback = default_choice(one);
  use_store(store::Mode::read_write);
  const std::uint64_t defaults = digest({one, two});
  EXPECT_EQ(digest({two, one, two}), defaults);
  EXPECT_NE(digest({one}), defaults);
  EXPECT_NE(digest({}), defaults);
  Decision known = record(fallback);
  put(one, known);
  const std::uint64_t recorded = digest({one, two});
  EXPECT_NE(recorded, defaults);
  // Changing a time must not change the digest, because times are not part of the choices.
  known.candidates[1].statistics.median = 2e-3;
  put(one, known);
  EXPECT_EQ(digest({one, two}), recorded);
  pin_choice("fake@1:two");
  EXPECT_NE(digest({one, two}), recorded);
  pin_choice("fake@1:one");
  EXPECT_EQ(digest({one}), [&] {
    use_pins(nullptr);
    return digest({one});
  }()) << "the pin says what the store says";
}

}  // namespace
}  // namespace atc::conv
