// The correctness gate: the check of a candidate's output against the reference engine. For each
// problem, some elements of the output (samples) are computed once in double precision. A seed
// determines which elements are samples. Then the output of each candidate is compared with the
// samples.
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

// A function that returns the elements of the output at the given indices, computed in double
// precision.
using Evaluate = std::function<std::vector<ElementValue>(const std::vector<Index>&)>;

// Computes the samples of a problem, and compares the outputs of candidates with the samples. The
// samples are computed on the device that has the operands.
class SampledReference {
 public:
  // Each constructor computes the samples. The operands are read only during this call. If the
  // problem accumulates, the output operand must contain the old values, and each candidate must
  // start with the same old values. Otherwise the output operand may be null. There are at least
  // `positions` samples (samples.hpp). If `positions` is 0, there are at least
  // default_samples(problem). Exactness::exact may be passed only if the operands are from {-1, 0,
  // 1}: the samples are then compared for equality, unless a sum has more summands than fp32 can
  // add exactly. No operand may have a larger absolute value than `largest`.
  SampledReference(const Problem& problem, const Operands& operands, std::uint64_t seed,
                   Exactness exactness, std::size_t positions = 0);
  SampledReference(const Problem& problem, const Evaluate& evaluate, std::uint64_t seed,
                   Exactness exactness, Precision precision, double largest,
                   std::size_t positions = 0);

  // Checks an output. Compares the samples, searches the whole output for NaN, Inf and elements
  // that were not written, and checks that nothing was written outside of the output. Several
  // threads may call this function at the same time.
  GateVerdict check(const GuardedBuffer& output) const;

  // Compares only the samples. The output may be in any memory.
  GateVerdict check_samples(const void* output) const;
  // Compares only the samples. `values` are the values of the output at offsets().
  GateVerdict check_values(const std::vector<double>& values) const;

  std::size_t positions() const { return samples_.size(); }
  std::vector<std::int64_t> offsets() const;  // the offsets of the samples in elements

 private:
  struct Sample {
    std::int64_t logical = 0, offset = 0;  // number in logical order; offset in elements
    double value = 0, tolerance = 0;
  };

  Tensor output_;
  Precision precision_;
  // The largest root mean square error that is allowed (class_limit in tolerance.hpp).
  double limit_;
  double energy_ = 0;  // the sum of ElementValue::energy over all samples
  std::vector<Sample> samples_;
};

// Returns the text of GateVerdict::reason for a wrong element. `element` is the number of the
// element in logical order.
std::string difference_of(std::int64_t element, double value, double expected, double allowed);

}  // namespace atc::reference
