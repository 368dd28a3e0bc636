// Tests what happens to cuDNN's candidates in a race (the check and timing of the candidates). The
// fastest candidate with right results must win. Candidates with wrong results must be refused with
// the reason.
#include <cstdint>
#include <limits>
#include <utility>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;

TEST(Candidates, TheFastestIsTakenAndRightInEachDirection) {
  on_machine(usual_script(), [] {
    for (const atc_direction direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
      atc_conv_problem problem = tiny_problem();
      problem.direction = direction;
      const Tuned tuned = tune(problem, cudnn_alone());
      EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
      EXPECT_EQ(tuned.source, ATC_SOURCE_TUNED);
      EXPECT_EQ(tuned.flags, 0u) << tuned.why;
      EXPECT_EQ(tuned.choice, choice_of(kFastest));
      EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_WON);
      EXPECT_EQ(tuned.of(kFirst).outcome, ATC_OUTCOME_DROPPED) << tuned.of(kFirst).reason;
      EXPECT_EQ(tuned.of(kFallback).outcome, ATC_OUTCOME_DROPPED) << tuned.of(kFallback).reason;
      Layer layer(problem);
      layer.unwrite();
      EXPECT_DONE(layer.run(choice_of(kFastest)));
      layer.expect_right();
    }
  });
}

// A change of the setting benchmark_cudnn must take effect at the next call, even for a shape that
// was already computed.
TEST(Candidates, ThePlanFollowsTheSwitch) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const auto choice = [&] {
      atc_conv_plan* plan = nullptr;
      const char* text = "";
      EXPECT_DONE(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, nullptr));
      EXPECT_DONE(atc_conv_plan_choice(&text, plan));
      std::string copy = text;
      layer.unwrite();
      EXPECT_DONE(layer.call.run(plan));
      layer.expect_right();
      atc_conv_plan_destroy(plan);
      return copy;
    };
    EXPECT_EQ(choice(), choice_of(kFirst));
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    EXPECT_EQ(choice(), choice_of(kFastest));
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    ASSERT_DONE(atc_set_benchmark_cudnn(0));
    EXPECT_EQ(choice(), choice_of(kFirst));
  });
}

// If nothing is tuned, the first candidate of cuDNN runs without a check of its results. So an
// engine that is known to round partial sums must not be the first one.
TEST(Candidates, OnesThatRoundPartialSumsRaceButAreNoDefault) {
  constexpr std::int64_t kRounds = 20;
  Script script = usual_script();
  engine(script, kFirst).index = kRounds;
  on_machine(script, [] {
    atc_conv_problem problem = tiny_problem();
    problem.direction = ATC_BACKWARD_WEIGHT;
    problem.x_dtype = problem.w_dtype = problem.y_dtype = ATC_DTYPE_BF16;
    // No engine can be built, because the library that replaces cuDNN only computes f32. So the
    // text names all engines, in the order in which atc would use them.
    EXPECT_THAT(tune(problem, cudnn_alone()).why, ContainsRegex("eng20.*eng5.*eng8"));
    problem.in_channels = problem.out_channels = problem.groups = 4;
    EXPECT_THAT(tune(problem, cudnn_alone()).why, ContainsRegex("eng5.*eng8.*eng20"));
  });
}

// The parameter of this test is a direction and the number of a cuDNN engine. It is known that this
// engine computes this direction wrongly if the padding differs between the two sides of a
// dimension.
struct UnevenPadding : ::testing::TestWithParam<std::pair<atc_direction, std::int64_t>> {};

TEST_P(UnevenPadding, TheEngineIsACandidateForEvenPaddingAlone) {
  const auto [direction, index] = GetParam();
  constexpr std::int64_t kUnknown = 99;
  Script script = usual_script();
  engine(script, kFastest).index = kUnknown;
  engine(script, kFirst).index = index;
  on_machine(script, [direction = direction, index = index] {
    atc_conv_problem problem = tiny_problem();
    problem.direction = direction;
    EXPECT_TRUE(tune(problem, cudnn_alone()).has(index));
    problem.padding_low[1] = 0;
    EXPECT_FALSE(tune(problem, cudnn_alone()).has(index));
  });
}
INSTANTIATE_TEST_SUITE_P(Candidates, UnevenPadding,
                         ::testing::Values(std::pair{ATC_FORWARD, 5},
                                           std::pair{ATC_BACKWARD_DATA, 6},
                                           std::pair{ATC_BACKWARD_DATA, 50},
                                           std::pair{ATC_BACKWARD_WEIGHT, 16},
                                           std::pair{ATC_BACKWARD_WEIGHT, 18}));

