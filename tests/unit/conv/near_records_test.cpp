// Tests the use of a record for a problem of another size, if the problem has no record itself:
// which problems are near enough, in which order their records are tried, whether the gate (the
// check against the reference) accepts their choices, and what a replay-only store does.
#include "conv/decide/near_records.hpp"

#include <gmock/gmock.h>

#include <cmath>

#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;

// Returns a 3x3 layer with padding, whose input has these extents.
Problem layer(std::int64_t batch, std::int64_t height, std::int64_t width, bool last = false) {
  Problem problem;
  problem.spatial = 2;
  problem.stride = problem.dilation = {1, 1, 1};
  problem.pad_low = problem.pad_high = {1, 1, 0};
  problem.w.rank = problem.x.rank = problem.y.rank = 4;
  problem.w.shape = {8, 8, 3, 3};
  problem.w.strides = {72, 9, 3, 1};
  for (Tensor* const tensor : {&problem.x, &problem.y}) {
    tensor->shape = {batch, 8, height, width};
    if (last)
      tensor->strides = {8 * height * width, 1, 8 * width, 8};
    else
      tensor->strides = {8 * height * width, height * width, width, 1};
  }
  return problem;
}

class NearRecords : public Policy {
 protected:
  store::Json key_of(const Problem& problem) const {
    return key_for(problem, request(problem)).problem;
  }
  bool are_kin(const Problem& one, const Problem& other) const {
    return kin_of(key_of(one)) == kin_of(key_of(other));
  }
  std::optional<double> distance(const Problem& one, const Problem& other) const {
    return distance_between(key_of(one), key_of(other));
  }
};

TEST_F(NearRecords, KinDifferInBatchAndSpatialExtentsAlone) {
  const Problem problem = layer(4, 32, 48);
  EXPECT_TRUE(are_kin(problem, problem));
  EXPECT_TRUE(are_kin(problem, layer(7, 32, 48)));
  EXPECT_TRUE(are_kin(problem, layer(4, 40, 64)));
  EXPECT_FALSE(are_kin(problem, layer(4, 32, 48, true))) << "another layout";
  EXPECT_TRUE(are_kin(layer(4, 32, 48, true), layer(4, 33, 47, true)))
      << "channels last: the strides are multiples of the channels";
  Problem strided = problem;
  strided.stride = {2, 2, 1};
  EXPECT_FALSE(are_kin(problem, strided));
  Problem padded = problem;
  padded.pad_low[0] = 2;
  EXPECT_FALSE(are_kin(problem, padded));
  Problem wide = problem;
  wide.w.shape[0] = 16;
  EXPECT_FALSE(are_kin(problem, wide));
}

TEST_F(NearRecords, KinHaveTheSameAlignmentOfTheirPitches) {
  EXPECT_FALSE(are_kin(layer(4, 32, 48), layer(4, 32, 50))) << "rows of 192 and 200 bytes";
  EXPECT_TRUE(are_kin(layer(4, 32, 50), layer(4, 32, 54))) << "rows of 200 and 216 bytes";
  EXPECT_FALSE(are_kin(layer(4, 32, 50), layer(4, 32, 51)));
  EXPECT_FALSE(are_kin(layer(4, 32, 1), layer(4, 32, 2))) << "an extent of 1 has no stride";
}

TEST_F(NearRecords, WithGapsOnlyTheBatchMayDiffer) {
  const auto with_gap = [](std::int64_t batch, std::int64_t height) {
    Problem problem = layer(batch, height, 48);
    problem.x.strides[0] += 64;
    return problem;
  };
  EXPECT_TRUE(are_kin(with_gap(4, 32), with_gap(5, 32)));
  EXPECT_FALSE(are_kin(with_gap(4, 32), with_gap(4, 36)));
  EXPECT_FALSE(are_kin(with_gap(4, 32), layer(4, 32, 48)));
}

