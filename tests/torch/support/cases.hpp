// Generated convolutions of LibTorch: every kind of window, groups, memory, dtype and set of
// operands that need a gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace atc_torch_test {

enum class Memory {
  dense,
  channels_last,  // for 1-D: a tensor whose channels are last in memory, permuted to the usual
                  // order
  sliced,         // part of a larger tensor
  transposed,     // the tensor is a view whose last dimension is not the fastest
  expanded,       // the tensor is an expanded view, which shows one element or one sample many
                  // times
};

struct Case {
  c10::DeviceType device = c10::DeviceType::CPU;
  at::ScalarType dtype = at::kFloat;
  std::int64_t batch = 1, in = 1, out = 1, groups = 1;
  std::vector<std::int64_t> input, kernel, stride, padding, dilation, output_padding;
  bool transposed = false, bias = false, stride_as_one_number = false;
  bool wants_x = true, wants_w = true, wants_bias = true;
  Memory x = Memory::dense, w = Memory::dense, gradient = Memory::dense;
  std::uint64_t seed = 0;

  // Whether there is an output padding that only the dilation allows. No engine's adjoint reaches
  // these outputs, and LibTorch computes them itself.
  bool pads_beyond_stride() const;
  std::size_t dims() const { return input.size(); }
  std::vector<std::int64_t> x_shape() const, w_shape() const, y_shape() const;
  // The stride argument for LibTorch: one number if it holds for all dimensions.
  std::vector<std::int64_t> given_stride() const;
};

// Makes about two hundred cases, the same ones at each call, and returns one of each `every` cases.
std::vector<Case> make_cases(int dims, c10::DeviceType device = c10::DeviceType::CPU,
                             std::size_t every = 1);
std::string describe(const Case& c);

// The operands of a convolution and its derivatives. The v multiply the gradients for the gradients
// of gradients.
struct Operands {
  at::Tensor x, w, bias, gradient, vx, vw, vbias;
};
Operands make_operands(const Case& c);

// Returns the same values in another kind of memory.
at::Tensor arrange(const at::Tensor& values, Memory memory);

}  // namespace atc_torch_test
