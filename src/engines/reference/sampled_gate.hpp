// The correctness gate. For each problem, the values at some positions of the output, which a seed
// determines, are computed once in double precision. Then each candidate's output is compared with
// these values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/guarded_buffer.hpp"
#include "core/problem.hpp"
#include "engines/engine.hpp"
#include "engines/reference/position.hpp"
#include "engines/reference/tolerance.hpp"

namespace atc::reference {

struct GateVerdict {
  bool passed = false;
  std::string reason;  // the reason as a sentence, if the check was not passed
};

// Computes the reference's values at positions of the output. The device that has the operands
// computes them.
using Evaluate = std::function<std::vector<ElementValue>(const std::vector<Index>&)>;

class SampledReference {
 public:
  // Computes the samples. The operands are read now, and not kept. With `accumulate` the output
  // operand has the old values, with which each candidate has to start; without it the output
  // operand may be null. There are at least `positions` samples (samples.hpp); if `positions` is 0,
  // at least default_samples. `exact` says that the operands are from {-1, 0, 1}. (If a sum has
  // more summands than fp32 adds up exactly, `tolerance` is used nevertheless.) No operand has a
  // larger absolute value than `largest`.
  SampledReference(const Problem& problem, const Operands& operands, std::uint64_t seed,
                   Exactness exactness, std::size_t positions = 0);
  SampledReference(const Problem& problem, const Evaluate& evaluate, std::uint64_t seed,
                   Exactness exactness, Precision precision, double largest,
                   std::size_t positions = 0);

  // Compares the samples. Also searches the whole output for NaN, infinity and elements that were
  // never written, and checks that nothing was written outside of it. May be called from several
  // threads.
  GateVerdict check(const GuardedBuffer& output) const;

  // Compares only the samples, for an output in other memory.
  GateVerdict check_samples(const void* output) const;
  // Does the same as check_samples, but the caller gives the values of the elements at offsets().
  GateVerdict check_values(const std::vector<double>& values) const;

  std::size_t positions() const { return samples_.size(); }
  std::vector<std::int64_t> offsets() const;  // of the samples, in elements

 private:
  struct Sample {
    std::int64_t logical = 0, offset = 0;  // offset in elements
    double value = 0, tolerance = 0;
  };

  Tensor output_;
  Precision precision_;
  double limit_;       // the limit of the root mean square of the errors
  double energy_ = 0;  // of all samples together
  std::vector<Sample> samples_;
};

// Makes the text of a verdict about a wrong element; `element` is its logical number.
std::string difference_of(std::int64_t element, double value, double expected, double allowed);

}  // namespace atc::reference
