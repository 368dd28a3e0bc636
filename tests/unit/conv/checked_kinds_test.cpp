// Tests choices that run without a race: defaults, and choices that a call gives. The correctness
// gate (the comparison of a candidate with the reference) checks such a choice once for each kind
// of problem.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <vector>

#include "conv/decide/policy.hpp"
#include "conv/run/plan_cache.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CheckedKinds : public Policy {
 protected:
  CheckedKinds() {
    set_log_sink([this](LogLevel level, const std::string& line) {
      if (level == LogLevel::warning) warnings_.push_back(line);
    });
  }
  ~CheckedKinds() override { set_log_sink({}); }

  // Returns a request for which the fake engine is the default.
  Request by_default(const Problem& problem, bool tune = false) const {
    Request made = request(problem, tune);
    made.front_end = "fake";
    return made;
  }
  std::string decided(const Problem& problem) {
    return to_string(decide(problem, by_default(problem)).decision->choice);
  }
  // Decides the problem with a given configuration of the fake engine as the choice. Returns the
  // reason why the choice is refused, or "".
  std::string refusal_of(const Problem& problem, const std::string& configuration) const {
    try {
      decide_given(problem, request(problem), {"fake", "1", configuration, {}});
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::unsupported);
      return error.what();
    }
  }
  static Problem backward(Problem problem) {
    problem.direction = Direction::backward_data;
    return problem;
  }
  // Returns a problem with one element of padding at the end of each row, and rows of `width` - 1
  // elements. So its output has the same extents as that of problem_of(width).
  static Problem unevenly_padded(std::int64_t width) {
    Problem problem = problem_of(width - 1);
    problem.pad_high = {0, 1, 0};
    problem.y = problem_of(width).y;
    return problem;
  }
  // Returns a problem with rows of `width` elements, windows of one element and stride 2. Some
  // elements are in no window.
  static Problem strided(std::int64_t width) {
    Problem problem = problem_of(width);
    problem.stride = {1, 2, 1};
    problem.y.shape[3] = (width + 1) / 2;
    problem.y.strides = {20 * problem.y.shape[3], 5 * problem.y.shape[3], problem.y.shape[3], 1};
    return problem;
  }

  std::vector<std::string> warnings_;
};

TEST_F(CheckedKinds, ADefaultThatLeavesElementsUnwrittenDoesNotRun) {
  script_->skips = [](const Problem&, const std::string& one) { return one == "one"; };
  register_fake();
  const Problem problem = problem_of(400);
  EXPECT_EQ(decided(problem), "fake@1:two");
  EXPECT_THAT(warnings_, ElementsAre(AllOf(HasSubstr("the default fake@1:one does not run"),
                                           HasSubstr("was never written"))));
  const int executed = script_->executed;
  EXPECT_EQ(decided(problem), "fake@1:two");
  EXPECT_EQ(script_->executed, executed) << "checked a second time";
  EXPECT_EQ(warnings_.size(), 1u);
}

