// The correctness gate of a race: trusted results for two fillings of the operands, computed once
// and held against each candidate.
#pragma once

#include <cstdint>
#include <memory>

#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "tune/race.hpp"

namespace atc::conv {

class Gate {
 public:
  Gate(const Problem& problem, std::uint64_t seed);
  ~Gate();

  // Runs the candidate on both fillings, with output pre-filled and guarded. Throws what execute
  // throws. With `constant_weights` each filling's weights go in by set_weights.
  tune::Verdict check(Prepared& prepared, void* workspace, bool exact, bool constant_weights);

 private:
  struct Pass;
  Problem problem_;
  std::uint64_t seed_;
  std::unique_ptr<Pass> integers_, normal_;  // made at the first check: their time is the race's
};

}  // namespace atc::conv
