// Tests choices that are predicted from the results of races of similar layers.
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "conv/decide/foresee.hpp"
#include "conv/decide/from_prediction.hpp"
#include "conv/explain/explanation.hpp"
#include "conv/memory.hpp"
#include "conv/race/experience.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "policy_fixture.hpp"
#include "support/experience_file.hpp"

namespace atc::conv {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

class Predicting : public Policy {
 protected:
  void SetUp() override {
    Policy::SetUp();
    register_fake();
    set_log_level(LogLevel::debug);
    set_log_sink([this](LogLevel level, const std::string& line) {
      if (level <= LogLevel::warning) warnings_.push_back(line);
      if (level == LogLevel::debug) details_.push_back(line);
    });
  }
  void TearDown() override {
    set_log_sink({});
    Policy::TearDown();
  }

  PlanOptions options() const {
    PlanOptions options;
    options.tune = TuningMode::predict;
    return options;
  }
  Request predicting(const Problem& problem) const {
    return resolve({}, problem, options(), Settings{});
  }
  // Adds experience to the store: in races of another problem of the same class, the engine `fake`
  // took `ratio` times as long as the default. Then opens the store as a new process would.
  void teach(double ratio, store::Mode mode = store::Mode::read_write) {
    use_store(store::Mode::read_write);
    add(ratio);
    use_store(mode);
  }
  void add(double ratio) {
    const Problem other = problem_of(9);
    const Request request = predicting(other);
    Decision raced = record({"reference", "1", "direct", {}});
    for (Candidate& candidate : raced.candidates) candidate.statistics.median = ratio * 1e-3;
    raced.candidates[0].statistics.median = 1e-3;
    for (int i = 0; i < 20; ++i)
      add_experience(key_for(other, request).environment, Knowledge::of_process(), raced,
                     layer_class(other, request));
  }
  std::filesystem::path file() const { return test::experience_file(folder_ / "store"); }
  const Choice one_{"fake", "1", "one", {}}, two_{"fake", "1", "two", {}};
  std::vector<std::string> warnings_, details_;
};

TEST_F(Predicting, TheCandidateThatWasFastElsewhereRuns) {
  teach(0.2);
  const Problem problem = problem_of(501);
  const auto decision = decide(problem, predicting(problem)).decision;
  EXPECT_EQ(decision->source, Source::predicted);
  EXPECT_EQ(decision->choice, one_);
  ASSERT_TRUE(decision->winner);
  EXPECT_EQ(decision->candidates[*decision->winner].choice, one_);
  EXPECT_THAT(decision->candidates[*decision->winner].notes, HasSubstr("predicted"));
  EXPECT_FALSE(decision->unstable);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(Predicting, WithoutTheOptionNothingChanges) {
  teach(0.2);
  const Problem problem = problem_of(502);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::default_engine);
  EXPECT_EQ(script_->executed, 0);
}

TEST_F(Predicting, AChoiceIsCheckedOnceInAProcessBeforeItRuns) {
  teach(0.2);
  const Problem problem = problem_of(503);
  decide(problem, predicting(problem));
  const int executed = script_->executed;
  EXPECT_GT(executed, 0);
  decide(problem, predicting(problem));
  EXPECT_EQ(script_->executed, executed);
  decide(problem_of(504), predicting(problem_of(504)));
  EXPECT_GT(script_->executed, executed) << "the choice is checked for each problem";
}

TEST_F(Predicting, AChoiceThatTheGateRefusesIsReplacedByTheNextOne) {
  teach(0.2);
  const Problem problem = problem_of(505);
  script_->skips = [](const Problem&, const std::string& name) { return name == "one"; };
  const auto next = decide(problem, predicting(problem)).decision;
  EXPECT_EQ(next->source, Source::predicted);
  EXPECT_EQ(next->choice, two_);
  script_->skips = [](const Problem&, const std::string&) { return true; };
  const Problem other = problem_of(506);
  EXPECT_EQ(decide(other, predicting(other)).decision->source, Source::default_engine);
  const int executed = script_->executed;
  EXPECT_EQ(decide(other, predicting(other)).decision->source, Source::default_engine);
  EXPECT_EQ(script_->executed, executed) << "refused once, refused in the process";
}

TEST_F(Predicting, AChoiceThatCannotBeBuiltIsReplacedByTheNextOne) {
  teach(0.2);
  script_->unbuildable = "one";
  const Problem problem = problem_of(507);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->choice, two_);
  script_->unbuildable = "";
  script_->out_of_memory = "one";
  const Problem other = problem_of(508);
  EXPECT_EQ(decide(other, predicting(other)).decision->choice, two_);
}

