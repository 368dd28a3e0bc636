// The arguments of the kernels of depthwise backward-weight. There are always three spatial
// dimensions. If the problem has fewer, the first extents are 1. Host and device code share this
// header, so it does not use the standard library.
#pragma once

namespace atc::depthwise {

// The problem as an argument of two kernels: the kernel without tiles and the kernel that adds
// partials. Tensors may have any strides, and windows any stride, dilation and padding.
struct WeightProblem {
  // The strides of x and y: of batch, channel, depth, height and width.
  long long x_strides[5] = {}, y_strides[5] = {};
  // Channel k of y (and of dw) is computed from channel k / multiplier of x.
  int batch = 0, channels = 0, multiplier = 1;
  int in[3] = {}, out[3] = {}, kernel[3] = {}, stride[3] = {}, dilation[3] = {}, pad[3] = {};
};

// The problem as an argument of the kernels with tiles (parts of a filter). They need dense tensors
// of one layout, one filter for each channel, and no dilation of height and width. An image is the
// plane of one sample at one output depth. A task is a strip of columns in a band of rows of an
// image. A split is a part of the sum (split-K): it adds up `tasks_of_split` tasks. A tap group is
// the taps that a thread sums at once: one depth of the filter, and a tile of its rows and columns.
struct WeightTasks {
  int images = 0, channels = 0;
  int in_depth = 1, out_depth = 1, depth_stride = 1, depth_dilation = 1, depth_pad = 0;
  int in_height = 1, out_height = 1, kernel_height = 1, pad_height = 0;
  int in_width = 1, out_width = 1, kernel_width = 1, pad_width = 0;
  int kernel_depth = 1, row_tiles = 1, column_tiles = 1;
  int strips = 1, bands = 1, band_height = 1;
  int tasks = 0, tasks_of_split = 0;
  // The number of vectors of channels that a block computes. Used only for channels last.
  int vectors_of_block = 0;
};

// Describes the partial sums of all splits (parts of the sum), which are fp32. The sums of a split
// are in the order [tap][channel] if `tap_major` is set, otherwise in the order [channel][tap].
struct WeightPartials {
  int channels = 0, taps = 0, splits = 0;
  int tap_major = 0;
  int accumulate = 0;
  // The dtype of x and y, and the dtype of w, as values of atc::Dtype.
  int dtype = 0, output_dtype = 0;
};

}  // namespace atc::depthwise