TEST(Candidates, ABiasIsFused) {
  on_machine(usual_script(), [] {
    for (const atc_epilogue epilogue : {ATC_EPILOGUE_BIAS, ATC_EPILOGUE_BIAS_RELU}) {
      atc_conv_problem problem = tiny_problem();
      problem.epilogue = epilogue;
      Layer layer(problem);
      EXPECT_EQ(tune(problem, cudnn_alone()).choice, choice_of(kFastest));
      ASSERT_DONE(atc_set_benchmark_cudnn(1));
      layer.unwrite();
      EXPECT_DONE(layer.eager());
      layer.expect_right();
    }
  });
}

TEST(Candidates, ABiasMayBeAPassOfItsOwn) {
  on_machine(usual_script(), [] {
    for (const atc_epilogue epilogue : {ATC_EPILOGUE_BIAS, ATC_EPILOGUE_BIAS_RELU}) {
      atc_conv_problem problem = tiny_problem();
      problem.epilogue = epilogue;
      Layer layer(problem);
      layer.unwrite();
      EXPECT_DONE(layer.run(choice_of(kFastest) + "+bias"));
      layer.expect_right();
    }
    Layer without(tiny_problem());
    EXPECT_REFUSED(without.run(choice_of(kFastest) + "+bias"), ATC_ERROR_UNSUPPORTED,
                   "adds a bias by itself, which this problem does not have");
  });
}

struct Misdeed {
  const char* name;
  Deed deed;
  const char* reason;
};

class WrongCandidate : public testing::TestWithParam<Misdeed> {
 protected:
  // Expects that tuning refuses the engine `wrong` with the reason, and chooses the engine `taken`,
  // the fastest one of the others.
  static void expect_refused(std::int64_t wrong, std::int64_t taken) {
    Script script = usual_script();
    engine(script, wrong).deed = GetParam().deed;
    on_machine(script, [&] {
      atc_tune_options options = cudnn_alone();
      options.allow_tf32 = ATC_OFF;
      const Tuned tuned = tune(tiny_problem(), options);
      EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
      EXPECT_EQ(tuned.choice, choice_of(taken)) << tuned.why;
      EXPECT_EQ(tuned.of(wrong).outcome, ATC_OUTCOME_WRONG_RESULT);
      EXPECT_THAT(tuned.of(wrong).reason, HasSubstr(GetParam().reason));
      EXPECT_EQ(tuned.of(taken).outcome, ATC_OUTCOME_WON);
      EXPECT_EQ(tuned.of(kFallback).outcome, ATC_OUTCOME_DROPPED);
    });
  }
};

TEST_P(WrongCandidate, IsRefusedByItsReason) { expect_refused(kFastest, kFirst); }

// In this test the engine with wrong results is the engine that would run without tuning. Tuning
// must refuse this engine, too.
TEST_P(WrongCandidate, IsRefusedWhereItIsTheDefault) { expect_refused(kFirst, kFastest); }

INSTANTIATE_TEST_SUITE_P(
    Misdeeds, WrongCandidate,
    testing::Values(Misdeed{"Wrong", Deed::wrong, "the reference says"},
                    Misdeed{"Imprecise", Deed::imprecise, "the reference says"},
                    Misdeed{"LeavesOne", Deed::leaves_one, "element 59 of the output was never"},
                    Misdeed{"NotFinite", Deed::not_finite,
                            "element 29 of the output is not finite"},
                    Misdeed{"BeforeTheStart", Deed::before_the_start, "4 bytes before the start"},
                    Misdeed{"BehindTheEnd", Deed::behind_the_end, "after the end of the output"},
                    Misdeed{"IntoItsInput", Deed::into_its_input, "wrote into x"}),
    [](const auto& info) { return info.param.name; });

