// Tests how pins (choices that a user sets in a file) affect decisions. Covers the order of the
// sources of a decision, the limits that a pin cannot exceed, the single check of a pinned choice,
// and bars (pins that exclude an engine or a choice).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "conv/pins/pins_in_use.hpp"
#include "core/error.hpp"
#include "core/log.hpp"
#include "engines/registry.hpp"
#include "policy_fixture.hpp"

namespace atc::conv {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Pins : public Policy {
 protected:
  void TearDown() override {
    use_pins(nullptr);
    Policy::TearDown();
  }
  // Writes a pin file with these pins, and makes the process use it.
  void pin(const std::string& pins) {
    const std::string path = (folder_ / "pins.json").string();
    std::ofstream(path) << "{\"schema\": 1, \"pins\": [" << pins << "]}";
    use_pin_file(path);
  }
  void pin_choice(const std::string& choice) {
    pin("\n{\"name\": \"mine\", \"match\": {}, \"choice\": \"" + choice + "\"}");
  }
  Request within(const Problem& problem, const PlanOptions& options) const {
    return resolve({}, problem, options, Settings{});
  }
  // Decides a problem whose pin cannot be followed. Returns the message of the error.
  std::string refusal_of(const Problem& problem, const Request& request,
                         Status expected = Status::unsupported) {
    try {
      decide(problem, request);
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), expected) << error.what();
      return error.what();
    }
    ADD_FAILURE() << "nothing was refused";
    return "";
  }
};

TEST_F(Pins, AGivenChoiceOutranksAPinWhichOutranksARecordAndTuning) {
  register_fake();
  const Problem problem = problem_of(300);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
  pin_choice("fake@1:two");
  for (const bool tune : {false, true}) {
    const Decided decided = decide(problem, request(problem, tune));
    EXPECT_EQ(decided.decision->source, Source::pinned);
    EXPECT_EQ(to_string(decided.decision->choice), "fake@1:two");
    EXPECT_THAT(decided.decision->candidates.at(0).notes, HasSubstr("pins.json:2: pin 1 (mine)"));
    EXPECT_NE(decided.prepared, nullptr);
  }
  EXPECT_EQ(decide_given(problem, request(problem), {"fake", "1", "one", {}}).decision->source,
            Source::given);
  use_pins(nullptr);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

TEST_F(Pins, APinOutranksReplayOnlyStoresAndStoresNothing) {
  register_fake();
  const Problem problem = problem_of(301);
  use_store(store::Mode::read_write);
  pin_choice("fake@1:one");
  EXPECT_NE(decide(problem, request(problem, true)).decision->keeping, Keeping::stored);
  EXPECT_EQ(store_->get(key_for(problem, request(problem))), nullptr);
  use_store(store::Mode::replay_only);
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::pinned);
}

TEST_F(Pins, AChoiceThatIsNotHereIsAnErrorThatNamesPinFileAndWayOut) {
  register_fake();
  const Problem problem = problem_of(302);
  pin_choice("none@1:x");
  EXPECT_THAT(refusal_of(problem, request(problem)),
              AllOf(HasSubstr("pins.json:2: pin 1 (mine) pins none@1:x"),
                    HasSubstr("there is no engine 'none'"), HasSubstr("change the pin"),
                    HasSubstr("ATC_PINS")));
  pin_choice("fake@2:one");
  EXPECT_THAT(refusal_of(problem, request(problem)), HasSubstr("has version 1 here"));
  pin_choice("fake@1:three");
  EXPECT_THAT(refusal_of(problem, request(problem)),
              AllOf(HasSubstr("no such configuration"), HasSubstr("narrow the pin's \"match\"")));
  script_->unbuildable = "one";
  pin_choice("fake@1:one");
  EXPECT_THAT(refusal_of(problem, request(problem)), HasSubstr("scripted not to build one"));
  script_->unbuildable.clear();
  script_->out_of_memory = "one";
  EXPECT_THAT(refusal_of(problem, request(problem), Status::out_of_memory), HasSubstr("pin 1"));
}

