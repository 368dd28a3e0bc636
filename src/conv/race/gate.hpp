// The correctness gate of a race: trusted results for two sets of data, computed once at samples
// and compared with each candidate's results. Whole outputs are compared with each other
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

// Raised if the gate refuses more than before: what an earlier gate passed is then checked again.
constexpr int kGateRevision = 1;

// Inputs in which a single Inf or NaN may reach only those elements of the output that it reaches
// in a direct convolution.
enum class Apart {
  unasked,
  padded,  // the input that is padded: x, or y in backward-data
  all,     // the other input, too, which is not padded
};

// The treatment of a result that is right except that its partial sums have less precision than is
// allowed (the class `reduced` of engines/reference/tolerance.hpp).
enum class Imprecise { refused, marked };

class Gate {
 public:
  // `normal`: operands of an Arena with the same seed, of about N(0, 1). For the life of the gate
  // their inputs stay as they are.
  // The integers of the other filling are the gate's own. Nothing is computed before the first
  // check: that time is the race's.
  Gate(const Problem& problem, Site& site, const Operands& normal, bool allow_tf32,
       std::uint64_t seed, bool reduced_reduction = false);
  ~Gate();

  // Runs the candidate on both fillings, with a pre-filled, guarded output and a guarded workspace
  // full of NaN, which is an Arena's. Throws what execute throws. With `constant_weights`,
  // set_weights gives the weights of each filling. Hopeless when an execution takes longer than
  // `patience` (seconds). `apart` is not asked of candidates that transform their data: transforms
  // spread Inf and NaN.
  tune::Verdict check(Prepared& prepared, void* workspace, Exactness exactness,
                      bool constant_weights, double patience, Apart apart = Apart::unasked,
                      Imprecise imprecise = Imprecise::refused, const Libraries& libraries = {});

  // What the whole output of the last check agreed with, if the check was passed.
  const Agreement& agreement() const { return agreement_; }
  // Whether a candidate that agreed so still has to be compared with a confirmed output, and may
  // be: by evaluate_whole and a further check.
  bool is_in_doubt(const Agreement& agreement) const;
  // Has the reference compute the whole output, unless the kept one is confirmed or that would take
  // too long. Later checks compare with it.
  void evaluate_whole();
  // Why an output that agreed so is wrong as far as is known since; or "".
  std::string refutation(const Agreement& agreement) const;

  // Whether the candidate, which has passed a check, keeps Inf and NaN apart in the padded input,
  // and in the other one.
  tune::Verdict check_padded_apart(Prepared& prepared, void* workspace, bool constant_weights);
  tune::Verdict check_other_apart(Prepared& prepared, void* workspace, bool constant_weights);

 private:
  struct State;
  State& state();  // made when it is first needed
  // The verdict on the results alone (not on the workspace or the inputs).
  tune::Verdict check_results(Prepared& prepared, void* workspace, Exactness exactness,
                              bool constant_weights, double patience, Apart apart,
                              Imprecise imprecise);
  // Waits until the weights are written, gives them to the candidate and clears the operand.
  void set_weights(Prepared& prepared, Operands& operands);
  // One execution on the integers, some of which `isolation` makes Inf or NaN.
  tune::Verdict check_apart(Prepared& prepared, void* workspace, bool constant_weights,
                            Isolation& isolation);
  // Seconds of an execution without start-up costs; `first`: seconds of the first one.
  double time(Prepared& prepared, const Operands& operands, void* workspace, double first);

  Problem problem_;
  Site& site_;
  Operands normal_;
  reference::Precision precision_;  // the lowest one that is allowed
  std::uint64_t seed_;
  std::unique_ptr<State> state_;
  Agreement agreement_;
};

}  // namespace atc::conv
