// Tests that each decision writes one line to the log at level info, whatever the source of the
// decision is.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conv/key.hpp"
#include "core/json.hpp"
#include "core/log.hpp"
#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class DecisionLog : public Policy {
 protected:
  void SetUp() override {
    Policy::SetUp();
    listen(LogFormat::json);
    set_log_level(LogLevel::info);
  }
  void TearDown() override {
    set_log_level(LogLevel::warning);
    set_log_sink({});
    Policy::TearDown();
  }
  void listen(LogFormat format) {
    set_log_sink(
        [this](LogLevel level, const std::string& line) {
          if (level == LogLevel::info) lines_.push_back(line);
        },
        format);
  }
  // Returns the log line of the only decision since the last call.
  json only_decision() {
    json found;
    int decisions = 0;
    for (const std::string& line : lines_) {
      json object = json::parse(line);
      if (object["event"] != "decision") continue;
      found = std::move(object);
      ++decisions;
    }
    EXPECT_EQ(decisions, 1) << lines_.size() << " lines in all";
    lines_.clear();
    return found;
  }

  std::vector<std::string> lines_;
};

TEST_F(DecisionLog, ARecordedDecisionTellsItsTimesAndItsStore) {
  register_fake();
  const Problem problem = problem_of(300);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  lines_.clear();
  decide(problem, request(problem));
  const json line = only_decision();
  EXPECT_EQ(line["level"], "info");
  EXPECT_EQ(line["problem"], describe(problem));
  EXPECT_EQ(line["device"], "cpu");
  EXPECT_EQ(line["choice"], "fake@1:one");
  EXPECT_EQ(line["source"], "record");
  EXPECT_EQ(line["provisional"], false);
  EXPECT_DOUBLE_EQ(line["time_ms"], 1);
  EXPECT_DOUBLE_EQ(line["gain"], 3);
  EXPECT_EQ(line["store"], store_->directory().string());
  EXPECT_GT(line["decided_in_ms"], 0);
  EXPECT_THAT(
      line["message"].get<std::string>(),
      testing::AllOf(testing::StartsWith("decided forward"), HasSubstr("fake@1:one (record)"),
                     HasSubstr("1 ms, 3 times as fast as the default")));
}

// Times in seconds. `before` and `time` are the times of the default and of the winner on the
// device. `host_before` and `host` are the times that the host needs to issue a call of the default
// and of the winner.
struct Figures {
  double before, time, host_before, host;
};

// A choice may be slower on the device than the default, and still win because the host issues the
// choice faster. Then the log line must have the host's times, too. With the device's times alone
// the choice would look wrong.
TEST_F(DecisionLog, AWinnerForTheHostTellsBothTimesOfTheHost) {
  register_fake();
  const Problem problem = problem_of(308);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  const auto told = [&](const Figures& figures) {
    Decision decision = record(fallback);
    decision.candidates[0].statistics.median = figures.before;
    decision.candidates[0].statistics.host = figures.host_before;
    decision.candidates[1].statistics.median = figures.time;
    decision.candidates[1].statistics.host = figures.host;
    put(problem, decision);
    lines_.clear();
    decide(problem, request(problem));
    return only_decision()["message"].get<std::string>();
  };
  EXPECT_THAT(
      told({3.6e-6, 8.2e-6, 21e-6, 4e-6}),
      HasSubstr("(record), device 8.2 µs (default 3.6 µs), host 4 µs (default 21 µs); took "));
  EXPECT_THAT(told({3.6e-6, 8.2e-6, 21e-6, 0}),
              HasSubstr("(record), device 8.2 µs (default 3.6 µs); took "));
  EXPECT_THAT(told({2.0e-3, 2.5e-3, 0, 0}),
              HasSubstr("(record), 2.5 ms, takes 25.0 % more time than the default; took "));
  EXPECT_THAT(told({1.0e-3, 1.001e-3, 0, 0}),
              HasSubstr(", takes 0.1 % more time than the default;"));
  EXPECT_THAT(told({1.0e-3, 1.0e-3, 0, 0}), HasSubstr(", takes as long as the default;"));
  EXPECT_THAT(told({3.1, 2.03, 0, 0}), HasSubstr(", 2.03 s, 1.53 times as fast as the default;"));
}

TEST_F(DecisionLog, TheDefaultIsNotComparedWithItself) {
  register_fake();
  const Problem problem = problem_of(309);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  Decision decision = record(fallback);
  decision.default_candidate = 1;
  put(problem, decision);
  lines_.clear();
  decide(problem, request(problem));
  EXPECT_THAT(only_decision()["message"].get<std::string>(),
              HasSubstr("(record), 1 ms, the default; took "));
}