TEST_F(Pins, AChoiceOfAMisspeltEngineIsToldWithTheNearestName) {
  pin_choice("onedn@1:x");
  EXPECT_THAT(refusal_of(problem_of(310), request(problem_of(310))),
              HasSubstr("there is no engine 'onedn' for this device (did you mean 'onednn'?)"));
  pin_choice("ncwh@1>reference@1:x");
  EXPECT_THAT(refusal_of(problem_of(310), request(problem_of(310))),
              AllOf(HasSubstr("there is no rewrite 'ncwh'"), HasSubstr("change the pin")));
}

// The pin excludes an engine that does not exist. An engine of this name may be registered later.
// So there is a warning and no error.
TEST_F(Pins, ABarOfAnUnknownNameIsOneWarningWithTheNearestName) {
  register_fake();
  std::vector<std::string> lines;
  set_log_sink([&](LogLevel, const std::string& line) { lines.push_back(line); });
  pin(R"({"name": "a", "match": {}, "bar": ["onedn", "fake", "aten", "cudnn", "nhwc", "own"]})");
  for (const int channels : {311, 312}) decide(problem_of(channels), request(problem_of(channels)));
  set_log_sink({});
  EXPECT_THAT(lines, testing::ElementsAre(
                         AllOf(HasSubstr("pins.json:1: pin 1 (a) bars onedn"),
                               HasSubstr("no such engine"), HasSubstr("did you mean 'onednn'?")),
                         AllOf(HasSubstr("bars own"), testing::Not(HasSubstr("did you mean")))));
}

TEST(KnownNames, HaveThoseOfEachEngineAndRewriteOfThisBuild) {
  for (const RegisteredEngine& one : EngineRegistry::instance().all()) {
    if (!one.built_in) continue;
    EXPECT_EQ(nearest_known_name(one.engine->name()), one.engine->name());
  }
  for (const auto& rewrite : EngineRegistry::instance().rewrites())
    EXPECT_EQ(nearest_known_name(rewrite->name()), rewrite->name());
}

TEST_F(Pins, DeterminismOfTheCallHolds) {
  script_->offers[0].deterministic = false;
  register_fake();
  const Problem problem = problem_of(303);
  PlanOptions options;
  options.deterministic = true;
  pin_choice("fake@1:one");
  EXPECT_THAT(refusal_of(problem, within(problem, options)),
              AllOf(HasSubstr("is not deterministic"), HasSubstr("deterministic_cudnn")));
  options.deterministic = false;
  EXPECT_EQ(decide(problem, within(problem, options)).decision->source, Source::pinned);
  options.deterministic = true;
  pin_choice("fake@1:two");
  EXPECT_EQ(decide(problem, within(problem, options)).decision->source, Source::pinned);
}

TEST_F(Pins, TheWorkspaceLimitOfTheCallHolds) {
  script_->offers[0].workspace = 1000;
  register_fake();
  const Problem problem = problem_of(304);
  PlanOptions options;
  options.workspace = 0;
  pin_choice("fake@1:one");
  EXPECT_THAT(refusal_of(problem, within(problem, options)),
              AllOf(HasSubstr("1000 bytes"), HasSubstr("allows 0"), HasSubstr("workspace_limit")));
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::pinned);
}

TEST_F(Pins, ThePrecisionOfTheCallHolds) {
  script_->tf32 = "one";
  register_fake();
  const Problem problem = problem_of(305);
  PlanOptions options;
  options.allow_tf32 = false;
  pin_choice("fake@1:one");
  EXPECT_THAT(refusal_of(problem, within(problem, options)),
              AllOf(HasSubstr("TF32"), HasSubstr("allow_tf32_cudnn")));
  Request allowed = within(problem, options);
  // the request now allows TF32, so the pinned choice may run (the CPU itself has no TF32)
  allowed.limits.allow_tf32 = true;
  EXPECT_EQ(decide(problem, allowed).decision->source, Source::pinned);
}

