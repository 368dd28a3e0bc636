// Generated convolutions of LibTorch. They vary the window, the groups, the memory formats, the
// dtype, and the operands that need a gradient.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace atc_torch_test {

enum class Memory {
  dense,
  // In 2-D and 3-D: LibTorch's memory format channels last. In 1-D: a permuted view of a tensor
  // whose channels are last in memory.
  channels_last,
  sliced,      // the tensor is a part of a larger tensor
  transposed,  // the tensor is a view in which the last dimension is not contiguous
  expanded,    // The tensor is an expanded view, in which one element or one sample is repeated.
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

  // Returns whether the output padding is at least the stride in some dimension. LibTorch allows
  // this if the output padding is below the dilation. No engine's backward convolution computes
  // such outputs, so LibTorch computes the convolution itself.
  bool pads_beyond_stride() const;
  std::size_t dims() const { return input.size(); }
  std::vector<std::int64_t> x_shape() const, w_shape() const, y_shape() const;
  // Returns the stride as the test passes it to LibTorch. If all dimensions have the same stride,
  // this may be a list with a single number.
  std::vector<std::int64_t> given_stride() const;
};

// Makes about two hundred cases, which are the same at each call. Returns the first of every
// `every` cases.
std::vector<Case> make_cases(int dims, c10::DeviceType device = c10::DeviceType::CPU,
                             std::size_t every = 1);
std::string describe(const Case& c);

// The operands of a convolution and of its derivatives. `gradient` is the gradient of the output.
// The second derivatives are the gradients of the sum of vx, vw and vbias times the first
// gradients.
struct Operands {
  at::Tensor x, w, bias, gradient, vx, vw, vbias;
};
Operands make_operands(const Case& c);

// Returns a tensor with the same values in another kind of memory.
at::Tensor arrange(const at::Tensor& values, Memory memory);

}  // namespace atc_torch_test