// The check of a candidate compares a sample of the elements, and also compares the whole outputs
// of candidates. The output of this test has far more elements than the sample. So only the
// comparison of whole outputs can find one wrong element.
TEST(Candidates, OneWrongElementOfManyIsFound) {
  Script script = usual_script();
  engine(script, kFastest).deed = Deed::wrong;
  on_machine(script, [] {
    for (const atc_direction direction : {ATC_FORWARD, ATC_BACKWARD_DATA}) {
      atc_conv_problem problem = tiny_problem();
      problem.direction = direction;
      problem.in_channels = problem.out_channels = 3;
      problem.input[0] = problem.input[1] = 48;
      const Tuned tuned = tune(problem, cudnn_alone());
      EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_WRONG_RESULT);
      EXPECT_THAT(tuned.of(kFastest).reason, HasSubstr("element 3455 is "));
      EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    }
  });
}

// Before the check runs a candidate, it fills the workspace with NaN. So a candidate that reads its
// workspace before writing it computes NaN.
TEST(Candidates, OneThatReadsItsWorkspaceFirstIsRefused) {
  Script script = usual_script();
  engine(script, kFastest).deed = Deed::reads_workspace;
  on_machine(script, [] {
    const Tuned tuned = tune(tiny_problem(), cudnn_alone());
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_WRONG_RESULT);
    EXPECT_THAT(tuned.of(kFastest).reason, HasSubstr("element 0 of the output is not finite"));
  });
}

// Returns a script in which an engine has a fault that cuDNN is known to have before version 9.24:
// it computes some depthwise layers wrongly if it has computed a problem of another size before.
Script script_that_remembers_sizes(std::size_t cudnn_version) {
  Script script = usual_script();
  script.cudnn_version = cudnn_version;
  engine(script, kFastest).deed = Deed::remembers_sizes;
  return script;
}

atc_conv_problem depthwise_problem() {
  atc_conv_problem problem = tiny_problem();
  problem.in_channels = problem.out_channels = problem.groups = 4;
  return problem;
}

TEST(Candidates, OneThatIsWrongAfterAnotherSizeIsRefused) {
  on_machine(script_that_remembers_sizes(91900), [] {
    for (const atc_direction direction : {ATC_FORWARD, ATC_BACKWARD_DATA, ATC_BACKWARD_WEIGHT}) {
      atc_conv_problem problem = depthwise_problem();
      problem.direction = direction;
      const Tuned tuned = tune(problem, cudnn_alone());
      EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
      EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
      EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_WRONG_RESULT);
      EXPECT_THAT(tuned.of(kFastest).reason,
                  ContainsRegex("wrong after a problem of another size has run .*reference says"));
    }
    // The layer of tiny_problem() has fewer groups. atc does not suspect layers with so few groups
    // of the fault, so it does not check the engine for the fault.
    EXPECT_EQ(tune(tiny_problem(), cudnn_alone()).choice, choice_of(kFastest));
  });
}

// The engine computes wrongly after a problem of another size has run. But atc does not suspect
// this version of cuDNN of the fault. So the check does not run a problem of another size, and does
// not find the fault.
TEST(Candidates, OneThatIsWrongAfterAnotherSizeIsNotLookedForFrom924On) {
  on_machine(script_that_remembers_sizes(92400), [] {
    const Tuned tuned = tune(depthwise_problem(), cudnn_alone());
    EXPECT_EQ(tuned.choice, "cudnn@9.24.0:eng5_k2=7") << tuned.why;
  });
}

// A candidate whose results were wrong when it was checked must never run, even if there is no
// other candidate.
TEST(Candidates, WhereAllAreWrongTheReferenceRunsOrNothing) {
  Script script = usual_script();
  for (Engine& one : script.engines) one.deed = Deed::wrong;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const Tuned alone = tune(layer.call.problem, cudnn_alone());
    EXPECT_EQ(alone.status, ATC_ERROR_UNSUPPORTED) << atc_status_name(alone.status);
    for (const std::int64_t index : {kFirst, kFastest, kFallback})
      EXPECT_THAT(alone.why, HasSubstr(choice_of(index)));
    EXPECT_THAT(alone.why, HasSubstr("the reference says"));
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    atc_tune_options options = cudnn_alone();
    options.engines_allowed = nullptr;
    const Tuned tuned = tune(layer.call.problem, options);
    EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
    EXPECT_EQ(tuned.source, ATC_SOURCE_REFERENCE);
  });
}

