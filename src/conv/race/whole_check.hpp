// Whole outputs: those of all candidates, for the gate's operands from {-1, 0, 1}, are compared
// with one of them, which is kept. Where two differ, the reference evaluates the element.
//
// A kept output comes from a candidate that has passed the gate at the samples and that is held to
// equality (is_held_to_equality of engines/reference/tolerance.hpp). It is *confirmed* once a
// candidate of other libraries has computed the same, or the reference's output as a whole is the
// same. So each element of it is the exact value, rounded once, and a comparison with it is a
// comparison with the reference's whole output, with the same margin: margins do not add up. Of two
// outputs that differ by more than the margin, the reference in double says which one is wrong,
// also of a confirmed one. docs/tuning.md has the argument ("Whole outputs").
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

// The libraries whose code computes a result (Engine::library, and atc's own for rewrites). Empty
// if they are not known: such a candidate confirms no other one.
using Libraries = std::set<std::string>;

// What a whole output was found to agree with.
struct Agreement {
  std::size_t kept = 0;     // the number of a kept output, counted from 1; 0: none
  bool is_equal = false;    // in each element; else within the margin of the candidate
  bool is_sampled = false;  // all elements of the output are samples: nothing is left to compare
};

class WholeCheck {
 public:
  // `operands`: from {-1, 0, 1}; `is_sampled`: the gate compares each element with the reference.
  WholeCheck(const Problem& problem, Site& site, const Operands& operands, bool is_sampled)
      : problem_(problem), site_(site), operands_(operands), is_sampled_(is_sampled) {}

  // "", or a sentence about an element of `output` that is further from the reference's value than
  // the margin. If the kept output is wrong instead, it is given up.
  std::string difference(WatchedOutput& output, Exactness exactness,
                         reference::Precision precision);
  // The output of the last call of `difference` has passed all checks. It is kept if there is none
  // to compare with.
  Agreement accept(const Libraries& libraries);

  // Whether a candidate that agreed so still has to be compared with a confirmed output, and may
  // be.
  bool is_in_doubt(const Agreement& agreement) const;
  // Has the reference compute the whole output, unless the kept one is confirmed or that would take
  // too long.
  void evaluate();
  // Why an output that agreed so is wrong as far as is known since; or "".
  std::string refutation(const Agreement& agreement) const;

 private:
  void keep(std::unique_ptr<WholeOutput> output);

  const Problem& problem_;
  Site& site_;
  const Operands operands_;
  const bool is_sampled_;
  std::unique_ptr<WholeOutput> kept_;
  std::unique_ptr<WholeOutput> next_;     // the last one, which may replace it
  Agreement last_;                        // of the last output
  std::vector<Libraries> equal_;          // of the candidates that computed what is kept
  bool confirmed_ = false;                // of what is kept
  bool is_the_references_ = false;        // it is the reference's whole output
  bool evaluated_ = false;                // the reference's whole output was asked for
  std::vector<std::string> refutations_;  // of each output that was kept; "" if it is not refuted
};

}  // namespace atc::conv
