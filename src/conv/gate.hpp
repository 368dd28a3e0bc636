// The correctness gate of a race: trusted results for two fillings of the operands, computed once
// and held against each candidate.
#pragma once

#include <cstdint>
#include <memory>

#include "conv/isolation.hpp"
#include "conv/site.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/reference/tolerance.hpp"
#include "tune/race.hpp"

namespace atc::conv {

// In which inputs single elements may be Inf or NaN and still reach but those of the output that a
// direct convolution lets them reach.
enum class Apart {
  unasked,
  padded,  // the one that is padded: x, or y in backward-data
  all,     // the other one too, whose elements meet no padding
};

// What is done with a result whose partial sums have less precision than is allowed, which is else
// right: the class `reduced` of engines/reference/tolerance.hpp.
enum class Imprecise { refused, marked };

class Gate {
 public:
  // `normal`: operands about N(0, 1) whose inputs stay as they are for the life of the gate; its
  // own are integers. Computes nothing before the first check: that time is the race's.
  Gate(const Problem& problem, Site& site, const Operands& normal, bool allow_tf32,
       std::uint64_t seed, bool reduced_reduction = false);
  ~Gate();

  // Runs the candidate on both fillings, with output pre-filled and guarded and a workspace full of
  // NaN. Throws what execute throws. With `constant_weights` each filling's weights go in by
  // set_weights. Hopeless when an execution takes longer than `patience` (seconds). What transforms
  // its data keeps nothing apart and is not asked to.
  tune::Verdict check(Prepared& prepared, void* workspace, Exactness exactness,
                      bool constant_weights, double patience, Apart apart = Apart::unasked,
                      Imprecise imprecise = Imprecise::refused);

 private:
  struct State;
  // Gives the candidate these weights, once they are written, in place of the operand.
  void set_weights(Prepared& prepared, Operands& operands);
  // One execution on the integers with some of them spoilt.
  tune::Verdict check_apart(Prepared& prepared, void* workspace, bool constant_weights,
                            Isolation& isolation);
  // Seconds of an execution whose start-up costs are behind it; the `first` one took so many.
  double time(Prepared& prepared, const Operands& operands, void* workspace, double first);

  Problem problem_;
  Site& site_;
  Operands normal_;
  reference::Precision precision_;  // the least that is allowed
  std::uint64_t seed_;
  std::unique_ptr<State> state_;
};

}  // namespace atc::conv
