// Tests how atc checks an engine after it has computed a problem of another size. Some engines may
// remember sizes of an earlier problem, and then compute another problem wrongly. So if such an
// engine wins a race, its result is checked again after it has run problems of other sizes.
#include "conv/race/another_size.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "conv/race/contest.hpp"
#include "conv/race/examination.hpp"
#include "core/error.hpp"
#include "core/half.hpp"
#include "engines/reference/reference_engine.hpp"
#include "support/problems.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;
using Shape = decltype(Tensor::shape);

// The behaviour of the engine that the test registers, and a record of the engine's calls.
struct Script {
  bool suspected = true;
  // The configurations with a fault: the first execution after an execution of another size
  // computes a wrong result.
  std::set<std::string> faulty;
  // The pause that is added to each execution of a configuration.
  std::map<std::string, std::chrono::milliseconds> pauses;
  Shape only{};  // the only shape of x for which a configuration can be prepared; {}: each shape
  std::map<Shape, int> executions;  // the number of executions of problems with each shape of x
  std::map<std::string, Shape> last;
};

class RememberingPrepared final : public Prepared {
 public:
  RememberingPrepared(const Problem& problem, std::unique_ptr<Prepared> inner,
                      std::string configuration, std::shared_ptr<Script> script)
      : problem_(problem),
        inner_(std::move(inner)),
        configuration_(std::move(configuration)),
        script_(std::move(script)) {}
  std::uint64_t workspace_size() const override { return inner_->workspace_size(); }
  void set_weights(const void* w) override { inner_->set_weights(w); }
  void execute(const Operands& operands, void* workspace, Stream stream) override {
    inner_->execute(operands, workspace, stream);
    const Shape& shape = problem_.x.shape;
    ++script_->executions[shape];
    const auto [last, first] = script_->last.emplace(configuration_, shape);
    if (last->second != shape && script_->faulty.count(configuration_) != 0) spoil(operands);
    last->second = shape;
    const auto pause = script_->pauses.find(configuration_);
    if (pause != script_->pauses.end()) std::this_thread::sleep_for(pause->second);
  }

 private:
  void spoil(const Operands& operands) const {
    void* const output = output_of(problem_, operands);
    const double value = load_element(output, problem_.output().dtype, 0);
    store_element(output, problem_.output().dtype, 0, value + 1);
  }

  Problem problem_;
  std::unique_ptr<Prepared> inner_;
  std::string configuration_;
  std::shared_ptr<Script> script_;
};

// An engine that computes with the reference. If the script lists a configuration as faulty, the
// configuration's first result after an execution of another size is wrong.
class RememberingEngine final : public Engine {
 public:
  explicit RememberingEngine(std::shared_ptr<Script> script)
      : script_(std::move(script)), reference_(make_reference_engine()) {}
  std::string name() const override { return "remembering"; }
  std::string version() const override { return "1"; }
  bool serves(DeviceType device) const override { return device == DeviceType::cpu; }
  std::vector<Offer> offers(const Problem&, const Limits&, std::string&) const override {
    return {};
  }
  bool remembers_sizes(const Problem&) const override { return script_->suspected; }
  std::unique_ptr<Prepared> prepare(const Problem& problem, const Limits& limits,
                                    const std::string& configuration) const override {
    if (script_->only[0] != 0 && script_->only != problem.x.shape)
      fail(Status::unsupported, "scripted to know one size");
    return std::make_unique<RememberingPrepared>(
        problem, reference_->prepare(problem, limits, "direct"), configuration, script_);
  }

 private:
  std::shared_ptr<Script> script_;
  std::unique_ptr<Engine> reference_;
};

class AnotherSize : public testing::Test {
 protected:
  AnotherSize() {
    // The technique takes the median of three times, which is right even if other work delays one
    // of the three executions.
    request_.race.technique = tune::Technique::median_of_three;
    // the budget of a race in seconds, so long that no race reaches it
    request_.race.budget_seconds = 100;
    script_->pauses["second"] = std::chrono::milliseconds(20);
    script_->pauses["third"] = std::chrono::milliseconds(80);
  }

