// Sets a race up on its device: operands, gate, one contestant per candidate; and reads its result.
#pragma once

#include <memory>
#include <optional>

#include "conv/decision.hpp"
#include "conv/lineup.hpp"

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

// Runs the race of a lineup. `compiled`: the first candidate's compiled text from a record, or "".
// `keeps`: the winner's compiled text will be stored for later processes. Races of several threads
// run one after the other: they would disturb each other's times.
Raced contest(const Problem& problem, const Request& request, Lineup lineup,
              const std::string& compiled, bool keeps, const tune::OnProgress& on_progress);

}  // namespace atc::conv