TEST_F(Pins, APinnedChoicePassesTheGateOnceForEachProblem) {
  register_fake();
  const Problem problem = problem_of(306), other = problem_of(307);
  pin_choice("fake@1:one");
  decide(problem, request(problem));
  // the pinned choice was prepared twice: for the gate (the check), and for the plan
  EXPECT_EQ(script_->prepared, 2);
  decide(problem, request(problem));
  EXPECT_EQ(script_->prepared, 3);
  decide(other, request(other));
  EXPECT_EQ(script_->prepared, 5);
}

TEST_F(Pins, AWrongResultIsAnErrorEachTimeAndIsCheckedOnce) {
  script_->coarse = true;
  register_fake();
  const Problem problem = problem_of(308);
  pin_choice("fake@1:one");
  const std::string first = refusal_of(problem, request(problem));
  EXPECT_THAT(first, AllOf(HasSubstr("correctness gate"), HasSubstr("pin 1 (mine)")));
  EXPECT_EQ(script_->prepared, 1);
  EXPECT_EQ(refusal_of(problem, request(problem)), first);
  EXPECT_EQ(script_->prepared, 1);
  // The gate (the check against the reference) has refused the pinned choice for this problem. So a
  // call that gives the same choice must be refused, too.
  try {
    decide_given(problem, request(problem), {"fake", "1", "one", {}});
    ADD_FAILURE() << "it ran";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("correctness gate"));
  }
  // The choice was prepared twice: for the gate's check of the pinned choice, and for its check of
  // the choice that the call gives.
  EXPECT_EQ(script_->prepared, 2);
}

TEST_F(Pins, ABarredEngineNeitherRacesNorServesFromARecord) {
  register_fake();
  const Problem problem = problem_of(309);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  pin(R"({"match": {}, "bar": "fake"})");
  EXPECT_EQ(decide(problem, request(problem)).decision->choice, fallback);
  script_->asked = 0;
  EXPECT_NE(decide(problem, request(problem, true)).decision->choice.engine, "fake");
  EXPECT_EQ(script_->asked, 0);
}

TEST_F(Pins, ABarredDefaultLeavesTheNextOneAndAnErrorNamesTheBars) {
  const Problem problem = problem_of(310);
  const Choice fallback = default_choice(problem);
  pin("{\"match\": {}, \"bar\": \"" + fallback.engine + "\"}");
  if (fallback.engine != "reference") {
    EXPECT_NE(decide(problem, request(problem)).decision->choice.engine, fallback.engine);
  }
  pin(R"({"match": {}, "bar": ["reference", ")" + fallback.engine + R"("]})");
  EXPECT_THAT(refusal_of(problem, request(problem)), HasSubstr("pins.json:1: pin 1"));
}

TEST_F(Pins, ABarredChoiceDoesNotRaceWhileItsEnginesOthersDo) {
  script_->pause = std::chrono::milliseconds(0);
  register_fake();
  const Problem problem = problem_of(311);
  use_store(store::Mode::read_write);
  Request only = request(problem, true);
  only.engines_allowed = {"fake"};
  pin(R"({"match": {}, "bar": "fake@1:one"})");
  const Decided decided = decide(problem, only);
  EXPECT_EQ(to_string(decided.decision->choice), "fake@1:two");
  for (const Candidate& candidate : decided.decision->candidates)
    EXPECT_NE(to_string(candidate.choice), "fake@1:one");
  // The bar excluded one offer of the engine from the race. So the engine must not be in the roster
  // (the engines that the decision covers). A request with the same bar uses the decision. A
  // request without the bar races the engine.
  EXPECT_FALSE(decided.decision->roster.has("fake", "1"));
  script_->asked = 0;
  EXPECT_EQ(decide(problem, only).decision->source, Source::record);
  EXPECT_EQ(script_->asked, 0);
  use_pins(nullptr);
  EXPECT_EQ(decide(problem, only).decision->source, Source::tuned);
  EXPECT_GT(script_->asked, 0);
}

