// The parts that the contestants of one race share: the device, the operands with the workspace,
// and the correctness gate.
#pragma once

#include <memory>

#include "conv/options.hpp"
#include "conv/race/arena.hpp"
#include "conv/race/gate.hpp"
#include "conv/race/race_memory.hpp"
#include "conv/race/site.hpp"
#include "core/problem.hpp"

namespace atc::conv {

// The terms of an arena on whose operands one candidate is executed at a time.
ArenaTerms terms_of_one_set();

struct RaceSetup {
  // Allocates the operands. `of` and `by` must outlive the object. Throws Error(out_of_memory),
  // Error(library) and Error(device).
  RaceSetup(const Problem& of, const Request& by, ArenaTerms terms,
            Priority priority = Priority::normal);

  RaceMemory memory;  // must be the first member, so that it is destroyed last
  const Problem& problem;
  const Request& request;
  const std::unique_ptr<Site> site;
  const double began;  // the device's time before the operands were made
  Arena arena;
  Gate gate;
  // Whether the default, on the CPU, keeps an Inf or NaN of this input out of the outputs that do
  // not depend on it. Known once the default has passed its check.
  struct {
    bool padded = false, other = false;
  } default_keeps;
  bool keeps = false;  // true if later processes will find the winner's compiled text in the store
  // If true, each check includes repeats, and an execution after other sizes have run.
  bool thorough = false;
  // If true, any candidate may have less precision than the problem allows. If false, only the
  // original may. With strict_precision no candidate may.
  bool lenient = false;
  double confirming = 0;  // seconds that the further checks of winners took

 private:
  // Sets the limit of the race's memory. The arena may take all memory that is left within it.
  ArenaTerms within_limit(ArenaTerms terms);
};

}  // namespace atc::conv
