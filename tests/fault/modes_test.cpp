// For calls that are captured into a CUDA graph, another candidate may be the fastest than for
// eager calls. So atc makes a separate choice for captured calls. These tests check that it is
// stored with the decision (the record), and that plans which are made in captures use it.
#include <algorithm>
#include <memory>

#include "fault/support.hpp"

namespace atc::fault {
namespace {

constexpr char streams[2] = {};
constexpr const void *kCaptured = &streams[0], *kOther = &streams[1];

// In an eager call the engine kFirst is slow: it launches one kernel for each group, and the host
// needs longer to launch them than the device to run them. In a graph it is the fastest engine.
// Each other engine launches only one kernel.
Script script_of_many_kernels() {
  Script script = usual_script();
  Engine& many = engine(script, kFirst);
  many.seconds = 25e-3;
  many.graph_seconds = 8e-3;
  many.host_seconds = 25e-3;
  many.kernels = 64;
  engine(script, kFastest).seconds = 10e-3;
  engine(script, kFallback).seconds = 100e-3;
  return script;
}

struct Flags {
  std::uint32_t flags = 0;
  std::uint64_t launches = 0;
  double host = 0;
};

// Returns three values of the plan's decision for the candidate of engine `index`: its flags, its
// number of launches and the host's time for a call.
Flags flags_of(const atc_conv_plan* plan, std::int64_t index) {
  std::size_t count = 0;
  EXPECT_DONE(atc_conv_plan_candidate_count(&count, plan));
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    EXPECT_DONE(atc_conv_plan_candidate(&candidate, plan, i));
    if (choice_of(index) ==
        std::string(candidate.engine) + "@" + candidate.version + ":" + candidate.configuration)
      return {candidate.flags, candidate.launches, candidate.host};
  }
  ADD_FAILURE() << "no candidate " << choice_of(index);
  return {};
}

std::string choice_of_plan(const atc_conv_plan* plan) {
  const char* text = "";
  EXPECT_DONE(atc_conv_plan_choice(&text, plan));
  return text;
}

class Modes {
 public:
  Modes() : layer_(tiny_problem()) {
    atc_tune_options options = cudnn_alone();
    // A plan only finds a stored decision (record) that was made with the same options as the plan.
    // The plans of this test have the default of engines_allowed, so tuning must have this default,
    // too.
    options.engines_allowed = nullptr;
    // the budget of a race (the timing of the candidates), in seconds; no race takes this long
    options.problem_budget_seconds = 60;
    const Tuned tuned = tune(layer_.call.problem, options);
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    EXPECT_EQ(tuned.of(kFirst).outcome, ATC_OUTCOME_LOST) << tuned.of(kFirst).reason;
    EXPECT_EQ(store_.entries(), 1u) << tuned.why;
    EXPECT_DONE(atc_cache_clear());
  }

  using Plan = std::unique_ptr<atc_conv_plan, decltype(&atc_conv_plan_release)>;
  Plan acquire(const void* stream) {
    atc_conv_plan* plan = nullptr;
    EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &layer_.call.problem, nullptr,
                                      static_cast<atc_stream>(const_cast<void*>(stream))));
    return {plan, atc_conv_plan_release};
  }
  std::string choice(const void* stream) { return choice_of_plan(acquire(stream).get()); }

 private:
  const OpenStore store_;
  Layer layer_;
};

TEST(LaunchModes, APlanMadeInACaptureRunsWhatIsFastestThere) {
  on_machine(script_of_many_kernels(), [] {
    Modes modes;
    EXPECT_EQ(modes.choice(kOther), choice_of(kFastest));
    machine().script.captures[kCaptured] = 1;
    EXPECT_EQ(modes.choice(kCaptured), choice_of(kFirst));
    EXPECT_EQ(modes.choice(kOther), choice_of(kFastest));
    EXPECT_EQ(modes.choice(kCaptured), choice_of(kFirst));
    machine().script.captures.clear();
    EXPECT_EQ(modes.choice(kCaptured), choice_of(kFastest));
  });
}

TEST(LaunchModes, PlansOfEitherModeAreKeptApartAndNeverSwitch) {
  on_machine(script_of_many_kernels(), [] {
    Modes modes;
    {
      const Modes::Plan eager = modes.acquire(kCaptured);
      machine().script.captures[kCaptured] = 1;
      EXPECT_EQ(choice_of_plan(eager.get()), choice_of(kFastest));
      const Modes::Plan captured = modes.acquire(kCaptured);
      machine().script.captures.clear();
      EXPECT_EQ(choice_of_plan(captured.get()), choice_of(kFirst));
    }
    for (const bool in_capture : {true, false, true}) {
      if (in_capture) machine().script.captures[kCaptured] = 1;
      EXPECT_EQ(modes.choice(kCaptured), choice_of(in_capture ? kFirst : kFastest));
      machine().script.captures.clear();
    }
    atc_cache_statistics statistics{};
    statistics.struct_size = sizeof(statistics);
    EXPECT_DONE(atc_cache_stats(&statistics));
    EXPECT_EQ(statistics.plans, 2u);
    EXPECT_EQ(statistics.hits, 3u);
  });
}

