// Computes a convolution, its gradients and its second derivatives, and the largest errors that
// these may have.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "cases.hpp"

namespace atc_torch_test {

using Convolution =
    std::function<at::Tensor(const Case& c, const at::Tensor& x, const at::Tensor& w,
                             const std::optional<at::Tensor>& bias)>;

// of_libtorch calls at::convolution. of_atc calls atc_torch_convolution with the given options.
at::Tensor of_libtorch(const Case& c, const at::Tensor& x, const at::Tensor& w,
                       const std::optional<at::Tensor>& bias);
at::Tensor of_atc(const Case& c, const at::Tensor& x, const at::Tensor& w,
                  const std::optional<at::Tensor>& bias, bool tune);

// The indices of the results in a Derivatives object.
enum { kY, kGradX, kGradW, kGradBias, kSecondGradient, kSecondX, kSecondW, kDerivatives };
extern const char* const kNames[kDerivatives];

// The output and the derivatives of one test case. A tensor is undefined if the test case does not
// need this derivative, or if no result depends on its operand.
using Derivatives = std::array<at::Tensor, kDerivatives>;

Derivatives derive(const Case& c, const Operands& operands, const Convolution& convolution);

// Computes the derivatives in fp64 with LibTorch, and a tolerance for each element. The tolerance
// is the bound (4.4) of Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., with the
// sum of the magnitudes of the element's terms. The bound holds for sums that are added in fp32, in
// any order, and are then rounded to the dtype.
class Exact {
 public:
  Exact(const Case& c, const Operands& operands);
  // Returns "" if `got` is within the tolerance of the derivative `which`. Otherwise returns a
  // sentence about the difference.
  std::string compare(int which, const at::Tensor& got) const;

 private:
  Case case_;
  Derivatives values_, magnitudes_;
};

// Returns whether both tensors have the same dtype, shape, strides and bits.
bool is_same(const at::Tensor& a, const at::Tensor& b);
// Returns "" if both tensors have the same shape, dtype and strides, or if both are undefined.
// Otherwise returns a sentence about the difference.
std::string compare_layout(const at::Tensor& got, const at::Tensor& expected);

}  // namespace atc_torch_test