TEST_F(Predicting, NothingIsCompiledForAPrediction) {
  teach(0.2);
  for (Offer& offer : script_->offers) offer.compiles = true;
  const Problem problem = problem_of(509);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::default_engine);
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(Predicting, TheDefaultRunsIfNothingIsExpectedToBeFaster) {
  teach(3);
  const Problem problem = problem_of(510);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::default_engine);
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(Predicting, TheDefaultRunsWithALineOfLevelDebugIfNothingIsKnown) {
  const Problem problem = problem_of(511);
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::default_engine);
  EXPECT_EQ(script_->prepared, 0);
  EXPECT_THAT(warnings_, IsEmpty());
  const auto told = std::count_if(details_.begin(), details_.end(), [](const std::string& line) {
    return line.find("nothing is predicted on cpu") != std::string::npos;
  });
  EXPECT_EQ(told, 1);
}

TEST_F(Predicting, RecordsComeFirst) {
  const Problem problem = problem_of(512);
  const Decision known = record(default_choice(problem));
  teach(0.2);
  put(problem, known);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::record);
  const Problem larger = problem_of(512, 4);
  EXPECT_EQ(decide(larger, predicting(larger)).decision->source, Source::inherited);
}

TEST_F(Predicting, DecisionsOfThisProcessComeFirst) {
  teach(0.2);
  const Problem problem = problem_of(513);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::predicted);
  use_store(store::Mode::off);
  decide(problem, request(problem, true));
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::memory);
}

TEST_F(Predicting, IsNeitherStoredNorRemembered) {
  teach(0.2);
  const Problem problem = problem_of(514);
  decide(problem, predicting(problem));
  EXPECT_EQ(store_->size(), 0u);
  EXPECT_THAT(recall(Knowledge::of_process(), key_for(problem, predicting(problem))), IsEmpty());
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::default_engine);
}

TEST_F(Predicting, RacesOfThisProcessDoNotChangeIt) {
  teach(0.2);
  const Problem problem = problem_of(515);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::predicted);
  for (int i = 0; i < 10; ++i) add(8);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::predicted);
  use_store(store::Mode::read_write);  // opens the store again, as the next process does
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::default_engine);
}

TEST_F(Predicting, AStoreThatIsOnlyReadHasKnowledgeToo) {
  teach(0.2, store::Mode::read);
  const Problem problem = problem_of(516);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::predicted);
}

TEST_F(Predicting, ADamagedFileOrOneOfAnotherVersionTurnsItOffWithOneWarning) {
  teach(0.2);
  std::string whole;
  std::getline(std::ifstream(file()), whole);
  const std::string::size_type at = whole.find("\"schema\":1,\"turns\"");
  ASSERT_NE(at, std::string::npos) << whole;
  std::string newer = whole;
  newer.replace(at, 10, "\"schema\":2");
  const Problem problem = problem_of(517);
  for (const std::string& text : {whole.substr(0, 40), newer}) {
    SCOPED_TRACE(text);
    std::ofstream(file()) << text;
    use_store(store::Mode::read_write);
    warnings_.clear();
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::default_engine);
    ASSERT_EQ(warnings_.size(), 1u);
    EXPECT_THAT(warnings_[0], AllOf(HasSubstr("experience-"), HasSubstr("nothing is predicted")));
  }
}

