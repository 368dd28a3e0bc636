// Runs a race: makes the operands, the correctness gate and the contestants, times the candidates,
// and makes the decision from the results.
#pragma once

#include <memory>
#include <optional>

#include "conv/decision.hpp"
#include "conv/progress.hpp"
#include "conv/race/lineup.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

struct Raced {
  Decision decision;  // the decision; it has no winner if no candidate was timed
  // `chain` is the winner's chain (rewrites and engine), and `prepared` is the executable
  // convolution that was built from it. If the weights are constant, `prepared` is null, because
  // the built convolution contains weights of the race.
  Chain chain;
  std::unique_ptr<Prepared> prepared;
};

// Throws Error(cancelled). The text names the problem.
[[noreturn]] void fail_cancelled(const Problem& problem);

// Runs the race of a lineup (the list of candidates). `compiled` is the compiled text of the first
// candidate, if a record has this text, or "". `keeps` is true if the winner's compiled text will
// be stored for later processes. If several threads call this function, their races run one after
// the other, because concurrent races would disturb each other's times. Throws Error(cancelled) if
// `on_progress` cancels before the race. If `on_progress` cancels later, the decision is returned
// with Completeness::cancelled.
Raced contest(const Problem& problem, const Request& request, Lineup lineup,
              const std::string& compiled, bool keeps, const OnFraction& on_progress);

}  // namespace atc::conv
