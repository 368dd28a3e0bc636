#include "proof.hpp"

#include <ATen/ops/arange.h>
#include <ATen/ops/equal.h>
#include <c10/util/Exception.h>

#include <exception>

namespace atc_torch {

namespace {

// Returns a tensor of small integers. Products and sums of them are exact in each algorithm and in
// TF32, so two correct results have the same bits.
at::Tensor example(at::IntArrayRef shape, std::int64_t period, c10::Device device) {
  const std::int64_t count = c10::multiply_integers(shape);
  return at::arange(count, at::TensorOptions(device).dtype(at::kFloat))
      .remainder(period)
      .sub(period / 2)
      .reshape(shape);
}

bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.defined() && b.defined() && a.sizes() == b.sizes() && a.strides() == b.strides() &&
         at::equal(a, b);
}

}  // namespace

std::string objection_to(const BackwardFunction& candidate, const BackwardFunction& libtorch,
                         c10::Device device) {
  // Stride, padding and dilation differ from each other and between the dimensions. So if arguments
  // are passed in a wrong order, the result is different or an error occurs.
  const std::int64_t stride[] = {2, 1}, padding[] = {1, 2}, dilation[] = {1, 3}, none[] = {0, 0};
  for (const bool transposed : {false, true}) {
    const Geometry geometry{stride, padding, dilation, transposed, none, 2};
    const char* const kind = transposed ? "a transposed convolution" : "a convolution";
    const at::Tensor x = example({2, 4, 7, 9}, 5, device);
    const at::Tensor w =
        example(transposed ? at::IntArrayRef{4, 3, 3, 2} : at::IntArrayRef{6, 2, 3, 2}, 7, device);
    const at::Tensor y = example(
        transposed ? at::IntArrayRef{2, 6, 13, 8} : at::IntArrayRef{2, 6, 4, 10}, 3, device);
    try {
      const BackwardMask both{true, true, false};
      const Gradients expected = libtorch(y, x, w, geometry, both);
      const Gradients given = candidate(y, x, w, geometry, both);
      if (!same(std::get<0>(given), std::get<0>(expected)))
        return std::string("the gradient of the input of ") + kind + " differs";
      if (!same(std::get<1>(given), std::get<1>(expected)))
        return std::string("the gradient of the weights of ") + kind + " differs";
    } catch (const c10::Error& error) {
      return error.what_without_backtrace();
      // this exception comes from a library that LibTorch uses
    } catch (const std::exception& error) {
      return error.what();
    }
  }
  return "";
}

}  // namespace atc_torch
