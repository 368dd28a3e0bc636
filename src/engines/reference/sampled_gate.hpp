// The correctness gate: it checks the output of a candidate against the reference engine. For each
// problem, the reference computes some elements of the output (samples) once in double precision. A
// seed determines which elements are samples. Then the output of each candidate is compared with
// the samples.
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
  std::string reason;  // why the check failed, as a sentence
};

// A function that returns the values of the output's elements at the given indices, computed in
// double precision.
using Evaluate = std::function<std::vector<ElementValue>(const std::vector<Index>&)>;

// Computes the samples of a problem, and compares the outputs of candidates with them. The function
// `evaluate` computes the samples. Without this function, they are computed on the CPU.
class SampledReference {
 public:
  // Each constructor computes the samples, and reads the operands only during this call. If the
  // problem accumulates, the output operand must contain the old values, and each candidate must
  // start with the same old values. Otherwise the output operand may be null. There are at least
  // `positions` samples (samples.hpp), or default_samples(problem) if `positions` is 0.
  // Exactness::exact may be passed only if the operands are from {-1, 0, 1}. The samples are then
  // compared for equality, unless sums are not exact in fp32 (is_held_to_equality() in
  // tolerance.hpp). No operand may have a larger absolute value than `largest`.
  SampledReference(const Problem& problem, const Operands& operands, std::uint64_t seed,
                   Exactness exactness, std::size_t positions = 0);
  SampledReference(const Problem& problem, const Evaluate& evaluate, std::uint64_t seed,
                   Exactness exactness, Precision precision, double largest,
                   std::size_t positions = 0);

  // Checks a candidate's output: the samples must be right, the whole output must contain no NaN,
  // no Inf and no element that was not written, and nothing outside of the output may have been
  // written. Several threads may call this function at the same time.
  GateVerdict check(const GuardedBuffer& output) const;

  // Checks only the samples of a candidate's output. The output may be in any memory.
  GateVerdict check_samples(const void* output) const;
  // Checks only the samples of a candidate's output. `values` are the elements of the output at
  // offsets(), in the same order.
  GateVerdict check_values(const std::vector<double>& values) const;

  std::size_t positions() const { return samples_.size(); }
  std::vector<std::int64_t> offsets() const;  // the offsets of the samples in elements

 private:
  struct Sample {
    // The number of the sample in logical order, and its offset in memory, in elements.
    std::int64_t logical = 0, offset = 0;
    double value = 0, tolerance = 0;
  };

  Tensor output_;
  Precision precision_;
  // The largest root mean square error of all samples that is allowed (class_limit() in
  // tolerance.hpp).
  double limit_;
  double energy_ = 0;  // the sum of ElementValue::energy over all samples
  std::vector<Sample> samples_;
};

// Returns the sentence that GateVerdict::reason has for a wrong element. `element` is the number of
// the element in logical order.
std::string difference_of(std::int64_t element, double value, double expected, double allowed);

}  // namespace atc::reference
