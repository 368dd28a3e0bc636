// Tests candidates whose results are right but less precise than is allowed. If such a candidate is
// the program's own convolution, the candidate is marked as imprecise. With strict precision the
// candidate is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conv/decide/from_records.hpp"
#include "conv/decide/policy.hpp"
#include "conv/memory.hpp"
#include "policy_fixture.hpp"
#include "store/entry.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;

class StrictPrecision : public Policy {
 protected:
  // Registers an engine with one configuration, which rounds its results to 11 significant bits.
  void register_coarse(bool original) {
    script_->coarse = true;
    script_->offers = {offer("coarse")};
    script_->offers.front().original = original;
    register_fake();
  }
  Request strict(const Problem& problem, bool tune = false) const {
    Request request = this->request(problem, tune);
    request.strict_precision = true;
    return request;
  }
  // Returns a decision whose winner, the fake engine's "one", is marked as imprecise.
  Decision marked(const Choice& fallback) const {
    Decision decision = record(fallback);
    decision.candidates[1].imprecise = true;
    decision.candidates[1].reason = "imprecise: by a bit";
    return decision;
  }
  static const Candidate& fakes(const Decision& decision) {
    for (const Candidate& candidate : decision.candidates)
      if (candidate.choice.engine == "fake") return candidate;
    throw Error(Status::internal, "the fake did not race");
  }
};

TEST_F(StrictPrecision, RacesMarkTheOriginalAlone) {
  register_coarse(true);
  const Problem problem = problem_of(201);
  const Decision raced = *decide(problem, request(problem, true)).decision;
  EXPECT_TRUE(fakes(raced).ran());
  EXPECT_TRUE(fakes(raced).imprecise);
  EXPECT_THAT(fakes(raced).reason, HasSubstr("imprecise: element"));
  for (const Candidate& candidate : raced.candidates)
    EXPECT_EQ(candidate.imprecise, candidate.choice.engine == "fake");
}

TEST_F(StrictPrecision, RacesRefuseAnyOther) {
  register_coarse(false);
  const Problem problem = problem_of(202);
  const Decision raced = *decide(problem, request(problem, true)).decision;
  EXPECT_EQ(fakes(raced).outcome, tune::Outcome::wrong_result);
  EXPECT_FALSE(fakes(raced).imprecise);
}

TEST_F(StrictPrecision, RacesRefuseTheOriginalToo) {
  register_coarse(true);
  const Problem problem = problem_of(203);
  const Decision raced = *decide(problem, strict(problem, true)).decision;
  EXPECT_EQ(fakes(raced).outcome, tune::Outcome::wrong_result);
}

// A request with strict precision takes the fastest candidate of the record that is not marked as
// imprecise. The record itself does not change, because programs without strict precision use its
// winner.
TEST_F(StrictPrecision, OfARecordTakesTheFastestWithoutAMark) {
  register_fake();
  const Problem problem = problem_of(204);
  const Choice fallback = default_choice(problem);
  for (const store::Mode mode : {store::Mode::read_write, store::Mode::replay_only}) {
    use_store(store::Mode::read_write);
    put(problem, marked(fallback));
    use_store(mode);
    const Decided decided = decide(problem, strict(problem));
    EXPECT_EQ(decided.decision->source, Source::record);
    EXPECT_EQ(to_string(decided.decision->choice), "fake@1:two");
    EXPECT_EQ(decided.decision->winner, 2u);
    const Decided other = decide(problem, request(problem));
    EXPECT_EQ(to_string(other.decision->choice), "fake@1:one");
    EXPECT_TRUE(other.decision->candidates[1].imprecise);
  }
}

TEST_F(StrictPrecision, CapturedCallsRunNoMarkedOneEither) {
  register_fake();
  const Problem problem = problem_of(205);
  Decision captured = record(default_choice(problem));
  captured.candidates[2].imprecise = true;
  captured.captured = 2;
  use_store(store::Mode::read_write);
  put(problem, captured);
  const Decided decided = decide(problem, strict(problem));
  EXPECT_EQ(to_string(decided.decision->choice), "fake@1:one");
  EXPECT_EQ(decided.decision->captured, std::nullopt);
  EXPECT_EQ(decide(problem, request(problem)).decision->captured, 2u);
}

TEST_F(StrictPrecision, WithNothingElseARecordIsAMissThatSaysSo) {
  register_fake();
  const Problem problem = problem_of(206);
  Decision all_marked = marked(default_choice(problem));
  for (Candidate& candidate : all_marked.candidates) candidate.imprecise = true;
  use_store(store::Mode::read_write);
  put(problem, all_marked);
  use_store(store::Mode::replay_only);
  try {
    decide(problem, strict(problem));
    FAIL() << "an imprecise choice was replayed";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
    EXPECT_THAT(error.what(), HasSubstr("which strict_precision refuses"));
  }
}

TEST_F(StrictPrecision, ReducedReductionsAreAllowedToAllAndRecordedApart) {
  register_coarse(false);
  const Problem problem = problem_of(208);
  Request reduced = request(problem, true);
  reduced.reduced_reduction = true;
  const Decision raced = *decide(problem, reduced).decision;
  EXPECT_TRUE(fakes(raced).ran());
  EXPECT_FALSE(fakes(raced).imprecise);
  EXPECT_NE(store::CanonicalKey(key_for(problem, reduced)).text(),
            store::CanonicalKey(key_for(problem, request(problem, true))).text());
}

// With strict precision, a new engine is timed against the candidate that replaces the record's
// imprecise winner. The new decision is only kept in the memory of the process, and not in the
// store.
TEST_F(StrictPrecision, DoesNotReplaceTheRecordOfOthers) {
  register_fake();
  const Problem problem = problem_of(207);
  const Decision before = marked(default_choice(problem));
  use_store(store::Mode::read_write);
  put(problem, before);
  auto other = std::make_shared<Script>();
  other->name = "newcomer";
  other->offers = {offer("only")};
  EngineRegistry::instance().add(std::make_shared<FakeEngine>(other));
  const Decision raced = *decide(problem, strict(problem, true)).decision;
  EXPECT_EQ(raced.source, Source::tuned);
  EXPECT_NE(raced.keeping, Keeping::stored);
  const Decision again = *decide(problem, strict(problem, true)).decision;
  EXPECT_EQ(again.source, Source::memory);
  EXPECT_EQ(again.choice, raced.choice);
  const Record kept = recorded(*store_, key_for(problem, request(problem)));
  ASSERT_EQ(kept.size(), 1u);
  EXPECT_EQ(kept.front().choice, before.choice);
  EXPECT_FALSE(kept.front().roster.has("newcomer", "1"));
  const Decision others = *decide(problem, request(problem, true)).decision;
  EngineRegistry::instance().remove("newcomer");
  EXPECT_EQ(others.source, Source::tuned);
  EXPECT_TRUE(others.candidates[1].ran()) << others.candidates[1].reason;
  EXPECT_EQ(others.keeping, Keeping::stored);
}

}  // namespace
}  // namespace atc::conv
