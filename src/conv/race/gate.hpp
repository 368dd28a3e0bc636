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
  // The gate uses two sets of data. The first is `normal`: operands of an Arena with the same seed,
  // with values of about N(0, 1). As long as the gate exists, these inputs must not change. The
  // second set contains small integers and belongs to the gate. Trusted results are computed by the
  // first check and not by the constructor, so that their time counts as time of the race.
  Gate(const Problem& problem, Site& site, const Operands& normal, bool allow_tf32,
       std::uint64_t seed, bool reduced_reduction = false);
  ~Gate();

  // Checks a candidate: runs it on both sets of data and compares its results. The output is filled
  // with a pattern and guarded. The workspace (that of an Arena) is filled with NaN and guarded.
  // With `constant_weights` the candidate first runs once with weights as an operand, and
  // afterwards gets the weights of each set by set_weights. If an execution takes longer than
  // `patience` seconds, the verdict is hopeless (too slow). Apart::padded is ignored for candidates
  // that transform their data (Winograd, FFT), because transforms spread Inf and NaN. Errors of
  // execute are passed on.
  tune::Verdict check(Prepared& prepared, void* workspace, Exactness exactness,
                      bool constant_weights, double patience, Apart apart = Apart::unasked,
                      Imprecise imprecise = Imprecise::refused, const Libraries& libraries = {});

  // Says whether, and how, the whole output of the last checked candidate agreed with an output of
  // an earlier candidate that the gate has kept. If the last candidate has not passed, the result
  // names no kept output.
  const Agreement& agreement() const { return agreement_; }
  // Whether a candidate's output is in doubt. `agreement` says how its whole output compared with
  // other candidates' outputs. An output is in doubt if it has not been compared with a confirmed
  // output (one that is known to be right), although this comparison is possible (by evaluate_whole
  // and a further check).
  bool is_in_doubt(const Agreement& agreement) const;
  // Makes the reference compute the whole output, with which later checks compare whole outputs of
  // candidates. Does nothing if the gate already has a whole output that is known to be right, if
  // the computation would take too long, or if there is not enough memory.
  void evaluate_whole();
  // Returns the reason why a candidate's output is now known to be wrong; "" if it is not known to
  // be wrong. `agreement` says how this output compared with other candidates' outputs.
  std::string refutation(const Agreement& agreement) const;

  // Test whether a candidate that has passed a check keeps Inf and NaN from spreading to other
  // outputs. The first function tests Inf and NaN in the padded input, the second function in the
  // other input.
  tune::Verdict check_padded_apart(Prepared& prepared, void* workspace, bool constant_weights);
  tune::Verdict check_other_apart(Prepared& prepared, void* workspace, bool constant_weights);

 private:
  struct State;
  State& state();  // The first call makes the state: the operands and the trusted results.
  // Returns the verdict on the results of a candidate. Does not check whether the candidate has
  // written beyond its workspace.
  tune::Verdict check_results(Prepared& prepared, void* workspace, Exactness exactness,
                              bool constant_weights, double patience, Apart apart,
                              Imprecise imprecise);
  // Returns the operands for an execution: those of `given`, but with the gate's own output, in
  // which wrong writes are noticed. If the problem adds to its output, this output contains the old
  // values, and otherwise a pattern that marks unwritten elements. The workspace is filled with
  // NaN: if a candidate reads scratch memory before writing it, NaN appears in its output.
  Operands begin(const Operands& given, const Prepared& prepared, void* workspace);
  // Executes the candidate on the set of integers and passes the weights as an operand, although
  // the problem was announced with constant weights, because a program may do the same. Returns a
  // sentence about a fault of the output, or "".
  std::string difference_before_set_weights(Prepared& prepared, void* workspace,
                                            Exactness exactness, Imprecise imprecise);
  // Waits until the weights in the operand are written, passes the weights to the candidate, and
  // sets the pointer of this operand to null.
  void set_weights(Prepared& prepared, Operands& operands);
  // Executes the candidate once on the set of integers, after `isolation` has replaced a few of
  // them by Inf or NaN. Returns whether the Inf and NaN reached the right outputs.
  tune::Verdict check_apart(Prepared& prepared, void* workspace, bool constant_weights,
                            Isolation& isolation);
  // Returns the time of an execution without start-up costs, in seconds. `first` is the time of the
  // first execution, in seconds.
  double time(Prepared& prepared, const Operands& operands, void* workspace, double first);

  Problem problem_;
  Site& site_;
  Operands normal_;
  reference::Precision precision_;  // the lowest precision that the request allows for partial sums
  std::uint64_t seed_;
  std::unique_ptr<State> state_;
  Agreement agreement_;
};

}  // namespace atc::conv
