// Tests the engine cudnn on small problems of every kind. Each configuration that it offers must
// give right results, and a call that replays a stored record must run the recorded choice.
#include <chrono>
#include <iostream>
#include <map>

#include "conv/chain.hpp"
#include "conv/decide/policy.hpp"
#include "conv/run/plan.hpp"
#include "core/error.hpp"
#include "cuda_test.hpp"
#include "engines/registry.hpp"
#include "offers.hpp"
#include "store/sidecar.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using Cudnn = test::CudaTest;

conv::Request request(bool tune) {
  conv::Request request;
  request.limits = test::cuda_limits(16, false);
  request.device = request.limits.device;
  request.tune = tune;
  return request;
}

TEST_F(Cudnn, OffersThatPassTheGateOrSayWhy) {
  const auto engine = EngineRegistry::instance().find("cudnn");
  std::map<std::string, std::size_t> reasons;
  std::size_t problems = 0, unserved = 0, offers = 0, passed = 0, with_knobs = 0;
  for (const Problem& problem : test::make_grid(1, 9).problems) {
    if (problem.batch() == 0) continue;
    ++problems;
    const conv::Request asked = request(false);
    std::string why_not;
    const auto offered = engine->offers(problem, asked.limits, why_not);
    if (offered.empty()) {
      ++unserved;
      ++reasons["none: " + why_not.substr(0, 90)];
      continue;
    }
    test::Trial trial(problem, asked.limits);
    std::size_t tried = 0;
    for (const Offer& offer : offered) {
      if (++tried > 4) break;
      ++offers;
      with_knobs += offer.configuration.find("_k") != std::string::npos;
      try {
        const auto prepared =
            conv::build({{}, engine}, {"cudnn", engine->version(), offer.configuration, {}},
                        problem, asked.limits);
        const auto verdict = trial.check(*prepared, offer.exactness);
        passed += verdict.passed;
        if (!verdict.passed)
          std::cout << "wrong " << tried << ": " << offer.configuration << " "
                    << test::label(problem) << ": " << verdict.reason << "\n";
        if (!verdict.passed)
          ++reasons[offer.configuration.substr(0, offer.configuration.find('_')) + " " +
                    std::string(offer.notes) + ": " + verdict.reason.substr(0, 60)];
      } catch (const Error& error) {
        ++reasons["throws: " + std::string(error.what()).substr(0, 110)];
      }
    }
  }
  std::cout << problems << " problems, " << unserved << " unserved, " << offers << " offers, "
            << passed << " passed\n";
  for (const auto& [reason, count] : reasons) std::cout << count << " x " << reason << "\n";
  EXPECT_GT(passed, offers / 2);
  EXPECT_GT(with_knobs, offers / 10) << "configurations without their knobs are others";
}

TEST_F(Cudnn, WhatRunsWithoutTuningIsRightForEveryProblem) {
  std::size_t problems = 0, by_reference = 0;
  for (const Problem& problem : test::make_grid(1, 21).problems) {
    conv::Request asked = request(false);
    asked.limits.allow_tf32 = problems % 2 == 0;
    const conv::Decided decided = conv::decide(problem, asked);
    ++problems;
    by_reference += decided.decision->source == conv::Source::reference;
    if (problem.batch() == 0) continue;
    const auto& candidate = decided.decision->candidates[*decided.decision->winner];
    const auto verdict =
        test::Trial(problem, asked.limits).check(*decided.prepared, candidate.exactness);
    EXPECT_TRUE(verdict.passed) << candidate.choice.configuration << " " << test::label(problem)
                                << ": " << verdict.reason;
  }
  std::cout << problems << " problems, " << by_reference << " by the reference\n";
  EXPECT_LT(by_reference, problems * 3 / 4);
}

