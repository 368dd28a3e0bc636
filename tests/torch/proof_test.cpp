// Tests a check that the bridge makes before it calls one of LibTorch's functions for gradients
// directly (the proof). The bridge compares the function's results for some examples with those of
// at::convolution_backward. The tests use functions on the CPU that give wrong results, so the
// proof must fail.
#include "proof.hpp"

#include <ATen/ops/convolution_backward.h>
#include <c10/util/Exception.h>
#include <gmock/gmock.h>

namespace {

using atc_torch::BackwardMask;
using atc_torch::Geometry;
using atc_torch::Gradients;
using testing::HasSubstr;

Gradients libtorch(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                   const Geometry& g, const BackwardMask& mask) {
  return at::convolution_backward(gradient, x, w, at::OptionalIntArrayRef(), g.stride, g.padding,
                                  g.dilation, g.transposed, g.output_padding, g.groups, mask);
}

std::string objection_to(const atc_torch::BackwardFunction& candidate) {
  return atc_torch::objection_to(candidate, libtorch, at::kCPU);
}

// Returns a function that computes gradients of convolutions, but applies `change` to one of the
// gradients, the one with the number `place`. If `transposed` is true, only gradients of transposed
// convolutions are changed. Otherwise only gradients of usual convolutions are changed.
template <std::size_t place>
atc_torch::BackwardFunction changed(bool transposed, at::Tensor (*change)(const at::Tensor&)) {
  return [=](const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
             const Geometry& g, const BackwardMask& mask) {
    Gradients gradients = libtorch(gradient, x, w, g, mask);
    auto& of = std::get<place>(gradients);
    if (g.transposed == transposed) of = change(of);
    return gradients;
  };
}

at::Tensor one_bit_off(const at::Tensor& tensor) {
  at::Tensor other = tensor.clone();
  other.flatten()[-1].add_(1e-5);
  return other;
}

at::Tensor in_another_layout(const at::Tensor& tensor) {
  return tensor.contiguous(at::MemoryFormat::ChannelsLast);
}

TEST(Proof, LibTorchItselfIsRight) { EXPECT_EQ(objection_to(libtorch), ""); }

TEST(Proof, OtherBitsInOneDirectionAreFound) {
  EXPECT_EQ(objection_to(changed<0>(false, one_bit_off)),
            "the gradient of the input of a convolution differs");
  EXPECT_EQ(objection_to(changed<1>(false, one_bit_off)),
            "the gradient of the weights of a convolution differs");
  EXPECT_EQ(objection_to(changed<0>(true, one_bit_off)),
            "the gradient of the input of a transposed convolution differs");
  EXPECT_EQ(objection_to(changed<1>(true, one_bit_off)),
            "the gradient of the weights of a transposed convolution differs");
}

TEST(Proof, AnotherLayoutIsFound) {
  EXPECT_NE(objection_to(changed<0>(false, in_another_layout)), "");
}

TEST(Proof, ArgumentsInAnotherOrderAreFound) {
  const auto swapped = [](const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                          const Geometry& g, const BackwardMask& mask) {
    return libtorch(gradient, x, w,
                    {g.dilation, g.padding, g.stride, g.transposed, g.output_padding, g.groups},
                    mask);
  };
  EXPECT_NE(objection_to(swapped), "");
}

TEST(Proof, AnErrorIsAnObjection) {
  const auto refusing = [](const at::Tensor&, const at::Tensor&, const at::Tensor&, const Geometry&,
                           const BackwardMask&) -> Gradients {
    TORCH_CHECK(false, "there is no such function");
  };
  EXPECT_THAT(objection_to(refusing), HasSubstr("there is no such function"));
}

}  // namespace
