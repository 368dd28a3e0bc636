// Compares the whole outputs of candidates. The candidates compute them from the gate's operands
// with values from {-1, 0, 1}. The output of one candidate is kept, and the outputs of the other
// candidates are compared with it. If two outputs differ at an element, the reference evaluates
// this element.
//
// A kept output comes from a candidate that has passed the gate at the samples, and that has to
// compute exact values (is_held_to_equality of engines/reference/tolerance.hpp). The kept output is
// *confirmed* if a candidate with other libraries has computed the same output, or if the
// reference's whole output is the same. Each element of a confirmed output is the exact value,
// rounded once. So a comparison with a confirmed output is a comparison with the reference's whole
// output, with the same margin: margins do not add up.
//
// If two outputs differ by more than the margin, the reference in double precision decides which of
// them is wrong. The wrong one may be the kept output, even if it was confirmed. docs/tuning.md
// explains why this suffices ("Whole outputs").
#pragma once

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "conv/race/site.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/reference/tolerance.hpp"

namespace atc::conv {

// The libraries whose code computes a result: Engine::library, and atc itself if there are
// rewrites. Empty if they are not known. A candidate whose libraries are not known cannot confirm
// an output.
using Libraries = std::set<std::string>;

// Says whether a whole output agreed with a kept output, and how.
struct Agreement {
  // The number (from 1) of the kept output with which the whole output was compared; 0 if the whole
  // output was not compared.
  std::size_t kept = 0;
  // True if all elements are equal. False if they only lie within the margin of the candidate.
  bool is_equal = false;
  // True if the gate compares every element with the reference, because the output is small. Then
  // there is nothing left to compare here.
  bool is_sampled = false;
};

class WholeCheck {
 public:
  // `operands` have values from {-1, 0, 1}. `is_sampled` is true if the gate's samples are all
  // elements of the output.
  WholeCheck(const Problem& problem, Site& site, const Operands& operands, bool is_sampled)
      : problem_(problem), site_(site), operands_(operands), is_sampled_(is_sampled) {}

  // Compares `output` with the kept output. Returns a sentence about an element of `output` that
  // differs from the reference's value by more than the margin; "" if there is none. If the kept
  // output turns out to be wrong, it is removed.
  std::string difference(WatchedOutput& output, Exactness exactness,
                         reference::Precision precision);
  // Call this if the output of the last call of difference() has passed all checks. If there is no
  // kept output, this output is kept. Returns the agreement of this output: whether, and how, it
  // agreed with the kept output.
  Agreement accept(const Libraries& libraries);

  // Whether an output with this agreement (result of comparing whole outputs) is in doubt. It is in
  // doubt if it has not been compared with a confirmed output (one that is known to be right),
  // although this comparison is possible.
  bool is_in_doubt(const Agreement& agreement) const;
  // Makes the reference compute the whole output, and keeps it. Does nothing if a confirmed output
  // (one that is known to be right) is kept already, or if the computation would take too long.
  void evaluate();
  // Returns the reason why an output with this agreement (result of comparing whole outputs) is now
  // known to be wrong; "" if the output is not known to be wrong.
  std::string refutation(const Agreement& agreement) const;

 private:
  void keep(std::unique_ptr<WholeOutput> output);

  const Problem& problem_;
  Site& site_;
  const Operands operands_;
  const bool is_sampled_;
  std::unique_ptr<WholeOutput> kept_;
  // A copy of the last candidate's output, which `accept` may keep.
  std::unique_ptr<WholeOutput> next_;
  Agreement last_;  // the agreement of the last candidate's output with the kept output
  // The libraries of each candidate that has computed the kept output.
  std::vector<Libraries> equal_;
  bool confirmed_ = false;          // whether the kept output is confirmed
  bool is_the_references_ = false;  // true if the reference computed the kept output
  bool evaluated_ = false;          // true if the reference was asked to compute the whole output
  // For each output that was ever kept: the reason why it is wrong, or "".
  std::vector<std::string> refutations_;
};

}  // namespace atc::conv
