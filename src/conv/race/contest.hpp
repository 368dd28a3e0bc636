// Sets up a race on its device (operands, correctness gate, contestants), runs it and reads its
// result.
#pragma once

#include <memory>
#include <optional>

#include "conv/decision.hpp"
#include "conv/progress.hpp"
#include "conv/race/lineup.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

struct Raced {
  Decision decision;  // the decision; it has no winner if no candidate ran
  // The winner's chain and its prepared form. If weights are constant, `prepared` is null, because
  // the race has given it weights of its own.
  Chain chain;
  std::unique_ptr<Prepared> prepared;
};

// Throws Error(cancelled).
[[noreturn]] void fail_cancelled(const Problem& problem);

// Runs the race of a lineup. `compiled` is the compiled text of the first candidate from a record,
// or "". `keeps` says whether the winner's compiled text will be stored for later processes. If
// several threads race, their races run one after the other, because they would disturb each
// other's times. Throws Error(cancelled) if `on_progress` cancels before the race. If it cancels
// later, `decision` says so.
Raced contest(const Problem& problem, const Request& request, Lineup lineup,
              const std::string& compiled, bool keeps, const OnFraction& on_progress);

}  // namespace atc::conv