  static Problem depthwise() {
    test::Spec spec;
    spec.channels_in = spec.channels_out = spec.groups = 4;
    return test::build(spec);
  }
  static Candidate candidate(const std::string& configuration) {
    Candidate candidate;
    candidate.choice = {"remembering", "1", configuration, {}};
    return candidate;
  }
  // Decides a race between these configurations. The first configuration is the default.
  Decision raced(const std::vector<std::string>& configurations) {
    Lineup lineup;
    for (const std::string& configuration : configurations) {
      lineup.candidates.push_back(candidate(configuration));
      lineup.chains.push_back(chain_);
    }
    lineup.default_candidate = 0;
    return contest(problem_, request_, std::move(lineup), "", false, {}).decision;
  }
  // Returns the number of executions of problems of other sizes than the race's problem.
  int at_other_sizes() const {
    int executions = 0;
    for (const auto& [shape, count] : script_->executions)
      if (shape != problem_.x.shape) executions += count;
    return executions;
  }
  static void expect_refused(const Candidate& candidate) {
    EXPECT_EQ(candidate.outcome, tune::Outcome::wrong_result);
    EXPECT_THAT(candidate.reason, HasSubstr("wrong after a problem of another size has run ("));
    EXPECT_THAT(candidate.reason, HasSubstr("the reference says"));
  }

  const std::shared_ptr<Script> script_ = std::make_shared<Script>();
  const Chain chain_{{}, std::make_shared<RememberingEngine>(script_)};
  const Problem problem_ = depthwise();
  Request request_;
};

TEST_F(AnotherSize, AWinnerThatIsWrongAfterItIsRefusedAndTheNextBestWins) {
  script_->faulty = {"first"};
  const Decision decision = raced({"third", "first", "second"});
  EXPECT_EQ(decision.choice.configuration, "second");
  EXPECT_EQ(decision.winner, 2u);
  EXPECT_EQ(decision.default_candidate, 0u);
  ASSERT_EQ(decision.candidates.size(), 3u);
  EXPECT_TRUE(decision.candidates[0].ran());
  expect_refused(decision.candidates[1]);
  EXPECT_TRUE(decision.may_be_stored()) << decision.why;
}

TEST_F(AnotherSize, ADefaultThatIsWrongAfterItIsRefused) {
  script_->faulty = {"first"};
  const Decision decision = raced({"first", "second"});
  EXPECT_EQ(decision.choice.configuration, "second");
  EXPECT_EQ(decision.default_candidate, 0u);
  expect_refused(decision.candidates[0]);
}

// The winner of a race may compute wrongly after it has computed a problem of another size. Then
// the race is run once more. In the second race every candidate is checked for this fault, so the
// race is not repeated for each wrong candidate.
TEST_F(AnotherSize, AllThatAreWrongAfterItAreRefused) {
  script_->faulty = {"first", "second"};
  const Decision decision = raced({"first", "second", "third"});
  EXPECT_EQ(decision.choice.configuration, "third");
  expect_refused(decision.candidates[0]);
  expect_refused(decision.candidates[1]);
  script_->faulty = {"first", "second", "third"};
  EXPECT_FALSE(raced({"first", "second", "third"}).winner);
}

TEST_F(AnotherSize, AWinnerThatIsRightAfterItStays) {
  const Decision decision = raced({"second", "first"});
  EXPECT_EQ(decision.choice.configuration, "first");
  // The winner, and no other candidate, was executed at two other sizes: a smaller and a larger
  // one.
  EXPECT_EQ(at_other_sizes(), 2);
}

TEST_F(AnotherSize, WeightsThatStayTheSameAreSetAtEachSize) {
  request_.limits.constant_weights = true;
  script_->faulty = {"first"};
  EXPECT_EQ(raced({"first", "second"}).choice.configuration, "second");
}

TEST_F(AnotherSize, EnginesThatAreNotSuspectedAreNotCheckedAgain) {
  script_->suspected = false;
  script_->faulty = {"first"};
  EXPECT_EQ(raced({"second", "first"}).choice.configuration, "first");
  EXPECT_TRUE(check_alone(problem_, request_, candidate("first"), chain_).passed);
  EXPECT_EQ(at_other_sizes(), 0);
}