// cuDNN offers nothing in these tests. Expects that tuning fails with the reason `why` if only
// cuDNN is allowed, and that the reference engine runs if it is allowed, too.
void expect_the_reference_alone(const std::string& why) {
  Layer layer(tiny_problem());
  const Tuned alone = tune(layer.call.problem, cudnn_alone());
  EXPECT_EQ(alone.status, ATC_ERROR_UNSUPPORTED) << atc_status_name(alone.status);
  EXPECT_THAT(alone.why, HasSubstr(why));
  layer.unwrite();
  EXPECT_DONE(layer.eager());
  layer.expect_right();
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.allow_reference = ATC_OFF;
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, &options),
                 ATC_ERROR_UNSUPPORTED, "cudnn", why);
}

TEST(Candidates, WithoutAnyTheReferenceRuns) {
  Script script = usual_script();
  script.engines.clear();
  on_machine(script, [] { expect_the_reference_alone("propose nothing"); });
}

TEST(Candidates, WhereNoModeOfTheHeuristicsAnswersItIsSaidInCudnnsWords) {
  on_machine(usual_script(), [] {
    machine().break_call({Part::cudnn, 1, "cudnnBackendFinalize heuristics", 3000, true});
    expect_the_reference_alone(
        "propose nothing: cudnnBackendFinalize: CUDNN_STATUS_NOT_SUPPORTED (the stand-in was told");
    machine().mend();
    EXPECT_EQ(tune(tiny_problem(), cudnn_alone()).choice, choice_of(kFastest));
  });
}

TEST(Candidates, OnesThatCannotBeBuiltAreListedWithCudnnsWords) {
  Script script = usual_script();
  engine(script, kFastest).plan_status = 3000;
  engine(script, kFallback).execution_status = 5000;
  on_machine(script, [] {
    const Tuned tuned = tune(tiny_problem(), cudnn_alone());
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_NOT_PREPARED);
    EXPECT_THAT(tuned.of(kFastest).reason, HasSubstr("CUDNN_STATUS_NOT_SUPPORTED (the script"));
    EXPECT_EQ(tuned.of(kFallback).outcome, ATC_OUTCOME_FAILED);
    EXPECT_THAT(tuned.of(kFallback).reason, HasSubstr("CUDNN_STATUS_EXECUTION_FAILED"));
  });
}

struct Unbuildable {
  int status;
  atc_status ending;
};

class NoneCanBeBuilt : public testing::TestWithParam<Unbuildable> {};

// If cuDNN cannot compute the problem, the reference engine must run. But if a library or the
// device is broken, the error must be returned.
TEST_P(NoneCanBeBuilt, ThenTheReferenceRunsOrWhatIsBrokenIsTold) {
  Script script = usual_script();
  for (Engine& one : script.engines) one.plan_status = GetParam().status;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const bool unable = GetParam().ending == ATC_ERROR_UNSUPPORTED;
    for (const int benchmark : {0, 1}) {
      ASSERT_DONE(atc_set_benchmark_cudnn(benchmark));
      layer.unwrite();
      EXPECT_EQ(layer.eager(), unable ? ATC_OK : GetParam().ending) << atc_last_error();
      if (unable) layer.expect_right();
    }
    const Tuned tuned = tune(layer.call.problem, cudnn_alone());
    EXPECT_EQ(tuned.status, GetParam().ending) << atc_status_name(tuned.status);
    EXPECT_THAT(tuned.why, HasSubstr("the script says that it fails"));
    atc_conv_options options{};
    options.struct_size = sizeof(options);
    options.allow_reference = ATC_OFF;
    atc_conv_plan* plan = nullptr;
    EXPECT_REFUSED(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, &options),
                   GetParam().ending, choice_of(kFirst), choice_of(kFastest));
    EXPECT_REFUSED(layer.run(choice_of(kFirst)), GetParam().ending, choice_of(kFirst));
  });
}

