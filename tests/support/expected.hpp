// The expected output of an engine, element by element, from the reference engine.
#pragma once

#include <string>
#include <vector>

#include "core/guarded_buffer.hpp"
#include "core/problem.hpp"
#include "support/tensors.hpp"

namespace atc::test {

class Expected {
 public:
  // For ternary inputs the result must be the rounded sum bit for bit; for normal ones each element
  // may differ by the bound of engines/reference/tolerance.hpp, with its own sum of |summands|.
  Expected(const Problem& problem, Inputs& inputs, Fill fill);

  // Returns "" if all elements of `output` are right and its guard regions are unchanged, else a
  // sentence.
  std::string compare(const GuardedBuffer& output) const;

 private:
  Tensor output_;
  std::vector<double> values_, tolerances_;
};

}  // namespace atc::test