// Some of cuDNN's engines compute as if uneven padding were even. So the test first decides a
// problem with even padding. Its default passes the gate (the check of a candidate against the
// reference). Then the test decides the same problem with uneven padding, for which the same engine
// may be wrong.
TEST_F(Cudnn, WhatRunsWithoutTuningIsRightForUnevenPaddingAfterEvenPadding) {
  const auto engine = EngineRegistry::instance().find("cudnn");
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const std::int64_t channels : {1, 8})
      for (const int spatial : {1, 2}) {
        test::Spec spec;
        spec.direction = direction;
        spec.spatial = spatial;
        spec.batch = 3;
        spec.channels_in = spec.channels_out = channels;
        spec.in = {4, spatial == 2 ? 4 : 1, 1};
        spec.kernel = {3, spatial == 2 ? 3 : 1, 1};
        spec.pad_low = spec.pad_high = {1, spatial == 2 ? 1 : 0, 0};
        const conv::Request asked = request(false);
        conv::decide(test::build(spec), asked);
        spec.pad_high[0] = 2;
        const Problem uneven = test::build(spec);
        const conv::Decided decided = conv::decide(uneven, asked);
        const auto& candidate = decided.decision->candidates[*decided.decision->winner];
        test::Trial trial(uneven, asked.limits);
        const auto verdict = trial.check(*decided.prepared, candidate.exactness);
        EXPECT_TRUE(verdict.passed) << candidate.choice.configuration << " " << test::label(uneven)
                                    << ": " << verdict.reason;
        // Prints which of cuDNN's engines give wrong results. The table of known faults must
        // exclude these engines.
        std::string why_not;
        for (const Offer& offer : engine->offers(uneven, asked.limits, why_not)) {
          try {
            const auto prepared =
                conv::build({{}, engine}, {"cudnn", engine->version(), offer.configuration, {}},
                            uneven, asked.limits);
            const auto found = trial.check(*prepared, offer.exactness);
            if (!found.passed)
              std::cout << "wrong: " << offer.configuration << " " << test::label(uneven) << ": "
                        << found.reason << "\n";
          } catch (const Error& error) {
            std::cout << offer.configuration << " throws: " << error.what() << "\n";
          }
        }
      }
}

// The text of a compiled plan must give the same plan again, without compiling it.
TEST_F(Cudnn, LoadsWhatItHasCompiled) {
  const auto engine = EngineRegistry::instance().find("cudnn");
  std::size_t loaded = 0;
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const auto memory : {test::Memory::first, test::Memory::last}) {
      test::Spec spec;
      spec.direction = direction;
      spec.x = spec.w = spec.y = Dtype::f16;
      spec.x_memory = spec.w_memory = spec.y_memory = memory;
      spec.batch = 8;
      spec.channels_in = spec.channels_out = 64;
      spec.in = {20, 20, 1};
      spec.pad_low = spec.pad_high = {1, 1, 0};
      const Problem problem = test::build(spec);
      const conv::Request asked = request(false);
      std::string why_not;
      for (const Offer& offer : engine->offers(problem, asked.limits, why_not)) {
        if (!offer.compiles) continue;
        std::string text;
        try {
          text = engine->prepare(problem, asked.limits, offer.configuration)->compiled();
        } catch (const Error& error) {
          std::cout << offer.configuration << ": " << error.what() << "\n";
          continue;
        }
        EXPECT_NE(text, "") << offer.configuration;
        engine->drop_caches();
        const auto began = std::chrono::steady_clock::now();
        const auto prepared =
            engine->prepare_from(problem, asked.limits, offer.configuration, text);
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - began;
        std::cout << offer.configuration << ": " << text.size() << " bytes, "
                  << store::pack(text).size() << " packed, loaded in " << took.count() << " ms\n";
        const auto verdict = test::Trial(problem, asked.limits).check(*prepared, offer.exactness);
        EXPECT_TRUE(verdict.passed) << offer.configuration << ": " << verdict.reason;
        ++loaded;
        break;
      }
    }
  EXPECT_GT(loaded, 0u);
}

TEST_F(Cudnn, TunesALayerAndReplaysItsChoice) {
  test::Spec spec;
  spec.batch = 32;
  spec.channels_in = spec.channels_out = 64;
  spec.in = {56, 56, 1};
  spec.pad_low = spec.pad_high = {1, 1, 0};
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
      for (const auto memory : {test::Memory::first, test::Memory::last}) {
        spec.direction = direction;
        spec.x = spec.w = spec.y = dtype;
        spec.x_memory = spec.w_memory = spec.y_memory = memory;
        const Problem problem = test::build(spec);
        const conv::Decided decided = conv::decide(problem, request(true));
        std::cout << test::label(problem) << "\n  " << to_string(decided.decision->choice) << " in "
                  << decided.decision->seconds << " s " << decided.decision->why << "\n";
        std::size_t shown = 0;
        for (const conv::Candidate& candidate : decided.decision->candidates)
          if (candidate.ran() || ++shown < 4)
            std::cout << "    " << candidate.choice.configuration << " [" << candidate.notes
                      << (candidate.ran() ? "] ran " : "] did not run ")
                      << candidate.statistics.median * 1e6 << " us clock "
                      << candidate.statistics.clock_hz.value_or(0) / 1e6 << " " << candidate.reason
                      << "\n";
        const conv::Decided again =
            conv::decide_given(problem, request(false), decided.decision->choice);
        EXPECT_EQ(again.prepared->workspace_size(), decided.prepared->workspace_size());
      }
}

}  // namespace
}  // namespace atc
