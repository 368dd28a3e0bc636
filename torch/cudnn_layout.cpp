#include "cudnn_layout.hpp"

#include <c10/core/MemoryFormat.h>

namespace atc_torch {

namespace {

using at::MemoryFormat;

// Returns the memory format that LibTorch sees in a new tensor with these sizes that was made in
// `format`. LibTorch looks only at the strides. If some extents are 1, the strides fit several
// formats, and LibTorch may see another format than `format`.
MemoryFormat seen_in_new(at::IntArrayRef sizes, MemoryFormat format) {
  const bool last = (format == MemoryFormat::ChannelsLast &&
                     c10::is_channels_last_strides_2d(
                         sizes, at::IntArrayRef(c10::get_channels_last_strides_2d(sizes)))) ||
                    (format == MemoryFormat::ChannelsLast3d &&
                     c10::is_channels_last_strides_3d(
                         sizes, at::IntArrayRef(c10::get_channels_last_strides_3d(sizes))));
  return last ? format : MemoryFormat::Contiguous;
}

// The next two functions return the memory format that LibTorch sees in the result of
// tensor.contiguous(format), and in the result of tensor.to(format).
MemoryFormat seen_in_contiguous(const at::Tensor& tensor, MemoryFormat format) {
  return tensor.is_contiguous(format) ? tensor.suggest_memory_format()
                                      : seen_in_new(tensor.sizes(), format);
}
MemoryFormat seen_in_converted(const at::Tensor& tensor, MemoryFormat format) {
  return tensor.suggest_memory_format() == format ? format : seen_in_new(tensor.sizes(), format);
}

// Returns the memory format that at::native::cudnn_conv_suggest_memory_format would return for two
// tensors with the formats `a` and `b`.
MemoryFormat joint(MemoryFormat a, MemoryFormat b) { return a != MemoryFormat::Contiguous ? a : b; }

}  // namespace

MemoryFormat format_by_cudnn(atc_direction direction, bool transposed, const Tensors& tensors,
                             MemoryFormat format) {
  const MemoryFormat of_x = seen_in_contiguous(tensors.x, format);
  const MemoryFormat of_w = tensors.w.suggest_memory_format();
  if (direction == ATC_FORWARD) return joint(of_x, of_w);
  const MemoryFormat of_y =
      transposed ? seen_in_contiguous(tensors.y, of_x) : seen_in_converted(tensors.y, of_x);
  return direction == ATC_BACKWARD_WEIGHT ? joint(of_x, of_y) : joint(of_y, of_w);
}

}  // namespace atc_torch
