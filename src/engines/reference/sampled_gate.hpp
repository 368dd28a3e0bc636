// The correctness gate: seeded positions of the output are computed in
// double once per problem, then each candidate's output is held against them.
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
  std::string reason;  // why it did not: a sentence
};

// The trusted values at positions of the output, from whichever device the operands are on.
using Evaluate = std::function<std::vector<ElementValue>(const std::vector<Index>&)>;

class SampledReference {
 public:
  // Positions by default: 1,024, or 256 for backward-weight, where one costs a whole reduction over
  // batch and space. All where the output has no more; more where there are more groups.
  static std::size_t default_positions(const Problem& problem);

  // Reads the operands now and keeps none of them. With `accumulate` the output operand holds the
  // old values (each candidate has to start from them); otherwise it may be null. Among the
  // positions are all corners and edges (first, inner, last in each dimension, combined) and a
  // channel of every group, even if that makes them more than `positions`. `exact` is for operands
  // from {-1, 0, 1}; problems with more summands than fp32 sums exactly are held to the bound all
  // the same. No operand exceeds `largest`.
  SampledReference(const Problem& problem, const Operands& operands, std::uint64_t seed,
                   Exactness exactness, std::size_t positions = 0);
  SampledReference(const Problem& problem, const Evaluate& evaluate, std::uint64_t seed,
                   Exactness exactness, Precision precision, double largest,
                   std::size_t positions = 0);

  // Compares the samples and scans the whole output for NaN, infinity and what was never written,
  // and its surroundings for what was written outside. May be called from several threads.
  GateVerdict check(const GuardedBuffer& output) const;

  // The samples alone, for an output in other memory.
  GateVerdict check_samples(const void* output) const;
  // The same for elements that were read at offsets().
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
  double limit_;       // of the root mean square
  double energy_ = 0;  // of all samples together
  std::vector<Sample> samples_;
};

// How a verdict tells of an element, by its number.
std::string difference_of(std::int64_t element, double value, double expected, double allowed);

// Logical positions of `tensor` that the gate looks at, sorted: at least `count` where it has as
// many, and at least one of each group. The group of a position is that of its index in dimension
// `group_dim`, which `groups` parts divide evenly.
std::vector<std::int64_t> sample_positions(const Tensor& tensor, int group_dim, std::int64_t groups,
                                           std::size_t count, std::uint64_t seed);

}  // namespace atc::reference
