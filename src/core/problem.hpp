// A convolution in the form that all layers of the library share. It is validated, has concrete
// strides and is never transposed. A transposed convolution is replaced by the ordinary convolution
// of which it is the adjoint, with x and y exchanged. So forward of a transposed convolution is
// backward_data of the ordinary convolution, and backward_data of the transposed convolution is
// forward of the ordinary one.
//
//   y[n, k, o] = bias[k] + sum over c, t of
//                x[n, c, o * stride + t * dilation - pad_low] * w[k, c, t]
//
// In the formula for y, c runs over the channels of the group of k, and t over the positions within
// the kernel. Post-ops (core/post_ops.hpp) change the sum further.
//
// Each direction computes one of x, w and y from the other two: `forward` writes y, `backward_data`
// writes x, `backward_weight` writes w.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype.hpp"
#include "core/post_ops.hpp"

namespace atc {

constexpr int kMaxSpatial = 3;
constexpr int kMaxRank = kMaxSpatial + 2;

enum class Direction : std::int32_t { forward = 1, backward_data = 2, backward_weight = 3 };
enum class Epilogue : std::int32_t { none = 1, bias = 2, bias_relu = 3 };

std::string_view name_of(Direction direction);
std::string_view name_of(Epilogue epilogue);

// One operand. Extents and strides are in elements, in logical order. The order of x is N, C,
// spatial. The order of w is K, C/groups, spatial. The order of y is N, K, spatial. Array elements
// from `rank` on are 0.
struct Tensor {
  Dtype dtype = Dtype::f32;
  int rank = 0;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};

  // The position of an element: one number for each dimension. Array elements from `rank` on are
  // ignored.
  using Index = std::array<std::int64_t, kMaxRank>;

  std::int64_t elements() const;  // the number of elements: the product of the extents
  // The distance, in elements, from the first element to the end of the last element. 0 if the
  // tensor is empty.
  std::int64_t span() const;
  std::uint64_t span_bytes() const { return static_cast<std::uint64_t>(span()) * size_of(dtype); }
  // Convert the number of an element to its position, and a position to the number. Elements are
  // numbered in logical order (the last index changes first), whatever the strides are.
  Index index_of(std::int64_t number) const;
  std::int64_t number_of(const Index& index) const;
  // Returns the distance in memory, in elements, from the first element of the tensor to the
  // element at `index`.
  std::int64_t offset_of(const Index& index) const;
  // Whether the tensor is dense in the layout channels first: neighbours in the last dimension are
  // neighbours in memory.
  bool channels_first() const;
  // Whether the tensor is dense in the layout channels last: neighbouring channels are neighbours
  // in memory.
  bool channels_last() const;
  bool operator==(const Tensor&) const;
};

using Extents = std::array<std::int64_t, kMaxSpatial>;

struct Problem {
  Direction direction = Direction::forward;
  int spatial = 2;
  std::int64_t groups = 1;
  Extents stride{1, 1, 1}, dilation{1, 1, 1}, pad_low{}, pad_high{};
  Tensor x, w, y;
  Epilogue epilogue = Epilogue::none;  // if there is a bias, it has one number per output channel
  // If the problem has post-ops, `epilogue` is none or bias, and `accumulate` is false.
  PostOps post_ops;
  // true: the result is added to the output; false: the result replaces the output
  bool accumulate = false;
  // True if the caller asked for a transposed convolution, which was replaced by this problem. The
  // results do not depend on this flag.
  bool from_transposed = false;

  std::int64_t batch() const { return x.shape[0]; }
  std::int64_t channels_in() const { return x.shape[1]; }
  std::int64_t channels_out() const { return y.shape[1]; }
  std::int64_t in(int dim) const { return x.shape[2 + dim]; }
  std::int64_t out(int dim) const { return y.shape[2 + dim]; }
  std::int64_t kernel(int dim) const { return w.shape[2 + dim]; }

  // Whether each channel of x is a group of its own. Such a group may have several filters.
  bool is_depthwise() const { return groups > 1 && groups == channels_in(); }

  const Tensor& output() const;
  // The tensor of the bias, which has one dimension. The tensor is empty if the problem has no bias
  // (no epilogue).
  Tensor bias() const;
  // The scale: a tensor of one dimension. Empty if the post-ops have no scale.
  Tensor scale() const;
  // The residual: a tensor like the output. Empty if the post-ops have no residual.
  Tensor residual() const;
  // The activation of the output: that of the post-ops, or the ReLU of Epilogue::bias_relu.
  Activation activation() const {
    return epilogue == Epilogue::bias_relu ? Activation{Function::relu} : post_ops.activation;
  }
  // the number of channels of the output, which is the length of bias and scale
  std::int64_t output_channels() const;
  // The largest number of products that are summed for one element of the output.
  std::int64_t reduction_length() const;
  // The number of operations: 2 for each multiplication, including multiplications with padding.
  double flops() const;
  bool operator==(const Problem&) const;
};

// Returns, for example, "forward x=8x3x224x224 f32 w=64x3x7x7 ...", for messages and reports.
std::string describe(const Problem& problem);

// The addresses of the operands of one call, named as in the problem. The direction of the
// convolution determines which one of x, w and y is written; the other two are read. `w` may be
// null after Prepared::set_weights.
//
// The output becomes relu(old output + convolution + bias). The old output, relu and bias are left
// out if the problem does not have them. `bias` is dense and has output_channels() elements of the
// output's dtype. `scale` and `residual` are used if the problem's post-ops include them. `scale`
// has the same form as `bias`. `residual` has the output's dtype, shape and strides.
struct Operands {
  void* x = nullptr;
  void* w = nullptr;
  const void* bias = nullptr;
  void* y = nullptr;
  const void* scale = nullptr;
  const void* residual = nullptr;
};

// Returns the address of the operand that the problem's direction writes.
inline void*& output_of(const Problem& problem, Operands& operands) {
  if (problem.direction == Direction::backward_data) return operands.x;
  if (problem.direction == Direction::backward_weight) return operands.w;
  return operands.y;
}
inline void* output_of(const Problem& problem, const Operands& operands) {
  Operands copy = operands;
  return output_of(problem, copy);
}

}  // namespace atc
