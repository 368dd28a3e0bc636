// The correctness gate of a race: the check of a candidate's results against the reference. The
// gate computes trusted results for two sets of data once, at sample positions, and compares the
// results of each candidate with them. Whole outputs of candidates are compared with each other
// (whole_check.hpp).
#pragma once

#include <cstdint>
#include <memory>

#include "conv/race/isolation.hpp"
#include "conv/race/site.hpp"
#include "conv/race/whole_check.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/reference/tolerance.hpp"
#include "tune/contestant.hpp"

namespace atc::conv {

// The version of the gate. If a change makes the gate refuse more than before, this number has to
// be increased. Results that an earlier version passed are then checked again.
constexpr int kGateRevision = 1;

// Says in which inputs the gate tests for Inf and NaN. A single Inf or NaN in an input must reach
// only those elements of the output that it reaches in a direct convolution.
enum class Apart {
  // no input is tested
  unasked,
  padded,  // the input that is padded: x, or y in backward-data
  all,     // both inputs
};

// Says what happens to a candidate whose results are right, but whose partial sums have less
// precision than is allowed (the class `reduced` of engines/reference/tolerance.hpp): it is
// refused, or it passes and is marked.
enum class Imprecise { refused, marked };

class Gate {
 public:
  // `normal` are operands of an Arena with the same seed, with values of about N(0, 1). As long as
  // the gate exists, their inputs must not change. The second set of data contains integers and
  // belongs to the gate. Nothing is computed before the first check, so that the time of computing
  // trusted results counts as time of the race.
  Gate(const Problem& problem, Site& site, const Operands& normal, bool allow_tf32,
       std::uint64_t seed, bool reduced_reduction = false);
  ~Gate();

  // Checks a candidate: runs it on both sets of data and compares its results. The output is filled
  // with a pattern and guarded. The workspace (that of an Arena) is filled with NaN and guarded.
  // With `constant_weights` the candidate first runs once with weights as an operand, and
  // afterwards gets the weights of each set by set_weights. If an execution takes longer than
  // `patience` seconds, the verdict is hopeless (too slow). `apart` is ignored for candidates that
  // transform their data (Winograd, FFT), because transforms spread Inf and NaN. Errors of execute
  // are passed on.
  tune::Verdict check(Prepared& prepared, void* workspace, Exactness exactness,
                      bool constant_weights, double patience, Apart apart = Apart::unasked,
                      Imprecise imprecise = Imprecise::refused, const Libraries& libraries = {});

  // Returns the agreement of the last checked candidate: whether, and how, its whole output agreed
  // with a kept output. If this candidate has not passed the check, the agreement names no kept
  // output.
  const Agreement& agreement() const { return agreement_; }
  // Whether the output of a candidate with this agreement is in doubt: the whole output has not
  // been compared with a confirmed output, although this comparison is possible (by evaluate_whole
  // and a further check).
  bool is_in_doubt(const Agreement& agreement) const;
  // Makes the reference compute the whole output, with which later checks compare. Does nothing if
  // a confirmed output is kept already, or if the computation would take too long.
  void evaluate_whole();
  // Returns the reason why an output with this agreement is now known to be wrong; "" if the output
  // is not known to be wrong.
  std::string refutation(const Agreement& agreement) const;

  // Test whether a candidate that has passed a check keeps Inf and NaN from spreading to other
  // outputs. The first function tests Inf and NaN in the padded input, the second function in the
  // other input.
  tune::Verdict check_padded_apart(Prepared& prepared, void* workspace, bool constant_weights);
  tune::Verdict check_other_apart(Prepared& prepared, void* workspace, bool constant_weights);

 private:
  struct State;
  State& state();  // makes the state at the first call
  // Returns the verdict on the results alone. The guards of the workspace are not examined here.
  tune::Verdict check_results(Prepared& prepared, void* workspace, Exactness exactness,
                              bool constant_weights, double patience, Apart apart,
                              Imprecise imprecise);
  // Returns the operands of an execution. The output of `given` is replaced by the watched output.
  // If the problem accumulates, the watched output contains the old values, else the pattern of
  // unwritten elements. The workspace is filled with NaN: if a candidate reads scratch memory
  // before writing it, NaN appears in its output.
  Operands begin(const Operands& given, const Prepared& prepared, void* workspace);
  // Executes the candidate on the integers with weights as an operand, although constant weights
  // were announced, because a program may do the same. Returns a sentence about a fault of the
  // output, or "".
  std::string difference_before_set_weights(Prepared& prepared, void* workspace,
                                            Exactness exactness, Imprecise imprecise);
  // Waits until the weights in the operand are written, passes the weights to the candidate, and
  // sets the pointer of this operand to null.
  void set_weights(Prepared& prepared, Operands& operands);
  // Executes the candidate once on the integers, of which `isolation` replaces some by Inf or NaN.
  // Returns the verdict on the spreading of Inf and NaN.
  tune::Verdict check_apart(Prepared& prepared, void* workspace, bool constant_weights,
                            Isolation& isolation);
  // Returns the time of an execution without start-up costs, in seconds. `first` is the time of the
  // first execution, in seconds.
  double time(Prepared& prepared, const Operands& operands, void* workspace, double first);

  Problem problem_;
  Site& site_;
  Operands normal_;
  reference::Precision precision_;  // the lowest precision that is allowed
  std::uint64_t seed_;
  std::unique_ptr<State> state_;
  Agreement agreement_;
};

}  // namespace atc::conv
