// A layer that runs under LibTorch's autocast.
#pragma once

#include "derivatives.hpp"

namespace atc_torch_test {

// The layer's operands are fp32, but their numbers can be represented in the dtype of the case.
// Autocast convolves in this dtype.
class AutocastLayer {
 public:
  explicit AutocastLayer(const Case& c);

  Derivatives run() const;
  // Expects that the results are right and have the layout of LibTorch's own results.
  void expect_right(const Derivatives& got, const Derivatives& plain) const;

 private:
  Case case_;
  Operands operands_;
  Exact exact_;
};

}  // namespace atc_torch_test