INSTANTIATE_TEST_SUITE_P(Statuses, NoneCanBeBuilt,
                         testing::Values(Unbuildable{3000, ATC_ERROR_UNSUPPORTED},
                                         Unbuildable{4001, ATC_ERROR_UNSUPPORTED},
                                         Unbuildable{1002, ATC_ERROR_LIBRARY},
                                         Unbuildable{5000, ATC_ERROR_DEVICE}),
                         [](const auto& info) { return std::to_string(info.param.status); });

// A plan whose execution fails returns an error. Later executions of the same plan must succeed.
TEST(Candidates, AnExecutionThatFailsIsTheDevices) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    EXPECT_DONE(layer.eager());
    for (Engine& one : machine().script.engines) one.execution_status = 5000;
    EXPECT_REFUSED(layer.eager(), ATC_ERROR_DEVICE, "cudnnBackendExecute",
                   "CUDNN_STATUS_EXECUTION_FAILED");
    for (Engine& one : machine().script.engines) one.execution_status = 0;
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
  });
}

// Without tuning, the first candidate that can be built is used. Candidates that cannot be built
// are passed over.
TEST(Candidates, WhatCannotBeBuiltIsPassedOver) {
  Script script = usual_script();
  engine(script, kFirst).plan_status = 4000;
  on_machine(script, [] {
    Layer layer(tiny_problem());
    layer.unwrite();
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    atc_conv_plan* plan = nullptr;
    ASSERT_DONE(atc_conv_plan_create(&plan, kCuda, &layer.call.problem, nullptr));
    const char* choice = nullptr;
    EXPECT_DONE(atc_conv_plan_choice(&choice, plan));
    EXPECT_EQ(choice, choice_of(kFastest));
    atc_candidate first{};
    first.struct_size = sizeof(first);
    EXPECT_DONE(atc_conv_plan_candidate(&first, plan, 0));
    EXPECT_EQ(first.outcome, ATC_OUTCOME_NOT_PREPARED);
    EXPECT_THAT(first.reason, HasSubstr("CUDNN_STATUS_INTERNAL_ERROR"));
    atc_conv_plan_destroy(plan);
  });
}

TEST(Candidates, NondeterministicOnesAreNotOfferedWhereThatMatters) {
  Script script = usual_script();
  engine(script, kFastest).numerical = {4};
  on_machine(script, [] {
    Layer layer(tiny_problem());
    EXPECT_EQ(tune(layer.call.problem, cudnn_alone()).choice, choice_of(kFastest));
    ASSERT_DONE(atc_set_deterministic_cudnn(1));
    const Tuned tuned = tune(layer.call.problem, cudnn_alone());
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_FALSE(tuned.has(kFastest));
    EXPECT_REFUSED(layer.run(choice_of(kFastest)), ATC_ERROR_UNSUPPORTED, choice_of(kFastest),
                   "is not deterministic");
    for (Engine& one : machine().script.engines) one.numerical = {4};
    const Tuned none = tune(layer.call.problem, cudnn_alone());
    EXPECT_EQ(none.status, ATC_ERROR_UNSUPPORTED) << atc_status_name(none.status);
    EXPECT_THAT(none.why, HasSubstr("is not deterministic"));
  });
}

TEST(Candidates, Tf32AndWhatConvertsDownAreHeldToTheSwitches) {
  Script script = usual_script();
  // The numerical note 1 of cuDNN says that the engine converts inputs to a narrower type.
  engine(script, kFirst).numerical = {1};
  // The numerical note 0 of cuDNN says that the engine uses tensor cores.
  engine(script, kFastest).numerical = {0};
  // The behavior note 1 of cuDNN says that the engine needs the filter in an order of its own.
  engine(script, kFallback).behavior = {1};
  on_machine(script, [] {
    atc_tune_options options = cudnn_alone();
    const Tuned tuned = tune(tiny_problem(), options);
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    EXPECT_EQ(tuned.candidates.size(), 1u);
    options.allow_tf32 = ATC_OFF;
    EXPECT_EQ(tune(tiny_problem(), options).status, ATC_ERROR_UNSUPPORTED);
  });
}

