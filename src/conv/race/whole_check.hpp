// Compares the whole outputs of candidates for the gate's operands from {-1, 0, 1}. One output is
// kept, and each other output is compared with it. If two outputs differ at an element, the
// reference evaluates this element.
//
// A kept output comes from a candidate that has passed the gate at the samples and that has to
// compute exact values (is_held_to_equality of engines/reference/tolerance.hpp). It is *confirmed*
// once a candidate of other libraries has computed the same, or the reference's whole output is the
// same. Then each element of it is the exact value, rounded once. So a comparison with the kept
// output is a comparison with the reference's whole output, with the same margin: margins do not
// add up. If two outputs differ by more than the margin, the reference in double precision decides
// which one is wrong. It may be the kept one, even if it was confirmed. docs/tuning.md has the
// argument ("Whole outputs").
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

// The libraries whose code computes a result: Engine::library, and atc's own for rewrites. Empty if
// they are not known. A candidate whose libraries are not known confirms no other one.
using Libraries = std::set<std::string>;

// Says with which kept output a whole output agreed, and how.
struct Agreement {
  std::size_t kept = 0;     // the number of the kept output that was compared, from 1; 0 if none
                            // was compared
  bool is_equal = false;    // true if all elements are equal; false if they only lie within the
                            // margin of the candidate
  bool is_sampled = false;  // true if all elements of the output are samples, so that nothing is
                            // left to compare
};

class WholeCheck {
 public:
  // `operands` have values from {-1, 0, 1}. If `is_sampled` is true, the gate compares every
  // element with the reference anyway.
  WholeCheck(const Problem& problem, Site& site, const Operands& operands, bool is_sampled)
      : problem_(problem), site_(site), operands_(operands), is_sampled_(is_sampled) {}

  // Compares `output` with the kept output. Returns a sentence about an element that differs from
  // the reference's value by more than the margin, or "". If the kept output is the wrong one, it
  // is given up.
  std::string difference(WatchedOutput& output, Exactness exactness,
                         reference::Precision precision);
  // Accepts the output of the last call of `difference`, if it has passed all checks. If there is
  // no kept output, this output is kept.
  Agreement accept(const Libraries& libraries);

  // Whether a candidate with this agreement still has to be compared with a confirmed output, and
  // can be.
  bool is_in_doubt(const Agreement& agreement) const;
  // Makes the reference compute the whole output, unless the kept output is confirmed or this would
  // take too long.
  void evaluate();
  // The reason why an output with this agreement is now known to be wrong; or "".
  std::string refutation(const Agreement& agreement) const;

 private:
  void keep(std::unique_ptr<WholeOutput> output);

  const Problem& problem_;
  Site& site_;
  const Operands operands_;
  const bool is_sampled_;
  std::unique_ptr<WholeOutput> kept_;
  // The output of the last candidate, which may replace the kept one.
  std::unique_ptr<WholeOutput> next_;
  Agreement last_;  // of the last output
  // The libraries of each candidate that computed the kept output.
  std::vector<Libraries> equal_;
  bool confirmed_ = false;          // of what is kept
  bool is_the_references_ = false;  // true if the kept output was computed by the reference
  bool evaluated_ = false;          // true if the reference was asked to compute the whole output
  // For each output that was ever kept: why it is wrong, or "".
  std::vector<std::string> refutations_;
};

}  // namespace atc::conv