TEST_F(NearRecords, DistancesAreSumsOfLogarithmsUpToAFactorOfTwoEach) {
  EXPECT_EQ(distance(layer(4, 32, 48), layer(4, 32, 48)), 0);
  EXPECT_EQ(distance(layer(4, 32, 48), layer(8, 32, 48)), 1);
  EXPECT_EQ(distance(layer(4, 32, 48), layer(2, 64, 24)), 3);
  EXPECT_NEAR(*distance(layer(4, 32, 48), layer(4, 40, 48)), std::log2(1.25), 1e-12);
  EXPECT_EQ(distance(layer(4, 32, 48), layer(9, 32, 48)), std::nullopt);
  EXPECT_EQ(distance(layer(4, 32, 48), layer(4, 65, 48)), std::nullopt);
  EXPECT_EQ(distance(layer(4, 32, 48), layer(4, 32, 23)), std::nullopt);
  EXPECT_EQ(distance(layer(0, 32, 48), layer(4, 32, 48)), std::nullopt);
}

TEST_F(NearRecords, TheNearestRecordServesAProblemWithoutOne) {
  register_fake();
  const Choice fallback = default_choice(layer(4, 32, 48));
  use_store(store::Mode::read_write);
  Decision far = record(fallback);
  far.candidates[1].outcome = tune::Outcome::lost;
  far.candidates[2].outcome = tune::Outcome::won;
  far.winner = 2;
  far.choice = far.candidates[2].choice;
  put(layer(4, 64, 48), far);
  const Problem problem = layer(4, 36, 48);
  Decided decided = decide(problem, request(problem));
  EXPECT_EQ(decided.decision->source, Source::inherited);
  EXPECT_EQ(decided.decision->choice.configuration, "two");
  // stores the record of a nearer size, after the store was already read
  put(layer(4, 32, 48), record(fallback));
  decided = decide(problem, request(problem));
  EXPECT_EQ(decided.decision->source, Source::inherited);
  EXPECT_EQ(decided.decision->choice.configuration, "one");
  EXPECT_EQ(decided.decision->keeping, Keeping::unkept);
  EXPECT_EQ(store_->size(), 2u) << "nothing is written for the new size";
  // This problem is more than twice as large as the problem of the nearest record, so the record is
  // not used.
  const Problem large = layer(4, 132, 48);
  EXPECT_NE(decide(large, request(large)).decision->source, Source::inherited);
}

TEST_F(NearRecords, TheNextOneServesIfTheEngineRefusesTheConfigurationAtThisSize) {
  script_->unbuildable = "gone";
  register_fake();
  const Problem problem = layer(4, 36, 48);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision nearest = record(fallback);
  nearest.candidates[1].choice.configuration = "gone";
  nearest.choice = nearest.candidates[1].choice;
  put(layer(4, 32, 48), nearest);
  put(layer(4, 64, 48), record(fallback));
  const Decided decided = decide(problem, request(problem));
  EXPECT_EQ(decided.decision->source, Source::inherited);
  EXPECT_EQ(decided.decision->choice.configuration, "one");
}

TEST_F(NearRecords, TheGateRefusesAChoiceThatIsWrongAtTheNewSize) {
  script_->wrong = [](const Problem& problem, const std::string& configuration) {
    return configuration == "one" && problem.x.shape[2] == 36 ? 5 : -1;
  };
  register_fake();
  const Problem problem = layer(4, 36, 48);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(layer(4, 32, 48), record(fallback));
  const Decided decided = decide(problem, request(problem));
  EXPECT_NE(decided.decision->source, Source::inherited);
  EXPECT_EQ(decided.decision->choice, fallback);
}

TEST_F(NearRecords, AReplayOnlyStoreServesOnlyIfTheOptionIsOn) {
  register_fake();
  const Problem problem = layer(4, 36, 48);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(layer(4, 32, 48), record(fallback));
  use_store(store::Mode::replay_only);
  Request asked = request(problem);
  try {
    decide(problem, asked);
    FAIL() << "decided";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
    EXPECT_THAT(error.what(), HasSubstr("near_shapes"));
  }
  asked.near_shapes = true;
  EXPECT_EQ(decide(problem, asked).decision->source, Source::inherited);
}

TEST_F(NearRecords, TheOptionOffLeavesOutOtherBatchesToo) {
  register_fake();
  const Problem problem = layer(4, 32, 48);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(layer(5, 32, 48), record(fallback));
  Request asked = request(problem);
  EXPECT_EQ(decide(problem, asked).decision->source, Source::inherited);
  asked.near_shapes = false;
  EXPECT_NE(decide(problem, asked).decision->source, Source::inherited);
}

}  // namespace
}  // namespace atc::conv