TEST_F(Pins, ARecordWhoseWinnerIsBarredDoesNotServe) {
  register_fake();
  const Problem problem = problem_of(312);
  const Choice fallback = default_choice(problem);
  use_store(store::Mode::read_write);
  put(problem, record(fallback));
  pin(R"({"match": {}, "bar": "fake@1:one"})");
  EXPECT_EQ(decide(problem, request(problem)).decision->choice, fallback);
  pin(R"({"match": {}, "bar": "fake@1:two"})");
  EXPECT_EQ(decide(problem, request(problem)).decision->source, Source::record);
}

TEST_F(Pins, ABarredFirstChoiceOfTheDefaultEngineLeavesItsSecond) {
  const Problem problem = problem_of(313);
  const Choice fallback = default_choice(problem);
  if (fallback.engine == "reference") GTEST_SKIP() << "the reference makes one offer alone";
  pin("{\"match\": {}, \"bar\": \"" + to_string(fallback) + "\"}");
  EXPECT_NE(to_string(decide(problem, request(problem)).decision->choice), to_string(fallback));
}

TEST_F(Pins, TheDigestHasTheHashOfThePins) {
  register_fake();
  EXPECT_EQ(with_pins(7), 7u);
  pin_choice("fake@1:one");
  const std::uint64_t first = with_pins(7);
  EXPECT_NE(first, 7u);
  EXPECT_NE(with_pins(8), first);
  pin_choice("fake@1:two");
  EXPECT_NE(with_pins(7), first);
  pin_choice("fake@1:one");
  EXPECT_EQ(with_pins(7), first);
}

TEST_F(Pins, ANewFileMakesPlansStaleAndABadOneChangesNothing) {
  register_fake();
  pin_choice("fake@1:one");
  const std::uint64_t before = decisions_epoch(Knowledge::of_process());
  EXPECT_THROW(pin(R"({"match": {}})"), Error);
  EXPECT_EQ(decisions_epoch(Knowledge::of_process()), before);
  EXPECT_EQ(pins_in_use()->pins.size(), 1u);
  pin_choice("fake@1:two");
  EXPECT_NE(decisions_epoch(Knowledge::of_process()), before);
}

// A process reads ATC_PINS only once, so the test runs in a child process.
TEST_F(Pins, TheEnvironmentNamesAFileThatMustBeUsable) {
  const std::string path = (folder_ / "from_env.json").string();
  std::ofstream(path) << R"({"schema": 1, "pins": [{"match": {}, "bar": "fake"}]})";
  const auto in_child = [&](const std::string& value, const auto& check) {
    setenv("ATC_PINS", value.c_str(), 1);
    EXPECT_EXIT(_exit(check() ? 0 : 1), testing::ExitedWithCode(0), "");
    unsetenv("ATC_PINS");
  };
  in_child("", [] { return pins_in_use() == nullptr; });
  in_child(path, [&] { return pins_in_use()->path == path && pins_in_use()->pins.size() == 1; });
  in_child(path, [] {
    use_pin_file("");
    return pins_in_use() == nullptr;
  });
  in_child(path + ".absent", [&] {
    const Problem problem = problem_of(314);
    for (int i = 0; i < 2; ++i) {
      try {
        decide(problem, resolve({}, problem, {}, Settings{}));
        return false;
      } catch (const Error& error) {
        const std::string text = error.what();
        if (error.status() != Status::io || text.find("ATC_PINS") == std::string::npos)
          return false;
      }
    }
    use_pins(nullptr);
    return decide(problem, resolve({}, problem, {}, Settings{})).prepared != nullptr;
  });
}

}  // namespace
}  // namespace atc::conv
