// The correctness gate: seeded positions of the output are computed in
// double once per problem, then each candidate's output is compared with them.
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
  std::string reason;  // where it did not pass: why, in a sentence
};

// Computes the reference's values at positions of the output, on the device that has the operands.
using Evaluate = std::function<std::vector<ElementValue>(const std::vector<Index>&)>;

class SampledReference {
 public:
  // Reads the operands now and keeps none of them. With `accumulate` the output operand holds the
  // old values (each candidate has to start from them); otherwise it may be null. There are at
  // least `positions` samples (samples.hpp), or default_samples if it is 0. `exact` is for operands
  // from
  // {-1, 0, 1}; problems with more summands than fp32 adds up exactly are checked by `tolerance`
  // nevertheless. No operand exceeds `largest` in size.
  SampledReference(const Problem& problem, const Operands& operands, std::uint64_t seed,
                   Exactness exactness, std::size_t positions = 0);
  SampledReference(const Problem& problem, const Evaluate& evaluate, std::uint64_t seed,
                   Exactness exactness, Precision precision, double largest,
                   std::size_t positions = 0);

  // Compares the samples, scans the whole output for NaN, infinity and elements that were never
  // written, and checks that nothing was written outside it. May be called from several threads.
  GateVerdict check(const GuardedBuffer& output) const;

  // The samples alone, for an output in other memory.
  GateVerdict check_samples(const void* output) const;
  // Like check_samples, but takes the values of the elements at offsets().
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
  double limit_;       // of the errors' root mean square
  double energy_ = 0;  // of all samples together
  std::vector<Sample> samples_;
};

// The text of a verdict about a wrong element; `element` is its logical number.
std::string difference_of(std::int64_t element, double value, double expected, double allowed);

}  // namespace atc::reference