TEST_F(AnotherSize, WhatCannotBeBuiltAtAnotherSizeIsNotRefused) {
  script_->faulty = {"first"};
  script_->only = problem_.x.shape;
  EXPECT_EQ(raced({"second", "first"}).choice.configuration, "first");
  EXPECT_TRUE(check_alone(problem_, request_, candidate("first"), chain_).passed);
}

TEST_F(AnotherSize, AChoiceThatIsCheckedAloneIsCheckedAfterItToo) {
  script_->faulty = {"first"};
  EXPECT_TRUE(check_alone(problem_, request_, candidate("second"), chain_).passed);
  EXPECT_EQ(at_other_sizes(), 2);
  const tune::Verdict verdict = check_alone(problem_, request_, candidate("first"), chain_);
  EXPECT_FALSE(verdict.passed);
  EXPECT_THAT(verdict.reason, HasSubstr("wrong after a problem of another size has run"));
}

// Returns the problem that test::build makes from `spec` with the batch and the input extents of
// `problem`.
Problem built_like(const Problem& problem, test::Spec spec) {
  spec.batch = problem.batch();
  for (int dim = 0; dim < problem.spatial; ++dim) spec.in[dim] = problem.in(dim);
  return test::build(spec);
}

TEST(OtherSizes, AreValidProblemsThatDifferInBatchAndSpatialExtentsAlone) {
  for (const auto direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const int spatial : {1, 2, 3})
      for (const std::int64_t batch : {1, 3, 8})
        for (const std::int64_t stride : {1, 2})
          for (const std::int64_t dilation : {1, 3})
            for (const auto memory : {test::Memory::first, test::Memory::last}) {
              test::Spec spec;
              spec.direction = direction;
              spec.spatial = spatial;
              spec.batch = batch;
              spec.channels_in = spec.channels_out = spec.groups = 4;
              spec.in = {7, 8, 9};
              spec.stride = {stride, 1, stride};
              spec.dilation = {dilation, 1, 1};
              spec.pad_low = {1, 0, 0};
              spec.x_memory = spec.w_memory = spec.y_memory = memory;
              const Problem problem = test::build(spec);
              SCOPED_TRACE(test::label(problem));
              const std::vector<Problem> others = other_sizes(problem);
              ASSERT_EQ(others.size(), 2u);
              for (const Problem& other : others) {
                EXPECT_EQ(other, built_like(other, spec)) << test::label(other);
                EXPECT_GT(other.output().elements(), 0);
                EXPECT_GT(other.y.elements(), 0);
                EXPECT_LE(other.x.span(), 2 * problem.x.span());
              }
              const int last = spatial - 1;
              EXPECT_LT(others[0].in(last), problem.in(last));
              EXPECT_EQ(others[0].batch(), batch);
              EXPECT_EQ(others[1].in(last), 2 * problem.in(last));
              EXPECT_EQ(others[1].batch() == 1, batch < 4 || (batch == 8 && spatial == 3));
            }
}

TEST(OtherSizes, OfAKernelAsLargeAsItsInputIsALargerOneAlone) {
  test::Spec spec;
  spec.channels_in = spec.channels_out = spec.groups = 4;
  spec.in = spec.kernel = {7, 7, 7};
  const std::vector<Problem> others = other_sizes(test::build(spec));
  ASSERT_EQ(others.size(), 1u);
  EXPECT_EQ(others[0].in(1), 14);
  EXPECT_EQ(others[0].out(1), 8);
}

// For a problem whose tensors have gaps, the problems of other sizes have tensors without gaps. The
// order of the dimensions in memory (channels first or last) stays the same.
TEST(OtherSizes, LieDenseInTheOrderOfTheirChannels) {
  test::Spec spec;
  spec.channels_in = spec.channels_out = spec.groups = 4;
  spec.x_memory = test::Memory::strided;
  spec.y_memory = test::Memory::last;
  for (const Problem& other : other_sizes(test::build(spec))) {
    EXPECT_TRUE(other.x.channels_first());
    EXPECT_TRUE(other.y.channels_last());
  }
}

}  // namespace
}  // namespace atc::conv
