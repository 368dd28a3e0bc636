// Sets up a race on its device (operands, gate, contestants), runs it and reads its
// result.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "conv/decision.hpp"
#include "conv/progress.hpp"
#include "conv/race/lineup.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

struct Raced {
  Decision decision;  // its winner is empty when nothing ran
  // The winner's. `prepared` is null with constant weights, because the race has given it weights
  // of its own.
  Chain chain;
  std::unique_ptr<Prepared> prepared;
};

// Why a callback must not race: Error(busy).
constexpr const char* kRacesTakeTurns = "races run one after the other";

// The lock of the process that every measurement holds.
std::unique_lock<std::mutex> take_turn();

// Throws Error(cancelled).
[[noreturn]] void fail_cancelled(const Problem& problem);

// Runs the race of a lineup. `compiled`: the first candidate's compiled text from a record, or "".
// `keeps`: the winner's compiled text will be stored for later processes. Races of several threads
// run one after the other: they would disturb each other's times. Throws Error(cancelled) when
// `on_progress` cancels before the race; afterwards `decision` says so.
Raced contest(const Problem& problem, const Request& request, Lineup lineup,
              const std::string& compiled, bool keeps, const OnFraction& on_progress);

// `compiled`: the candidate's compiled text from a record, or "". Builds one candidate and holds it
// against the correctness gate, untimed, in its turn among races. Throws what building and
// executing throw.
tune::Verdict check_alone(const Problem& problem, const Request& request,
                          const Candidate& candidate, const Chain& chain,
                          const std::string& compiled = "");

// The same, but it waits for no race, so that it is for short checks; and other sizes do not run
// before. `lenient`: a result of less precision than is allowed passes, unless the request is
// strict about it.
tune::Verdict check_beside(const Problem& problem, const Request& request,
                           const Candidate& candidate, const Chain& chain,
                           const std::string& compiled, bool lenient);

}  // namespace atc::conv
