#include "conv/decision.hpp"

#include <gmock/gmock.h>

#include <limits>

#include "core/error.hpp"
#include "store/entry.hpp"

namespace atc::conv {
namespace {

Decision sample() {
  Decision decision;
  Candidate first, second;
  first.choice = {"onednn", "3.2.0", "a", {}};
  first.outcome = tune::Outcome::lost;
  first.workspace = 4096;
  first.notes = "blocked";
  first.statistics = {12, 40, 1.5e-3, 1.4e-3, 1.2e-3, 1.9e-3, 1e-4, 2.5e9};
  second.choice = {"own", "7", "b", {{"nhwc", "1", ""}}};
  second.outcome = tune::Outcome::won;
  second.returns_output = true;
  second.imprecise = second.original = true;
  second.exactness = Exactness::transformed;
  second.statistics = {13, 41, 1.1e-3, 1.0e-3, 0.9e-3, 1.3e-3, 2e-4, std::nullopt};
  decision.candidates = {first, second};
  decision.choice = second.choice;
  decision.winner = 1;
  decision.default_candidate = 0;
  decision.roster = {{"onednn", "3.2.0"}, {"own", "7"}, {"nhwc", "1"}};
  decision.executions = 81;
  decision.seconds = 0.5;
  decision.technique = tune::Technique::sustained;
  return decision;
}

TEST(Decision, SurvivesJson) {
  const Decision before = sample();
  const Decision after = decision_from_json(to_json(before));
  EXPECT_EQ(after.choice, before.choice);
  EXPECT_EQ(after.source, Source::record);
  EXPECT_EQ(after.winner, before.winner);
  EXPECT_EQ(after.default_candidate, before.default_candidate);
  EXPECT_EQ(after.roster, before.roster);
  EXPECT_EQ(after.executions, before.executions);
  EXPECT_EQ(after.technique, before.technique);
  ASSERT_EQ(after.candidates.size(), 2u);
  EXPECT_EQ(after.candidates[0].notes, "blocked");
  EXPECT_EQ(after.candidates[0].workspace, 4096u);
  EXPECT_EQ(after.candidates[0].statistics.clock_hz, 2.5e9);
  EXPECT_EQ(after.candidates[0].statistics.max, 1.9e-3);
  EXPECT_FALSE(after.candidates[0].returns_output);
  EXPECT_TRUE(after.candidates[1].returns_output);
  EXPECT_FALSE(after.candidates[0].imprecise);
  EXPECT_TRUE(after.candidates[1].imprecise);
  EXPECT_TRUE(after.candidates[1].original);
  EXPECT_EQ(after.candidates[0].exactness, Exactness::exact);
  EXPECT_EQ(after.candidates[1].exactness, Exactness::transformed);
  EXPECT_EQ(after.candidates[1].statistics.clock_hz, std::nullopt);
}

TEST(Decision, KeepsTheChoiceOfCapturedCallsAndWhatTheHostTakes) {
  Decision before = sample();
  EXPECT_FALSE(to_json(before).contains("captured"));
  EXPECT_EQ(before.choice_of(true), before.choice);
  before.captured = 0;
  tune::Statistics& times = before.candidates[0].statistics;
  times.host = 2e-3;
  times.launches = 64;
  times.in_graph = true;
  const Decision after = decision_from_json(to_json(before));
  EXPECT_EQ(after.captured, 0u);
  EXPECT_EQ(after.choice_of(true), before.candidates[0].choice);
  EXPECT_EQ(after.choice_of(false), before.choice);
  EXPECT_EQ(after.candidates[0].statistics.host, 2e-3);
  EXPECT_EQ(after.candidates[0].statistics.launches, 64u);
  EXPECT_TRUE(after.candidates[0].statistics.in_graph);
  EXPECT_TRUE(after.candidates[0].statistics.host_bound());
  EXPECT_FALSE(after.candidates[1].statistics.in_graph);
  EXPECT_EQ(after.candidates[1].statistics.launches, 0u);
}

// A candidate that the gate refused must not be the choice of captured calls either.
TEST(Decision, TheChoiceOfCapturedCallsMustHaveRun) {
  Decision decision = sample();
  decision.captured = 0;
  decision.candidates[0].outcome = tune::Outcome::wrong_result;
  EXPECT_THROW(decision_from_json(to_json(decision)), Error);
  decision.candidates[0].outcome = tune::Outcome::lost;
  store::Json json = to_json(decision);
  json["captured"]["configuration"] = "another";
  EXPECT_THROW(decision_from_json(json), Error);
}

TEST(Decision, WhatWasKnownOfTheDeviceIsWrittenForPeople) {
  Decision decision = sample();
  EXPECT_FALSE(to_json(decision).contains("conditions"));
  decision.conditions.driver = "580.1";
  decision.conditions.power_limit_watts = 700;
  decision.conditions.clock_hz = 1.98e9;
  const store::Json json = to_json(decision);
  EXPECT_EQ(json.at("conditions"),
            store::Json({{"driver", "580.1"}, {"power_limit_watts", 700.0}, {"clock_hz", 1.98e9}}));
  EXPECT_EQ(decision_from_json(json).choice, decision.choice);
  decision.conditions = {};
  decision.conditions.clocks_limited_by = {"power cap", "power brake"};
  EXPECT_EQ(to_json(decision).at("conditions"),
            store::Json({{"clocks_limited_by", {"power cap", "power brake"}}}));
}

TEST(Decision, WhatIsMissingOrContradictsItselfIsABadRecord) {
  const store::Json good = to_json(sample());
  const auto refused = [](const store::Json& json) {
    try {
      decision_from_json(json);
      return false;
    } catch (const Error& error) {
      return error.status() == Status::bad_record;
    }
  };
  EXPECT_FALSE(refused(good));
  for (const char* field : {"choice", "candidates", "winner", "default", "roster", "technique",
                            "executions", "seconds"}) {
    store::Json json = good;
    json.erase(field);
    EXPECT_TRUE(refused(json)) << field;
    json[field] = "text";
    EXPECT_TRUE(refused(json)) << field;
  }
  store::Json json = good;
  json["winner"] = 2;
  EXPECT_TRUE(refused(json));
  // the winner's number is now that of a candidate other than the one in "choice"
  json["winner"] = 0;
  EXPECT_TRUE(refused(json));
  json = good;
  json["candidates"][0]["outcome"] = 99;
  EXPECT_TRUE(refused(json));
  json = good;
  json["candidates"][1]["outcome"] = tune::Outcome::wrong_result;
  EXPECT_TRUE(refused(json));
}

// Tests the fields of a stored decision that are unsigned integers. A number in the JSON that is
// not an unsigned integer must be refused: a conversion of 5e95 would be undefined behaviour, and
// -1 and 1.5 would become other numbers.
TEST(Decision, ANumberThatIsNoneOfItsTypeIsABadRecord) {
  const auto trouble_with = [](const char* field, const char* number) {
    store::Json json = to_json(sample());
    json[store::Json::json_pointer(field)] = store::Json::parse(number);
    try {
      decision_from_json(json);
      return std::string("accepted");
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::bad_record);
      return std::string(error.what());
    }
  };
  for (const char* field :
       {"/candidates/0/workspace", "/candidates/0/samples", "/candidates/0/executions",
        "/candidates/0/launches", "/candidates/0/outcome", "/candidates/0/exactness", "/winner",
        "/default", "/executions", "/technique"}) {
    const std::string name = std::string(field).substr(std::string(field).rfind('/') + 1);
    for (const char* number : {"5e95", "1.5", "-1e300", "18446744073709551616", "true", "null"})
      EXPECT_THAT(trouble_with(field, number), testing::HasSubstr("field '" + name + "' is "))
          << number;
    EXPECT_NE(trouble_with(field, "-1"), "accepted") << field;
  }
  EXPECT_THAT(trouble_with("/candidates/0/workspace", "5e95"),
              testing::HasSubstr("5e+95, which is no whole number from 0 to 18446744073709551615"));
  EXPECT_THAT(trouble_with("/technique", "77"), testing::HasSubstr("1 … 5"));
}

TEST(Decision, AProvisionalOneKeepsItsRiskItsReasonAndItsBudget) {
  EXPECT_FALSE(to_json(sample()).contains("provisional"));
  EXPECT_FALSE(decision_from_json(to_json(sample())).unstable);
  Decision before = sample();
  before.unstable = true;
  before.risk = 0.042;
  before.why = "the winner may be 4.2 % slower than another one";
  before.budget_seconds = 0.25;
  Decision after = decision_from_json(to_json(before));
  EXPECT_TRUE(after.unstable);
  EXPECT_EQ(after.risk, before.risk);
  EXPECT_EQ(after.why, before.why);
  EXPECT_EQ(after.budget_seconds, before.budget_seconds);
  before.budget_seconds = std::numeric_limits<double>::infinity();
  after = decision_from_json(store::Json::parse(to_json(before).dump()));
  EXPECT_EQ(after.budget_seconds, before.budget_seconds);
  for (const char* field : {"risk", "why"}) {
    store::Json json = to_json(before);
    json["provisional"].erase(field);
    EXPECT_THROW(decision_from_json(json), Error) << field;
  }
  store::Json json = to_json(before);
  json["provisional"] = true;
  EXPECT_THROW(decision_from_json(json), Error);
}

TEST(Decision, OnlyWhatCanBeTrustedMayBeStored) {
  Decision decision = sample();
  EXPECT_TRUE(decision.may_be_stored());
  decision.unstable = true;  // an unstable decision is provisional, but may be stored
  EXPECT_TRUE(decision.may_be_stored());
  for (const Completeness completeness :
       {Completeness::uncompared, Completeness::incomplete, Completeness::cancelled}) {
    decision.completeness = completeness;
    EXPECT_FALSE(decision.may_be_stored());
  }
  decision.completeness = Completeness::complete;
  EXPECT_TRUE(decision.may_be_stored());
  decision.winner.reset();
  EXPECT_FALSE(decision.may_be_stored());
}

}  // namespace
}  // namespace atc::conv
