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

// Returns the options for an arena that has only one set of operands. One set suffices for checks,
// which do not time candidates against each other.
ArenaTerms terms_of_one_set();

struct RaceSetup {
  // Allocates the operands. The problem `of` and the request `by` must outlive the object. Throws
  // Error(out_of_memory), Error(library) and Error(device).
  RaceSetup(const Problem& of, const Request& by, ArenaTerms terms,
            Priority priority = Priority::normal);

  RaceMemory memory;  // This must be the first member, so that it is destroyed last.
  const Problem& problem;
  const Request& request;
  const std::unique_ptr<Site> site;
  const double began;  // the device's clock before the operands were made
  Arena arena;
  Gate gate;
  // Used on the CPU, and set when the default has passed its check. For the padded input and for
  // the other input: whether, with the default, an Inf or NaN in this input reaches only outputs
  // that depend on it.
  struct {
    bool padded = false, other = false;
  } default_keeps;
  bool keeps = false;  // true if the winner's compiled text will be stored for later processes
  // If true, each check also tests that the bits are repeatable, and that the result is right after
  // other sizes have run.
  bool thorough = false;
  // If true, a candidate passes its check although it computes with less precision than is allowed.
  // If false, only the program's own convolution passes with less precision. If the request has
  // strict_precision, no candidate passes with less precision.
  bool lenient = false;
  double confirming = 0;  // the seconds that the further checks of winners took

 private:
  // Sets the limit of the race's memory. Returns `terms` with the number of bytes that the race may
  // still allocate.
  ArenaTerms within_limit(ArenaTerms terms);
};

}  // namespace atc::conv
