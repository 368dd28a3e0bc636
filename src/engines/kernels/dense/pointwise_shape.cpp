#include "engines/kernels/dense/pointwise_shape.hpp"

#include <algorithm>

#include "core/format.hpp"

namespace atc::dense {

namespace {

// The numbers of images, of channels, of pixels of an image, and of chunks must be below this
// limit.
constexpr std::int64_t kMostExtent = std::int64_t{1} << 30;
// The strides of a tensor map, in bytes, must be below this limit.
constexpr std::int64_t kMostImageBytes = std::int64_t{1} << 39;
// The alignment of tensors, in bytes, that a tensor map needs.
constexpr std::size_t kAlignment = 16;
// The smallest number of input or output channels for which the kernels are used. With fewer
// channels, most of a tile would be empty.
constexpr std::int64_t kLeastChannels = 16;

// Checks the conditions that the pointwise kernels of all directions have in common. Returns "" if
// the problem meets them; otherwise returns a text that says why the kernels cannot compute the
// problem.
std::string common_objection(const Problem& p, const Limits& limits) {
  if (p.groups != 1) return "it has groups";
  if (p.x.dtype != p.y.dtype || p.x.dtype != p.w.dtype) return "its dtypes differ";
  if (p.x.dtype == Dtype::f32 && !limits.allow_tf32) return "f32 may not be multiplied as TF32";
  if (limits.alignment < kAlignment) return "its tensors are not aligned to 16 bytes";
  if (p.x.elements() == 0 || p.y.elements() == 0 || p.w.elements() == 0) return "a tensor is empty";
  if (!p.x.channels_first() || !p.y.channels_first())
    return "x and y must be dense, channels first";
  if (p.channels_in() < kLeastChannels || p.channels_out() < kLeastChannels)
    return format("it has fewer than {} channels or filters", kLeastChannels);
  const auto element = static_cast<std::int64_t>(size_of(p.x.dtype));
  for (const Tensor* tensor : {&p.x, &p.y})
    if (tensor->shape[0] >= kMostExtent || tensor->shape[1] >= kMostExtent ||
        pixels_of(p) >= kMostExtent || tensor->shape[1] * pixels_of(p) * element >= kMostImageBytes)
      return "an image or the batch is too large";
  return "";
}

}  // namespace

bool is_pointwise(const Problem& p) {
  for (int d = 0; d < p.spatial; ++d) {
    const auto i = static_cast<std::size_t>(d);
    if (p.kernel(d) != 1 || p.pad_low[i] != 0 || p.in(d) != p.out(d) ||
        (p.stride[i] != 1 && p.out(d) != 1))
      return false;
  }
  return true;
}

std::int64_t pixels_of(const Problem& p) {
  std::int64_t pixels = 1;
  for (int d = 0; d < p.spatial; ++d) pixels *= p.in(d);
  return pixels;
}

int copy_of(std::int64_t row_bytes, std::int64_t element) {
  if (row_bytes % 16 == 0) return 16;
  if (element == 4) return 4;
  return row_bytes % 8 == 0 ? 8 : 0;
}

std::string pointwise_weight_objection(const Problem& p, const Limits& limits) {
  if (p.direction != Direction::backward_weight) return "it is no gradient of weights";
  if (p.epilogue != Epilogue::none) return "it has a bias";
  if (std::string why = common_objection(p, limits); !why.empty()) return why;
  const std::int64_t row_bytes = pixels_of(p) * static_cast<std::int64_t>(size_of(p.x.dtype));
  if (copy_of(row_bytes, static_cast<std::int64_t>(size_of(p.x.dtype))) == 0)
    return "its tensors are of 16 bits and its pixels are no multiple of 4";
  if (p.batch() * row_bytes >= kMostExtent * 16) return "the batch is too large";
  return "";
}

std::string pointwise_objection(const Problem& p, const Limits& limits) {
  if (p.direction == Direction::backward_weight) return "it computes no gradients of filters";
  if (p.x.dtype != Dtype::f32) return "its filter has one tap and its tensors are of 16 bits";
  if (std::string why = common_objection(p, limits); !why.empty()) return why;
  if (pixels_of(p) % 4 != 0) return "its pixels are no multiple of 4";
  return "";
}

}  // namespace atc::dense