TEST_F(DecisionLog, ADefaultHasNoTimeAndNoStore) {
  const Problem problem = problem_of(301);
  const Decided decided = decide(problem, request(problem));
  const json line = only_decision();
  EXPECT_EQ(line["choice"], to_string(decided.decision->choice));
  EXPECT_EQ(line["source"],
            decided.decision->source == Source::reference ? "reference" : "default");
  for (const char* unknown : {"time_ms", "gain", "store"})
    EXPECT_TRUE(line.at(unknown).is_null()) << unknown;
}

TEST_F(DecisionLog, ARaceIsOneLineAndItsRecallAnother) {
  register_fake();
  const Problem problem = problem_of(302);
  use_store(store::Mode::read_write);
  const Decided decided = decide(problem, request(problem, true));
  json line = only_decision();
  EXPECT_EQ(line["source"], "tuned");
  EXPECT_EQ(line["choice"], to_string(decided.decision->choice));
  EXPECT_GT(line["time_ms"], 0);
  EXPECT_GT(line["gain"], 0);
  EXPECT_EQ(line["stored"], true);
  decide(problem, request(problem, true));
  EXPECT_EQ(only_decision()["source"], "record");
  store::use(nullptr);
  Request again = request(problem, true);
  again.knowledge = Knowledge::without_store();
  decide(problem, again);
  EXPECT_EQ(only_decision()["source"], "tuned");
  decide(problem, again);
  EXPECT_EQ(only_decision()["source"], "memory");
}

TEST_F(DecisionLog, AGivenChoiceAndAnEmptyBatchAreOneLineEach) {
  register_fake();
  decide_given(problem_of(303), request(problem_of(303)), {"fake", "1", "two", {}});
  json line = only_decision();
  EXPECT_EQ(line["source"], "given");
  EXPECT_EQ(line["choice"], "fake@1:two");
  Problem empty = problem_of(304);
  empty.x.shape[0] = empty.y.shape[0] = 0;
  decide(empty, request(empty));
  EXPECT_EQ(only_decision()["source"], "default");
}

// The decision comes from the record of another batch size. So the log line must not have the times
// of that record.
TEST_F(DecisionLog, AnInheritedDecisionHasNoTimes) {
  register_fake();
  const Problem problem = problem_of(305);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  lines_.clear();
  Problem doubled = problem;
  doubled.x.shape[0] *= 2;
  doubled.y.shape[0] *= 2;
  decide(doubled, request(doubled));
  const json line = only_decision();
  EXPECT_EQ(line["source"], "inherited");
  EXPECT_TRUE(line["time_ms"].is_null());
  EXPECT_TRUE(line["gain"].is_null());
}

// The decision was recorded with another version of the default engine. So the log line must not
// have the times of that record.
TEST_F(DecisionLog, AnAdoptedDecisionHasNoTimes) {
  register_fake();
  const Problem problem = problem_of(307);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  store::Key key = key_for(problem, request(problem));
  key.environment["onednn"] = "0.1";
  Decision decision = record(fallback);
  decision.roster = {{"onednn", "0.1"}, {"fake", "1"}};
  store_->put(key, to_json(decision));
  lines_.clear();
  Request asked = request(problem);
  asked.other_versions = true;
  decide(problem, asked);
  const json line = only_decision();
  EXPECT_EQ(line["source"], "adopted");
  EXPECT_TRUE(line["time_ms"].is_null());
  EXPECT_TRUE(line["gain"].is_null());
}

TEST_F(DecisionLog, HostileConfigurationsAreText) {
  register_fake();
  script_->offers = {offer("a\"b\n{\"event\": \"forged\"}\xff</script>")};
  decide_given(problem_of(306), request(problem_of(306)),
               {"fake", "1", script_->offers[0].configuration, {}});
  const std::string choice = only_decision()["choice"];
  EXPECT_THAT(choice, HasSubstr("a\"b\n{\"event\": \"forged\"}"));
}

TEST_F(DecisionLog, TextIsOneLineAndBelowInfoThereIsNone) {
  listen(LogFormat::text);
  const Problem problem = problem_of(307);
  decide(problem, request(problem));
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_THAT(lines_[0], testing::StartsWith("decided forward"));
  set_log_level(LogLevel::warning);
  decide(problem, request(problem));
  EXPECT_EQ(lines_.size(), 1U);
}

}  // namespace
}  // namespace atc::conv
