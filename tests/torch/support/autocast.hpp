// A layer under autocast.
#pragma once

#include "derivatives.hpp"

namespace atc_torch_test {

// The layer's operands are fp32, with numbers that the dtype of the case can hold; autocast
// convolves in that dtype.
class AutocastLayer {
 public:
  explicit AutocastLayer(const Case& c);

  Derivatives run() const;
  // Fails the test if results are wrong, or do not have the layout of LibTorch's own.
  void expect_right(const Derivatives& got, const Derivatives& plain) const;

 private:
  Case case_;
  Operands operands_;
  Exact exact_;
};

}  // namespace atc_torch_test