TEST_F(Predicting, AReplayOnlyStoreFailsAsEver) {
  teach(0.2);
  use_store(store::Mode::replay_only);
  const Problem problem = problem_of(518);
  try {
    decide(problem, predicting(problem));
    FAIL() << "decided without a record";
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::not_tuned);
  }
  EXPECT_EQ(script_->prepared, 0);
}

TEST_F(Predicting, AReplayDoesNotReadTheKnowledge) {
  const Problem problem = problem_of(527);
  const Decision known = record(default_choice(problem));
  teach(0.2);
  put(problem, known);
  std::ofstream(file()) << "damaged";
  use_store(store::Mode::replay_only);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::record);
  const Problem unknown = problem_of(528);
  EXPECT_THROW(decide(unknown, predicting(unknown)), Error);
  EXPECT_THAT(warnings_, IsEmpty()) << "the damaged file was read";
}

TEST_F(Predicting, FirmDecisionsTurnItOffWithOneWarning) {
  teach(0.2);
  for (const std::int64_t width : {519, 520}) {
    const Problem problem = problem_of(width);
    Request firm = predicting(problem);
    firm.require_firm = true;
    EXPECT_EQ(decide(problem, firm).decision->source, Source::default_engine);
  }
  ASSERT_EQ(warnings_.size(), 1u);
  EXPECT_THAT(warnings_[0], HasSubstr("not predicted: only firm decisions are asked for"));
}

TEST_F(Predicting, DeterministicResultsDoNotDependOnTheKnowledgeOfAStore) {
  teach(0.2);
  const Problem problem = problem_of(521);
  PlanOptions same = options();
  same.deterministic = true;
  const Request request = resolve({}, problem, same, Settings{});
  EXPECT_EQ(decide(problem, request).decision->source, Source::default_engine)
      << "the library knows nothing of this device";
  EXPECT_THAT(warnings_, IsEmpty());
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::predicted);
}

// A process reads WORLD_SIZE only once, so the test runs in a child process.
TEST_F(Predicting, RanksOfAJobDoNotDependOnTheKnowledgeOfAStore) {
  ASSERT_EQ(setenv("WORLD_SIZE", "2", 1), 0);
  teach(0.2);
  const Problem problem = problem_of(522);
  EXPECT_EQ(decide(problem, predicting(problem)).decision->source, Source::default_engine);
  EXPECT_THAT(warnings_, IsEmpty());
}

TEST_F(Predicting, AChildOfAForkPredictsTheSame) {
  teach(0.2);
  const Problem before = problem_of(523), after = problem_of(524);
  decide(before, predicting(before));
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(60);
    const bool same = decide(before, predicting(before)).decision->choice == one_ &&
                      decide(after, predicting(after)).decision->choice == one_;
    _exit(same ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_F(Predicting, IsForeseenAndExplained) {
  teach(0.2);
  const Problem problem = problem_of(525);
  const Request request = predicting(problem);
  EXPECT_EQ(foresee(problem, request).choice, one_);
  const Explanation explanation = explain(problem, {}, options());
  EXPECT_EQ(script_->prepared, 0) << "something was built";
  EXPECT_EQ(explanation.decision.source, Source::predicted);
  EXPECT_EQ(explanation.decision.choice, one_);
  EXPECT_THAT(explanation.ruling.why, HasSubstr("races of similar layers predict the choice"));
  EXPECT_EQ(decide(problem, request).decision->choice, one_);
  PlanOptions off;
  off.tune = TuningMode::off;
  EXPECT_EQ(explain(problem, {}, off).decision.source, Source::default_engine);
}

TEST_F(Predicting, BarredEnginesAreNotPredicted) {
  teach(0.2);
  const Problem problem = problem_of(526);
  Request barred = predicting(problem);
  barred.engines_barred = {"fake"};
  EXPECT_EQ(decide(problem, barred).decision->source, Source::default_engine);
}

}  // namespace
}  // namespace atc::conv