TEST(Candidates, OnesAboveTheWorkspaceLimitAreNotOffered) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    atc_tune_options options = cudnn_alone();
    options.workspace_limit = ATC_NONE;
    const Tuned tuned = tune(layer.call.problem, options);
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_FALSE(tuned.has(kFastest));
    for (Engine& one : machine().script.engines) one.workspace = 4096;
    const Tuned none = tune(layer.call.problem, options);
    EXPECT_EQ(none.status, ATC_ERROR_UNSUPPORTED) << atc_status_name(none.status);
    EXPECT_THAT(none.why, HasSubstr("needs 4096 bytes of workspace, 0 are allowed"));
  });
}

// A newer cuDNN may report notes (properties) and knobs (parameters) that atc does not know, for an
// engine that atc knows. The engine must still be usable. The choice (the text that names the
// engine and its configuration) must contain the unknown knobs, too.
TEST(Candidates, UnknownNotesAndKnobsAreCarried) {
  Script script = usual_script();
  Engine& fastest = engine(script, kFastest);
  fastest.numerical = {77, 5000};
  for (int note = 100; note < 170; ++note) fastest.behavior.push_back(note);
  fastest.knobs = {{1234, -5}, {99, std::int64_t{1} << 40}, {2, 7}};
  on_machine(script, [] {
    Layer layer(tiny_problem());
    const Tuned tuned = tune(layer.call.problem, cudnn_alone());
    const std::string choice = "cudnn@9.19.0:eng5_k2=7_k99=1099511627776_k1234=-5";
    EXPECT_EQ(tuned.choice, choice) << tuned.why;
    layer.unwrite();
    EXPECT_DONE(layer.run(choice));
    layer.expect_right();
  });
}

TEST(Candidates, ProposedTwiceRaceOnce) {
  Script script = usual_script();
  script.engines.push_back(engine(script, kFastest));
  script.engines.back().fallback = true;
  on_machine(script, [] {
    const Tuned tuned = tune(tiny_problem(), cudnn_alone());
    EXPECT_EQ(tuned.candidates.size(), 3u);
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
  });
}

// A running execution cannot be interrupted. If the time for tuning (the budget) ends during it,
// the candidates that were not yet timed are skipped. Times that were measured before remain valid.
TEST(Candidates, OneThatHangsForAWhileCostsTheBudgetAndNothingElse) {
  Script script = usual_script();
  engine(script, kFastest).host_seconds = 1;
  on_machine(script, [] {
    atc_tune_options options = cudnn_alone();
    options.problem_budget_seconds = 1;
    // With this number of calls, every candidate is worth its costs. So candidates are left out
    // only because of the budget.
    options.expected_calls = std::numeric_limits<double>::infinity();
    const Tuned tuned = tune(tiny_problem(), options);
    EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_DROPPED) << tuned.of(kFastest).reason;
    EXPECT_EQ(tuned.of(kFallback).outcome, ATC_OUTCOME_SKIPPED) << tuned.of(kFallback).reason;
    EXPECT_THAT(tuned.of(kFallback).reason, HasSubstr("budget"));
    EXPECT_THAT(tuned.why, HasSubstr("the budget of 1 s was spent"));
  });
}

// The first execution of the engine kFastest takes longer than even the loading of its kernels
// could explain. So this candidate is too slow, and is not executed a second time. The candidate
// counts as compared with the others, so the decision is complete and is stored.
TEST(Candidates, OneThatIsHopelessAtItsFirstExecutionGetsNoSecond) {
  Script script = usual_script();
  engine(script, kFastest).host_seconds = 1.2;
  on_machine(script, [] {
    const OpenStore store;
    atc_tune_options options = cudnn_alone();
    options.problem_budget_seconds = 1.5;
    const Tuned tuned = tune(tiny_problem(), options);
    EXPECT_EQ(tuned.choice, choice_of(kFirst)) << tuned.why;
    EXPECT_EQ(tuned.of(kFastest).outcome, ATC_OUTCOME_DROPPED) << tuned.of(kFastest).reason;
    EXPECT_THAT(tuned.of(kFastest).reason, HasSubstr("an execution of its check took"));
    EXPECT_EQ(tuned.of(kFallback).outcome, ATC_OUTCOME_SKIPPED) << tuned.of(kFallback).reason;
    EXPECT_EQ(store.entries(), 1u) << tuned.why;
  });
}

}  // namespace
}  // namespace atc::fault
