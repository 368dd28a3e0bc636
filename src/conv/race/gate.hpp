// The correctness gate of a race. It computes trusted results for two sets of data once, at sample
// positions, and compares them with each candidate's results. Whole outputs of candidates are
// compared with each other (whole_check.hpp).
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

// The version of the gate. If the gate is changed so that it refuses more than before, the number
// is raised; results that an earlier gate passed are then checked again.
constexpr int kGateRevision = 1;

// The inputs in which the gate tests that a single Inf or NaN reaches only those elements of the
// output that it reaches in a direct convolution.
enum class Apart {
  unasked,
  padded,  // the input that is padded: x, or y in backward-data
  all,     // both inputs, also the one that is not padded
};

// A right result may have partial sums of less precision than is allowed (the class `reduced` of
// engines/reference/tolerance.hpp). The gate then refuses or marks the candidate.
enum class Imprecise { refused, marked };

class Gate {
 public:
  // `normal` are operands of an Arena with the same seed, with values of about N(0, 1). During the
  // life of the gate their inputs must not change. The second set of data has integers, which
  // belong to the gate. Nothing is computed before the first check, so that the time counts as time
  // of the race.
  Gate(const Problem& problem, Site& site, const Operands& normal, bool allow_tf32,
       std::uint64_t seed, bool reduced_reduction = false);
  ~Gate();

  // Runs the candidate on both sets of data. The output is pre-filled and guarded, and the
  // workspace (an Arena's) is guarded and full of NaN. With `constant_weights`, the candidate runs
  // once with weights as an operand. Then set_weights gives it the weights of each set. If an
  // execution takes longer than `patience` (seconds), the verdict is hopeless. `apart` is not
  // required of candidates that transform their data, because transforms spread Inf and NaN. Throws
  // what execute throws.
  tune::Verdict check(Prepared& prepared, void* workspace, Exactness exactness,
                      bool constant_weights, double patience, Apart apart = Apart::unasked,
                      Imprecise imprecise = Imprecise::refused, const Libraries& libraries = {});

  // Says with which kept output the whole output of the last check agreed, and how. It names none
  // if the last candidate did not pass the check.
  const Agreement& agreement() const { return agreement_; }
  // Whether a candidate with this agreement still has to be compared with a confirmed output, and
  // can be: by evaluate_whole and a further check.
  bool is_in_doubt(const Agreement& agreement) const;
  // Makes the reference compute the whole output, unless the kept output is confirmed or this would
  // take too long. Later checks compare with it.
  void evaluate_whole();
  // The reason why an output with this agreement is now known to be wrong; or "".
  std::string refutation(const Agreement& agreement) const;

  // Whether the candidate, which has passed a check, keeps Inf and NaN apart. The first function
  // tests this in the padded input, the second one in the other input.
  tune::Verdict check_padded_apart(Prepared& prepared, void* workspace, bool constant_weights);
  tune::Verdict check_other_apart(Prepared& prepared, void* workspace, bool constant_weights);

 private:
  struct State;
  State& state();  // the state, which is made at the first call
  // Returns the verdict on the results. The workspace and the inputs are not looked at here.
  tune::Verdict check_results(Prepared& prepared, void* workspace, Exactness exactness,
                              bool constant_weights, double patience, Apart apart,
                              Imprecise imprecise);
  // Returns the operands of an execution. The watched output takes the place of the given one: it
  // has the old values if the problem adds to them, else the pattern of unwritten elements. The
  // workspace is filled with NaN. If a candidate reads scratch memory before writing it, the NaN
  // shows in its output.
  Operands begin(const Operands& given, const Prepared& prepared, void* workspace);
  // Executes the candidate on the integers with weights as an operand. A program may do so although
  // it has announced constant weights. Returns what is wrong with the output, or "".
  std::string difference_before_set_weights(Prepared& prepared, void* workspace,
                                            Exactness exactness, Imprecise imprecise);
  // Waits until the weights in the operand are written, gives the weights to the candidate, and
  // clears the operand of the weights.
  void set_weights(Prepared& prepared, Operands& operands);
  // Executes the candidate once on the integers, some of which `isolation` replaces by Inf or NaN.
  tune::Verdict check_apart(Prepared& prepared, void* workspace, bool constant_weights,
                            Isolation& isolation);
  // The seconds of an execution without start-up costs. `first` is the time of the first execution
  // in seconds.
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
