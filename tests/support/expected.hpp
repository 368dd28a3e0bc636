// The expected output of an engine, computed by the reference engine.
#pragma once

#include <string>
#include <vector>

#include "core/guarded_buffer.hpp"
#include "core/problem.hpp"
#include "support/tensors.hpp"

namespace atc::test {

class Expected {
 public:
  // Each element of the output has a tolerance. For ternary inputs (-1, 0, 1) the tolerance is 0:
  // the output must be the exact sum, rounded to the output's dtype. For normally distributed
  // inputs the tolerance is the bound of engines/reference/tolerance.hpp, which is computed from
  // the sum of the magnitudes of the element's summands.
  Expected(const Problem& problem, Inputs& inputs, Fill fill);

  // Returns "" if all elements of `output` are within their tolerances and the guard regions of
  // `output` are unchanged. Otherwise returns a sentence that describes the fault.
  std::string compare(const GuardedBuffer& output) const;

 private:
  Tensor output_;
  std::vector<double> values_, tolerances_;
};

}  // namespace atc::test
