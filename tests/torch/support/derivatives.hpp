// A convolution with its gradients and their gradients, and the largest errors that they may have.
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

// at::convolution, and atc_torch_convolution with the given options.
at::Tensor of_libtorch(const Case& c, const at::Tensor& x, const at::Tensor& w,
                       const std::optional<at::Tensor>& bias);
at::Tensor of_atc(const Case& c, const at::Tensor& x, const at::Tensor& w,
                  const std::optional<at::Tensor>& bias, bool tune);

// Places in Derivatives.
enum { kY, kGradX, kGradW, kGradBias, kSecondGradient, kSecondX, kSecondW, kDerivatives };
extern const char* const kNames[kDerivatives];

// The output and the derivatives of one case, by place. A tensor is undefined if the case does not
// ask for its derivative, or if nothing depends on the derivative's operand.
using Derivatives = std::array<at::Tensor, kDerivatives>;

Derivatives derive(const Case& c, const Operands& operands, const Convolution& convolution);

// Computes the derivatives in fp64, by LibTorch, and their tolerances. The tolerance of each
// element is the bound of Higham, "Accuracy and Stability of Numerical Algorithms", 2nd ed., (4.4),
// with the element's own sum of |summands|. The bound is for accumulation in fp32, in any order,
// and rounding to the dtype.
class Exact {
 public:
  Exact(const Case& c, const Operands& operands);
  // Returns "" if `got` is within the bound of derivative `which`, else a sentence.
  std::string compare(int which, const at::Tensor& got) const;

 private:
  Case case_;
  Derivatives values_, magnitudes_;
};

// dtype, shape, strides and bits.
bool is_same(const at::Tensor& a, const at::Tensor& b);
// Returns "" if both tensors have the same shape, dtype and strides, or are both undefined.
std::string compare_layout(const at::Tensor& got, const at::Tensor& expected);

}  // namespace atc_torch_test