TEST(LaunchModes, TheRecordTellsWhatWasMeasured) {
  on_machine(script_of_many_kernels(), [] {
    Modes modes;
    const Modes::Plan plan = modes.acquire(kOther);
    const Flags many = flags_of(plan.get(), kFirst), one = flags_of(plan.get(), kFastest);
    EXPECT_EQ(many.flags,
              ATC_CANDIDATE_IN_GRAPH | ATC_CANDIDATE_HOST_BOUND | ATC_CANDIDATE_CAPTURED);
    EXPECT_EQ(many.launches, 64u);
    EXPECT_GT(many.host, 20e-3);
    EXPECT_EQ(one.flags & (ATC_CANDIDATE_HOST_BOUND | ATC_CANDIDATE_CAPTURED), 0u);
    EXPECT_EQ(one.launches, 1u);
  });
}

// atc knows that cuDNN before 9.24 may compute depthwise layers wrongly after it has computed a
// problem of another size. The choice for captured calls must be checked for this fault, too.
TEST(LaunchModes, TheChoiceOfCapturedCallsIsRefusedIfItIsWrongAfterAnotherSize) {
  Script script = script_of_many_kernels();
  engine(script, kFirst).deed = Deed::remembers_sizes;
  on_machine(script, [] {
    atc_conv_problem problem = tiny_problem();
    problem.in_channels = problem.out_channels = problem.groups = 4;
    atc_tune_options options = cudnn_alone();
    // the budget of a race (the timing of the candidates), in seconds; no race takes this long
    options.problem_budget_seconds = 60;
    const Tuned tuned = tune(problem, options);
    EXPECT_EQ(tuned.choice, choice_of(kFastest)) << tuned.why;
    EXPECT_EQ(tuned.of(kFirst).outcome, ATC_OUTCOME_WRONG_RESULT);
    EXPECT_THAT(tuned.of(kFirst).reason, testing::HasSubstr("after a problem of another size"));
  });
}

// No store is used here. A call in a capture measures nothing, but it must use a decision that the
// process has measured before and keeps in memory.
TEST(LaunchModes, ACapturedCallTakesWhatTheProcessHasMeasured) {
  on_machine(script_of_many_kernels(), [] {
    ASSERT_DONE(atc_set_benchmark_cudnn(1));
    Layer layer(tiny_problem());
    std::int32_t source = 0;
    const auto choice = [&](const void* stream) {
      atc_conv_plan* plan = nullptr;
      EXPECT_DONE(atc_conv_plan_acquire(&plan, kCuda, &layer.call.problem, nullptr,
                                        static_cast<atc_stream>(const_cast<void*>(stream))));
      std::string text = choice_of_plan(plan);
      EXPECT_DONE(atc_conv_plan_source(&source, plan));
      atc_conv_plan_release(plan);
      return text;
    };
    EXPECT_EQ(choice(nullptr), choice_of(kFastest));
    machine().script.captures[kCaptured] = 1;
    EXPECT_EQ(choice(kCaptured), choice_of(kFirst));
    // The test also checks the source of the decision. The choice alone proves nothing, because the
    // same candidate would run without a decision.
    EXPECT_EQ(source, ATC_SOURCE_MEMORY);
    machine().script.captures.clear();
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(LaunchModes, WhatCannotBeBuiltInACaptureYieldsToTheEagerChoice) {
  on_machine(script_of_many_kernels(), [] {
    Modes modes;
    engine(machine().script, kFirst).plan_status = 3000;
    machine().script.captures[kCaptured] = 1;
    EXPECT_EQ(modes.choice(kCaptured), choice_of(kFastest));
    machine().listen();
    EXPECT_EQ(modes.choice(kCaptured), choice_of(kFastest));
    const auto calls = machine().calls(Part::cudnn);
    EXPECT_EQ(std::count(calls.begin(), calls.end(), "cudnnBackendFinalize config"), 0);
    machine().script.captures.clear();
  });
}

// While atc times candidates, it records plans into graphs of its own. These plans must be
// destroyed afterwards. Only plans in graphs of the program are kept.
TEST(LaunchModes, NothingIsLeftOfWhatARaceRecorded) {
  on_machine(script_of_many_kernels(), [] {
    const auto left_by_a_race = [] {
      // The constructor clears the cache. The plans in it are destroyed when their session (a
      // thread's cuDNN handle) is next used.
      Modes modes;
      modes.acquire(kOther);
      const auto alive = machine().alive();
      EXPECT_EQ(alive.count("graph"), 0u);
      EXPECT_EQ(alive.count("graph executable"), 0u);
      return alive.at("descriptor");
    };
    const std::int64_t once = left_by_a_race();
    EXPECT_EQ(left_by_a_race(), once);
    EXPECT_DONE(atc_cache_clear());
  });
}

}  // namespace
}  // namespace atc::fault
