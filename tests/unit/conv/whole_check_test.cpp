// Tests the comparison of whole outputs, which finds wrong elements that are not among the samples
// of the gate. An output is compared with the output of a candidate from another library, or with
// the whole output of the reference.
#include "conv/race/whole_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "conv/race/arena.hpp"
#include "conv/race/gate.hpp"
#include "core/half.hpp"
#include "core/unreached.hpp"
#include "engines/reference/samples.hpp"
#include "engines/reference/tolerance.hpp"
#include "spoiling.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using conv::Agreement;
using conv::Libraries;
using test::Spec;
using test::Spoiling;
using ::testing::HasSubstr;

constexpr std::uint64_t kSeed = 1;

// Returns a layer whose output has more elements than the gate samples.
Spec layer(Direction direction, Dtype dtype = Dtype::f32) {
  Spec spec;
  spec.direction = direction;
  spec.channels_in = 12;
  spec.channels_out = 20;
  spec.in = {23, 22, 1};
  spec.kernel = {3, 3, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  spec.x = spec.w = spec.y = dtype;
  return spec;
}

// The correctness gate for a problem, with the device and the operands that it needs.
class Bench {
 public:
  explicit Bench(Problem of)
      : problem(std::move(of)),
        site_(conv::make_cpu_site()),
        arena_(problem, *site_, kSeed),
        gate(problem, *site_, arena_.operands(0), false, kSeed) {}

  tune::Verdict check(const Spoiling::Change& change, const Libraries& libraries,
                      Exactness exactness = Exactness::exact) {
    Spoiling candidate(problem, change);
    arena_.reserve_workspace(candidate.workspace_size());
    return gate.check(candidate, arena_.workspace(), exactness, false,
                      std::numeric_limits<double>::infinity(), conv::Apart::unasked,
                      conv::Imprecise::refused, libraries);
  }

  const Problem problem;

 private:
  std::unique_ptr<conv::Site> site_;
  conv::Arena arena_;

 public:
  conv::Gate gate;
};

// Returns the numbers (in logical order) of the output's elements that the gate does not sample.
std::vector<std::int64_t> unsampled(const Problem& problem) {
  const auto samples =
      reference::sample_positions(problem, reference::default_samples(problem), kSeed);
  std::vector<std::int64_t> others;
  for (std::int64_t number = 0; number < problem.output().elements(); ++number)
    if (!std::binary_search(samples.begin(), samples.end(), number)) others.push_back(number);
  return others;
}

// Returns a change that adds `by` to the elements of the output with these numbers.
Spoiling::Change moving(const Problem& problem, std::vector<std::int64_t> numbers, double by = 1) {
  return [&problem, numbers = std::move(numbers), by](const Operands& operands) {
    const Tensor& tensor = problem.output();
    void* const output = output_of(problem, operands);
    for (const std::int64_t number : numbers) {
      const std::int64_t offset = tensor.offset_of(tensor.index_of(number));
      store_element(output, tensor.dtype, offset, load_element(output, tensor.dtype, offset) + by);
    }
  };
}

class WrongBesideTheSamples : public testing::TestWithParam<Direction> {
 protected:
  void SetUp() override {
    const auto others = unsampled(bench_.problem);
    ASSERT_FALSE(others.empty());
    wrong_ = moving(bench_.problem, {others[others.size() / 2]});
    name_ = "element " + std::to_string(others[others.size() / 2]) + " is";
  }
  Bench bench_{test::build(layer(GetParam()))};
  Spoiling::Change wrong_;
  std::string name_;
};

INSTANTIATE_TEST_SUITE_P(All, WrongBesideTheSamples,
                         testing::Values(Direction::forward, Direction::backward_data,
                                         Direction::backward_weight));

TEST_P(WrongBesideTheSamples, IsRefusedAfterARightOneOfWhateverLibrary) {
  ASSERT_TRUE(bench_.check({}, {"a"}).passed);
  for (const Libraries& libraries : {Libraries{"a"}, Libraries{"b"}, Libraries{}})
    EXPECT_THAT(bench_.check(wrong_, libraries).reason, HasSubstr(name_));
}

TEST_P(WrongBesideTheSamples, IsRefutedByALaterOne) {
  ASSERT_TRUE(bench_.check(wrong_, {"a"}).passed) << "nothing is there to compare with";
  const Agreement agreement = bench_.gate.agreement();
  EXPECT_EQ(bench_.gate.refutation(agreement), "");
  EXPECT_TRUE(bench_.check({}, {"a"}).passed);
  EXPECT_THAT(bench_.gate.refutation(agreement), HasSubstr(name_));
  EXPECT_EQ(bench_.gate.refutation(bench_.gate.agreement()), "");
  EXPECT_THAT(bench_.check(wrong_, {"b"}).reason, HasSubstr(name_));
}

// Three kernels of the same library ("a") have the same output. Kernels of one library may have the
// same fault, so this agreement does not confirm the output.
TEST_P(WrongBesideTheSamples, IsInDoubtUntilTheReferenceHasComputedAll) {
  std::array<Agreement, 3> agreements;
  for (Agreement& agreement : agreements) {
    ASSERT_TRUE(bench_.check(wrong_, {"a"}).passed);
    agreement = bench_.gate.agreement();
  }
  for (const Agreement& agreement : agreements) EXPECT_TRUE(bench_.gate.is_in_doubt(agreement));
  bench_.gate.evaluate_whole();
  for (const Agreement& agreement : agreements)
    EXPECT_THAT(bench_.gate.refutation(agreement), HasSubstr(name_));
  EXPECT_THAT(bench_.check(wrong_, {"a"}).reason, HasSubstr(name_));
  EXPECT_TRUE(bench_.check({}, {"a"}).passed);
  EXPECT_FALSE(bench_.gate.is_in_doubt(bench_.gate.agreement()));
}

// Two libraries have the same wrong output, which counts as confirmed. A third library has another
// output. Then the reference computes the whole output, and the wrong output is refuted.
TEST_P(WrongBesideTheSamples, IsRefutedAlsoAfterItWasConfirmed) {
  ASSERT_TRUE(bench_.check(wrong_, {"a"}).passed);
  ASSERT_TRUE(bench_.check(wrong_, {"b"}).passed);
  const Agreement agreement = bench_.gate.agreement();
  EXPECT_FALSE(bench_.gate.is_in_doubt(agreement));
  ASSERT_TRUE(bench_.check({}, {"c"}).passed);
  EXPECT_THAT(bench_.gate.refutation(agreement), HasSubstr(name_));
  EXPECT_TRUE(bench_.gate.is_in_doubt(bench_.gate.agreement())) << "nobody agrees with it yet";
}

TEST_P(WrongBesideTheSamples, IsFoundInOneWhoseMarginIsWiderByTheSameMargin) {
  const auto others = unsampled(bench_.problem);
  const double margin =
      reference::ternary_margin(bench_.problem, Exactness::transformed, reference::Precision::fp32)
          .absolute;
  ASSERT_TRUE(bench_.check({}, {"a"}).passed);
  ASSERT_TRUE(bench_.check({}, {"b"}).passed);
  const auto refused = [&](double by) {
    return !bench_
                .check(moving(bench_.problem, {others.front()}, by), {"c"}, Exactness::transformed)
                .passed;
  };
  EXPECT_FALSE(refused(0.9 * margin));
  EXPECT_FALSE(bench_.gate.is_in_doubt(bench_.gate.agreement()));
  EXPECT_TRUE(refused(1.1 * margin)) << "two margins must not add up";
}

// The gate only keeps outputs for comparison that must be exact. The output of a candidate with a
// larger error bound (Exactness::transformed) is not kept, and cannot confirm another output.
TEST_P(WrongBesideTheSamples, IsNotConfirmedByOneWithAMargin) {
  ASSERT_TRUE(bench_.check({}, {"a"}, Exactness::transformed).passed);
  EXPECT_EQ(bench_.gate.agreement().kept, 0u);
  ASSERT_TRUE(bench_.check(wrong_, {"b"}).passed) << "the first output was not kept";
  const Agreement agreement = bench_.gate.agreement();
  ASSERT_TRUE(bench_.check(wrong_, {"c"}, Exactness::transformed).passed);
  EXPECT_TRUE(bench_.gate.is_in_doubt(agreement));
}

TEST(WholeCheck, IsConfirmedByLibrariesThatShareNothing) {
  struct Case {
    Libraries first, second;
    bool confirmed;
  };
  for (const Case& each :
       {Case{{"a"}, {"b"}, true}, Case{{"a"}, {"a"}, false}, Case{{"a", "atc"}, {"atc"}, false},
        Case{{"a", "atc"}, {"b", "atc"}, false}, Case{{"a", "atc"}, {"b"}, true},
        Case{{}, {"b"}, false}, Case{{"a"}, {}, false}, Case{{}, {}, false}}) {
    Bench bench(test::build(layer(Direction::forward)));
    ASSERT_TRUE(bench.check({}, each.first).passed);
    EXPECT_TRUE(bench.gate.is_in_doubt(bench.gate.agreement()));
    ASSERT_TRUE(bench.check({}, each.second).passed);
    EXPECT_NE(bench.gate.is_in_doubt(bench.gate.agreement()), each.confirmed);
  }
}

TEST(WholeCheck, LeavesNoDoubtWhereAllElementsAreSamples) {
  Spec spec = layer(Direction::forward);
  spec.channels_out = 1;
  Bench bench(test::build(spec));
  ASSERT_TRUE(bench.check({}, {"a"}).passed);
  EXPECT_FALSE(bench.gate.is_in_doubt(bench.gate.agreement()));
}

TEST(WholeCheck, GoesOnWithoutAReferenceThatTakesTooLong) {
  Spec spec = layer(Direction::forward);
  spec.channels_in = 512;
  spec.channels_out = 16;
  Bench bench(test::build(spec));
  ASSERT_GT(bench.problem.flops() / 2, 1e7);
  ASSERT_TRUE(bench.check({}, {"a"}).passed);
  EXPECT_TRUE(bench.gate.is_in_doubt(bench.gate.agreement()));
  bench.gate.evaluate_whole();
  EXPECT_FALSE(bench.gate.is_in_doubt(bench.gate.agreement()));
  // The gate still compares the outputs of later candidates with the whole output of the reference.
  EXPECT_FALSE(
      bench.check(moving(bench.problem, {unsampled(bench.problem).front()}), {"a"}).passed);
}

// In this problem fp32 may round the sums, so that even right outputs may differ. So no candidate's
// output is kept for comparison, and only the reference can confirm an output.
TEST(WholeCheck, ComparesWithTheReferenceAloneWhereSumsAreNotExact) {
  Spec spec = layer(Direction::forward, Dtype::bf16);
  spec.accumulate = true;
  spec.channels_in = 32;
  const Problem problem = test::build(spec);
  ASSERT_FALSE(reference::ternary_is_exact(problem));
  Bench bench(problem);
  ASSERT_TRUE(bench.check({}, {"a"}).passed);
  ASSERT_TRUE(bench.check({}, {"b"}).passed);
  EXPECT_TRUE(bench.gate.is_in_doubt(bench.gate.agreement()));
  bench.gate.evaluate_whole();
  ASSERT_TRUE(bench.check({}, {"a"}).passed);
  EXPECT_FALSE(bench.gate.is_in_doubt(bench.gate.agreement()));
  EXPECT_FALSE(bench.check(moving(problem, {unsampled(problem).front()}, 64), {"a"}).passed);
}

// Elements that no window reaches are always among the samples, even if there are few of them.
TEST(Samples, ContainElementsThatNoWindowReaches) {
  for (const std::int64_t at : {0, 1})
    for (int spatial = 1; spatial <= 3; ++spatial) {
      Spec spec = layer(Direction::backward_data);
      spec.spatial = spatial;
      spec.in = {24, 24, 24};
      spec.in[at % spatial] = 2001;
      spec.kernel = {3, 3, 3};
      spec.stride = {1, 1, 1};
      // with this stride the positions 3 to 999 and 1003 to 2000 are in no window
      spec.stride[at % spatial] = 1000;
      spec.pad_low = spec.pad_high = {};
      const Problem problem = test::build(spec);
      ASSERT_TRUE(has_unreached_elements(problem));
      std::vector<std::int64_t> places;
      for (const std::int64_t number :
           reference::sample_positions(problem, reference::default_samples(problem), 3))
        places.push_back(problem.x.index_of(number)[static_cast<std::size_t>(2 + at % spatial)]);
      for (const std::int64_t place : {3, 4, 5, 6, 7, 1003, 1011, 1020, 1031, 1993, 1997, 2000})
        EXPECT_THAT(places, testing::Contains(place)) << spatial;
    }
}

TEST(Samples, ContainEachPlaceOfTilesAndTheLastOnes) {
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
    Spec spec = layer(direction);
    spec.channels_in = 200;
    spec.channels_out = 330;
    spec.batch = 3;
    spec.in = {31, 29, 1};
    const Problem problem = test::build(spec);
    const Tensor& output = problem.output();
    const std::size_t channel = direction == Direction::backward_weight ? 0 : 1;
    const std::int64_t channels = output.shape[channel];
    std::vector<int> of_channel(128), of_place(128);
    std::vector<std::int64_t> sampled_channels;
    for (const std::int64_t number :
         reference::sample_positions(problem, reference::default_samples(problem), 3)) {
      const auto index = output.index_of(number);
      std::int64_t place = 0;
      for (std::size_t i = 0; i < 4; ++i)
        if (i != channel) place = place * output.shape[i] + index[i];
      ++of_channel[static_cast<std::size_t>(index[channel] % 128)];
      ++of_place[static_cast<std::size_t>(place % 128)];
      sampled_channels.push_back(index[channel]);
    }
    EXPECT_THAT(of_channel, testing::Each(testing::Gt(0)));
    EXPECT_THAT(of_place, testing::Each(testing::Gt(0)));
    for (std::int64_t tile = 2; tile <= 128; tile *= 2)
      EXPECT_THAT(sampled_channels, testing::Contains((channels - 1) / tile * tile));
  }
}

}  // namespace
}  // namespace atc
