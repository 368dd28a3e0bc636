// A convolution in the form that all layers share: validated, with concrete strides, and never
// transposed. A transposed convolution is replaced by the ordinary one whose adjoint it is, with x
// and y exchanged. Then forward of the transposed one is backward_data of the ordinary one, and
// vice versa.
//
//   y[n, k, o] = bias[k] + sum over c, t of
//                x[n, c, o * stride + t * dilation - pad_low] * w[k, c, t]
//
// An ending (core/ending.hpp) changes the sum further.
//
// with c running over the channels of the group of k. The three directions compute one of x, w, y
// from the other two; `forward` writes y, `backward_data` writes x, `backward_weight` writes w.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype.hpp"
#include "core/ending.hpp"

namespace atc {

constexpr int kMaxSpatial = 3;
constexpr int kMaxRank = kMaxSpatial + 2;

enum class Direction : std::int32_t { forward = 1, backward_data = 2, backward_weight = 3 };
enum class Epilogue : std::int32_t { none = 1, bias = 2, bias_relu = 3 };

std::string_view name_of(Direction direction);
std::string_view name_of(Epilogue epilogue);

// One operand: extents and strides in elements, in logical order. The order of x is N, C, spatial;
// of w: K, C/groups, spatial; of y: N, K, spatial. Entries beyond `rank` are 0.
struct Tensor {
  Dtype dtype = Dtype::f32;
  int rank = 0;
  std::array<std::int64_t, kMaxRank> shape{};
  std::array<std::int64_t, kMaxRank> strides{};

  // The place of an element: one number for each dimension. Entries beyond `rank` are ignored.
  using Index = std::array<std::int64_t, kMaxRank>;

  std::int64_t elements() const;  // product of the extents
  std::int64_t span() const;      // distance in elements from the first element to the one after
                                  // the last; 0 if the tensor is empty
  std::uint64_t span_bytes() const { return static_cast<std::uint64_t>(span()) * size_of(dtype); }
  // Elements are numbered in logical order: the last dimension is the fastest, whatever the strides
  // are.
  Index index_of(std::int64_t number) const;
  std::int64_t number_of(const Index& index) const;
  std::int64_t offset_of(const Index& index) const;  // in elements from the first
  bool channels_first() const;                       // dense, last dimension fastest
  bool channels_last() const;                        // dense, channel dimension fastest
  bool operator==(const Tensor&) const;
};

using Extents = std::array<std::int64_t, kMaxSpatial>;

struct Problem {
  Direction direction = Direction::forward;
  int spatial = 2;
  std::int64_t groups = 1;
  Extents stride{1, 1, 1}, dilation{1, 1, 1}, pad_low{}, pad_high{};
  Tensor x, w, y;
  Epilogue epilogue = Epilogue::none;  // the bias has one number for each channel of the output
  Ending ending;  // a problem with an ending has the epilogue none or bias, and does not accumulate
  bool accumulate = false;       // true: output += result; false: output = result
  bool from_transposed = false;  // true if the caller's problem was transposed; the arithmetic does
                                 // not depend on it

  std::int64_t batch() const { return x.shape[0]; }
  std::int64_t channels_in() const { return x.shape[1]; }
  std::int64_t channels_out() const { return y.shape[1]; }
  std::int64_t in(int dim) const { return x.shape[2 + dim]; }
  std::int64_t out(int dim) const { return y.shape[2 + dim]; }
  std::int64_t kernel(int dim) const { return w.shape[2 + dim]; }

  // Whether each channel of x is a group of its own. A group may have several filters.
  bool is_depthwise() const { return groups > 1 && groups == channels_in(); }

  const Tensor& output() const;
  Tensor bias() const;                    // the bias, a tensor of one dimension; empty if there is
                                          // no epilogue
  Tensor scale() const;                   // likewise, for Ending::scale
  Tensor residual() const;                // like the output; empty if the ending has none
  std::int64_t output_channels() const;   // length of bias and scale
  std::int64_t reduction_length() const;  // the largest number of products that are summed into one
                                          // output element
  double flops() const;                   // 2 x multiplications, including those with padding
  bool operator==(const Problem&) const;
};

// Returns "forward x=8x3x224x224 f32 w=64x3x7x7 ..." for messages and reports.
std::string describe(const Problem& problem);

// Addresses of one call's operands, named as in the problem. The direction writes one of x, w and y
// and reads the other two. `w` may be null after Prepared::set_weights. `bias` is dense and has
// output_channels() elements of the output's dtype. The output becomes relu(old output +
// convolution + bias); old output, relu and bias are left out if the problem does not have them.
// `scale` is like `bias`. `residual` has the output's dtype, shape and strides. Both are for
// problems whose ending has them.
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