TEST_F(CheckedKinds, ADefaultIsCheckedOnceForItsKind) {
  register_fake();
  EXPECT_EQ(decided(problem_of(410)), "fake@1:one");
  const int executed = script_->executed;
  EXPECT_GT(executed, 0);
  for (const std::int64_t width : {411, 412}) EXPECT_EQ(decided(problem_of(width)), "fake@1:one");
  EXPECT_EQ(script_->executed, executed);
  // A choice is checked once for each kind of problem. Problems of another direction are of another
  // kind, so one of them is checked, too. Problems with elements of x that no window reaches are
  // also of a kind of their own.
  decided(backward(problem_of(410)));
  const int backward_too = script_->executed;
  EXPECT_GT(backward_too, executed);
  decided(backward(strided(411)));
  const int unreached_too = script_->executed;
  EXPECT_GT(unreached_too, backward_too);
  decided(backward(strided(413)));
  EXPECT_EQ(script_->executed, unreached_too);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(CheckedKinds, WhatIsWrongForAKindAloneRunsForOthers) {
  script_->skips = [](const Problem& problem, const std::string& configuration) {
    return configuration == "one" && problem.direction == Direction::backward_data &&
           problem.stride[1] == 2;
  };
  register_fake();
  EXPECT_EQ(decided(problem_of(420)), "fake@1:one");
  EXPECT_EQ(decided(backward(problem_of(420))), "fake@1:one");
  EXPECT_EQ(decided(backward(strided(421))), "fake@1:two");
  EXPECT_EQ(decided(backward(strided(423))), "fake@1:two");
}

// The configuration "one" is wrong for uneven padding, like an engine of cuDNN on an H200 that
// computes as if uneven padding were even.
TEST_F(CheckedKinds, WhatIsWrongForUnevenPaddingAloneRunsForEvenPadding) {
  script_->skips = [](const Problem& problem, const std::string& configuration) {
    return configuration == "one" && problem.pad_low != problem.pad_high;
  };
  register_fake();
  EXPECT_EQ(decided(problem_of(425)), "fake@1:one");
  EXPECT_EQ(decided(unevenly_padded(426)), "fake@1:two");
  EXPECT_EQ(decided(problem_of(427)), "fake@1:one");
}

TEST_F(CheckedKinds, OnceRefusedEachProblemOfTheKindIsChecked) {
  script_->skips = [](const Problem& problem, const std::string& configuration) {
    return configuration == "one" && problem.in(1) < 440;
  };
  register_fake();
  EXPECT_EQ(decided(problem_of(430)), "fake@1:two");
  EXPECT_EQ(decided(problem_of(440)), "fake@1:one");
  const int executed = script_->executed;
  EXPECT_EQ(decided(problem_of(440)), "fake@1:one");
  EXPECT_EQ(script_->executed, executed) << "checked a second time";
  EXPECT_EQ(decided(problem_of(441)), "fake@1:one");
  EXPECT_GT(script_->executed, executed) << "believed though its kind was refused";
  EXPECT_EQ(decided(problem_of(431)), "fake@1:two");
}

TEST_F(CheckedKinds, WhereAllItsChoicesAreRefusedTheNextDefaultRuns) {
  script_->skips = [](const Problem&, const std::string&) { return true; };
  register_fake();
  const Problem problem = problem_of(450);
  const Choice next = default_choice(problem);
  EXPECT_EQ(decided(problem), to_string(next));
  EXPECT_EQ(warnings_.size(), 2u + (next.engine == kReferenceEngine ? 1u : 0u));
}

TEST_F(CheckedKinds, TheChoiceOfTheProgramItselfIsExempt) {
  script_->offers = {offer("one")};
  script_->offers[0].original = true;
  register_fake();
  EXPECT_EQ(decided(problem_of(460)), "fake@1:one");
  EXPECT_EQ(script_->executed, 0);
}

TEST_F(CheckedKinds, ADefaultOfLessPrecisionRunsUnlessPrecisionIsStrict) {
  script_->coarse = true;
  register_fake();
  const Problem problem = problem_of(470);
  EXPECT_EQ(decided(problem), "fake@1:one");
  Request strict = by_default(problem);
  strict.strict_precision = true;
  EXPECT_NE(decide(problem, strict).decision->choice.engine, "fake");
}

TEST_F(CheckedKinds, AGivenChoiceThatIsWrongIsAnError) {
  script_->skips = [](const Problem&, const std::string& one) { return one == "one"; };
  register_fake();
  const Problem problem = problem_of(480);
  const std::string first = refusal_of(problem, "one");
  EXPECT_THAT(first, AllOf(HasSubstr("choice 'fake@1:one'"), HasSubstr("correctness gate"),
                           HasSubstr("was never written")));
  const int executed = script_->executed;
  EXPECT_EQ(refusal_of(problem, "one"), first);
  EXPECT_EQ(script_->executed, executed) << "checked a second time";
  EXPECT_EQ(refusal_of(problem, "two"), "");
  EXPECT_GT(script_->executed, executed);
}

TEST_F(CheckedKinds, AGivenChoiceThatARaceRefusedDoesNotRun) {
  script_->skips = [](const Problem& problem, const std::string& configuration) {
    return configuration == "one" && problem.in(1) == 491;
  };
  register_fake();
  // for a problem of the same kind this choice has passed the gate (the check against the
  // reference)
  EXPECT_EQ(refusal_of(problem_of(490), "one"), "");
  const Problem problem = problem_of(491);
  Request only = request(problem, true);
  only.engines_allowed = {"fake"};
  EXPECT_EQ(to_string(decide(problem, only).decision->choice), "fake@1:two");
  EXPECT_THAT(refusal_of(problem, "one"), HasSubstr("was never written"));
  EXPECT_EQ(refusal_of(problem_of(490), "one"), "");
}

TEST_F(CheckedKinds, AGivenChoiceIsHeldToTheErrorBoundOfItsOffer) {
  register_fake();
  const Problem problem = problem_of(495);
  // The engine has not offered this choice, so the exactness of its results is not known. It is
  // only checked against the wider error bound, and must run if the engine can prepare it.
  EXPECT_EQ(refusal_of(problem, "unheard of"), "");
}

TEST_F(CheckedKinds, WhatARacePassedIsNotCheckedAgain) {
  register_fake();
  const Problem raced = problem_of(500);
  decide(raced, by_default(raced, true));
  const int executed = script_->executed;
  EXPECT_EQ(decided(problem_of(501)), "fake@1:one");
  EXPECT_EQ(refusal_of(problem_of(502), "two"), "");
  EXPECT_EQ(script_->executed, executed);
}

TEST_F(CheckedKinds, ALargeProblemIsCheckedOnASmallOneOfItsKind) {
  std::vector<std::int64_t> batches;
  script_->skips = [&](const Problem& problem, const std::string&) {
    batches.push_back(problem.batch());
    return false;
  };
  register_fake();
  EXPECT_EQ(decided(problem_of(3000, 64)), "fake@1:one");
  EXPECT_THAT(batches, ElementsAre(64, testing::Lt(64)));
}

TEST_F(CheckedKinds, AnEngineOfTheSameNameIsCheckedAnew) {
  register_fake();
  EXPECT_EQ(refusal_of(problem_of(507), "one"), "");
  forget_engine("fake");
  EngineRegistry::instance().remove("fake");
  script_->skips = [](const Problem&, const std::string&) { return true; };
  register_fake();
  EXPECT_THAT(refusal_of(problem_of(508), "one"), HasSubstr("was never written"));
  forget_engine("fake");
  EngineRegistry::instance().remove("fake");
  script_->skips = nullptr;
  register_fake();
  EXPECT_EQ(refusal_of(problem_of(508), "one"), "");
}

TEST_F(CheckedKinds, ALongExecutionIsTheOnlyOneOfACheck) {
  script_->pause = std::chrono::milliseconds(600);
  register_fake();
  EXPECT_EQ(decided(problem_of(505)), "fake@1:one");
  EXPECT_EQ(script_->executed, 1);
  script_->skips = [](const Problem&, const std::string& one) { return one == "two"; };
  EXPECT_THAT(refusal_of(problem_of(506), "two"), HasSubstr("was never written"));
  EXPECT_EQ(script_->executed, 2);
}

TEST_F(CheckedKinds, WhatCannotBeBuiltForTheSmallOneIsCheckedOnTheProblem) {
  script_->skips = [&](const Problem& problem, const std::string&) {
    if (problem.batch() < 64) fail(Status::unsupported, "scripted to know large batches alone");
    return true;
  };
  register_fake();
  const Problem problem = problem_of(3010, 64);
  EXPECT_EQ(decided(problem), to_string(default_choice(problem)));
  EXPECT_THAT(warnings_, testing::Contains(HasSubstr("was never written")));
}

TEST_F(CheckedKinds, WithoutMemoryForTheCheckTheDefaultRuns) {
  register_fake();
  const Problem problem = problem_of(510);
  class Nothing final : public Allocator {
   public:
    void* allocate(std::uint64_t, DeviceId, Stream) override { return nullptr; }
    void free(void*, DeviceId, Stream) noexcept override {}
  };
  Request poor = by_default(problem);
  poor.allocator = std::make_shared<Nothing>();
  EXPECT_EQ(to_string(decide(problem, poor).decision->choice), "fake@1:one");
  EXPECT_THAT(warnings_, ElementsAre(HasSubstr("runs unchecked")));
  EXPECT_EQ(script_->executed, 0);
  EXPECT_EQ(decided(problem), "fake@1:one");
  EXPECT_GT(script_->executed, 0) << "the check was not made up for";
}

// A process reads ATC_CHECK_RECORDS only once, so the test runs in a child process.
TEST_F(CheckedKinds, TheVariableTurnsTheChecksOff) {
  script_->skips = [](const Problem&, const std::string&) { return true; };
  register_fake();
  setenv("ATC_CHECK_RECORDS", "never", 1);
  EXPECT_EXIT(
      {
        const Problem problem = problem_of(520);
        const bool runs = decided(problem) == "fake@1:one" && refusal_of(problem, "two").empty();
        _exit(runs && script_->executed == 0 ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
  unsetenv("ATC_CHECK_RECORDS");
}

}  // namespace
}  // namespace atc::conv
