// The contestants of one race on a simulated device, and checks of the rules that each race must
// follow.
#pragma once

#include <gmock/gmock.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "contestant.hpp"
#include "tune/race.hpp"

namespace atc::simulated {

class Lineup {
 public:
  Lineup(Device& device, const std::vector<Script>& scripts) {
    for (const Script& script : scripts) {
      owned_.push_back(std::make_unique<Contestant>(device, script));
      pointers_.push_back(owned_.back().get());
    }
  }
  const std::vector<tune::Contestant*>& pointers() const { return pointers_; }
  const Contestant& operator[](std::size_t index) const { return *owned_[index]; }
  std::size_t size() const { return owned_.size(); }

  // Expects that the race treated each contestant as the rules demand:
  // - The race called the contestant's functions in the right order: prepare, check, run, release.
  // - If the race prepared the contestant, the race released it, too. The winner was not released.
  // - The contestant's standing is complete: the outcome `won` for the winner alone, the number of
  //   executions, and a reason for every outcome except `won` and `lost`.
  void expect_well_treated(const tune::Result& result) const {
    ASSERT_EQ(result.standings.size(), size());
    for (std::size_t i = 0; i < size(); ++i) {
      const Contestant& one = *owned_[i];
      EXPECT_EQ(one.misuse(), "") << "contestant " << i;
      const bool won = result.winner == i;
      EXPECT_EQ(one.releases(), won ? 0 : one.prepares()) << "contestant " << i;
      EXPECT_EQ(result.standings[i].outcome == tune::Outcome::won, won) << "contestant " << i;
      const auto outcome = result.standings[i].outcome;
      const auto executions = result.standings[i].statistics.executions;
      if (outcome == tune::Outcome::failed) {
        // If an execution in a batch fails, `executions` counts all executions of the batch, also
        // those that were not made.
        EXPECT_GE(executions, one.runs()) << "contestant " << i;
      } else {
        EXPECT_EQ(executions, one.runs()) << "contestant " << i;
      }
      if (outcome != tune::Outcome::won && outcome != tune::Outcome::lost) {
        EXPECT_NE(result.standings[i].reason, "") << "contestant " << i;
      }
    }
  }

 private:
  std::vector<std::unique_ptr<Contestant>> owned_;
  std::vector<tune::Contestant*> pointers_;
};

inline Script taking(double seconds, double noise = 0, std::uint64_t workspace = 0) {
  Script script;
  script.seconds = seconds;
  script.noise = noise;
  script.workspace = workspace;
  return script;
}

}  // namespace atc::simulated
