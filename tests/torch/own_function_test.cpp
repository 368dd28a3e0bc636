// Tests that autograd can differentiate atc_torch_convolution as often as LibTorch's own
// convolution.
#include <ATen/Functions.h>
#include <gtest/gtest.h>
#include <torch/csrc/autograd/autograd.h>

#include "support/bridge.hpp"
#include "support/derivatives.hpp"

namespace {

using namespace atc_torch_test;
using torch::autograd::variable_list;

// Returns a tensor of small integers in fp64. Sums of such numbers are exact, whatever the order of
// the additions is.
at::Tensor integers(at::IntArrayRef shape, int seed) {
  return at::arange(c10::multiply_integers(shape), at::kDouble)
      .mul_(7 + seed)
      .remainder_(5)
      .sub_(2)
      .reshape(shape);
}

Case example(bool bias) {
  Case c;
  c.dtype = at::kDouble;
  c.in = c.out = 2;
  c.input = {4, 4};
  c.kernel = {2, 2};
  c.stride = c.dilation = {1, 1};
  c.padding = c.output_padding = {0, 0};
  c.bias = bias;
  return c;
}

// Differentiates the sum of the fourth powers of the output `order` times. Each further step takes
// the gradients of a weighted sum of the previous gradients.
variable_list differentiate(const Case& c, const Convolution& convolution, int order) {
  variable_list leaves{integers(c.x_shape(), 1), integers(c.w_shape(), 2)};
  if (c.bias) leaves.push_back(integers({c.out}, 3));
  for (at::Tensor& leaf : leaves) leaf.requires_grad_();
  at::Tensor sum = convolution(c, leaves[0], leaves[1],
                               c.bias ? std::optional(leaves[2]) : std::optional<at::Tensor>())
                       .pow(4)
                       .sum();
  variable_list gradients;
  for (int i = 0; i < order; ++i) {
    gradients = torch::autograd::grad({sum}, leaves, {}, true, true);
    sum = at::zeros({}, at::kDouble);
    for (const at::Tensor& gradient : gradients)
      sum = at::add(sum, gradient.mul(integers(gradient.sizes(), i)).sum());
  }
  return gradients;
}

class OwnFunction : public testing::TestWithParam<bool> {};

TEST_P(OwnFunction, HasThirdDerivatives) {
  ASSERT_DONE(atc_torch_init());
  const Case c = example(GetParam());
  for (const int order : {1, 2, 3, 4}) {
    const variable_list plain = differentiate(c, of_libtorch, order);
    const variable_list own = differentiate(
        c,
        [](const Case& of, const at::Tensor& x, const at::Tensor& w,
           const std::optional<at::Tensor>& bias) { return of_atc(of, x, w, bias, false); },
        order);
    ASSERT_EQ(own.size(), plain.size());
    for (std::size_t i = 0; i < own.size(); ++i) {
      EXPECT_TRUE(plain[i].ne(0).any().item().toBool()) << "nothing to compare";
      EXPECT_TRUE(at::equal(own[i], plain[i])) << "derivative " << order << " by operand " << i;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Bias, OwnFunction, testing::Bool(), [](const auto& info) {
  return std::string(info.param ? "With" : "Without");
});

}  // namespace
