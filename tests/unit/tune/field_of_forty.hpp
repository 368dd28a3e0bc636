// The random fields (sets of candidates) of bound_test.cpp and docs/tuning.md.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "contestant.hpp"

namespace atc::simulated {

// 40 candidates in random order. The best one takes 50 us to 5 ms (log-uniform). The others take 1
// to 3 times as long (log-uniform). Ties are decided by the sizes of the candidates' workspaces,
// which are random. The noise of a batch is 3 %.
struct FieldOfForty {
  std::vector<Script> scripts;
  std::size_t default_index = 0;
  double best = 0;

  explicit FieldOfForty(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> uniform;
    constexpr std::size_t kCandidates = 40;
    best = 50e-6 * std::pow(100.0, uniform(random));
    const std::size_t best_at = random() % kCandidates;
    default_index = random() % kCandidates;
    for (std::size_t i = 0; i < kCandidates; ++i) {
      Script script;
      script.seconds = i == best_at ? best : best * std::pow(3.0, uniform(random));
      script.noise = 0.03;
      script.workspace = random() % 3 << 20;
      scripts.push_back(std::move(script));
    }
  }
};

}  // namespace atc::simulated
