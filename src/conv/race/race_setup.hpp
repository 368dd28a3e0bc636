// The parts that all contestants of one race share: the device, the operands with the workspace,
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

// Returns the terms of an arena with one set of operands, for checks that execute one candidate at
// a time.
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
  const double began;  // the device's clock before the operands were made
  Arena arena;
  Gate gate;
  // Set when the default has passed its check on the CPU. For the padded and for the other input:
  // whether the default keeps an Inf or NaN of this input from reaching outputs that do not depend
  // on the input.
  struct {
    bool padded = false, other = false;
  } default_keeps;
  bool keeps = false;  // true if the winner's compiled text will be stored for later processes
  // If true, each check also tests that the bits are repeatable, and that the result is right after
  // other sizes have run.
  bool thorough = false;
  // If true, any candidate may have less precision than the problem allows. If false, only the
  // program's own convolution may. With strict_precision no candidate may.
  bool lenient = false;
  double confirming = 0;  // the seconds that the further checks of winners took

 private:
  // Sets the limit of the race's memory. Returns `terms` with the memory that is left within this
  // limit.
  ArenaTerms within_limit(ArenaTerms terms);
};

}  // namespace atc::conv
