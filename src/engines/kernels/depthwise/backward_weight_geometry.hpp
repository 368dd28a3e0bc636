// A depthwise gradient of weights as its kernels see it: three spatial dimensions, leading ones of
// extent 1. Shared by host and device, hence without the standard library.
#pragma once

namespace atc::depthwise {

// Tensors of any strides and a window of any stride, dilation and padding.
struct WeightProblem {
  long long x_strides[5] = {}, y_strides[5] = {};  // batch, channel, depth, height, width
  int batch = 0, channels = 0, multiplier = 1;  // channel k of y is of channel k / multiplier of x
  int in[3] = {}, out[3] = {}, kernel[3] = {}, stride[3] = {}, dilation[3] = {}, pad[3] = {};
};

// Dense tensors of one layout, no dilation of height and width, one filter a channel. An image is
// the plane of one sample and one output depth; a task is a strip of columns in a band of rows of
// an image. A split adds up `tasks_of_split` tasks; a tap group is a depth of the filter and a tile
// of its rows and columns.
struct WeightTasks {
  int images = 0, channels = 0;
  int in_depth = 1, out_depth = 1, depth_stride = 1, depth_dilation = 1, depth_pad = 0;
  int in_height = 1, out_height = 1, kernel_height = 1, pad_height = 0;
  int in_width = 1, out_width = 1, kernel_width = 1, pad_width = 0;
  int kernel_depth = 1, row_tiles = 1, column_tiles = 1;
  int strips = 1, bands = 1, band_height = 1;
  int tasks = 0, tasks_of_split = 0;
  int vectors_of_block = 0;  // channels last: vectors of channels that a block has
};

// Partial sums in fp32, a set for each split: [tap][channel] or [channel][tap].
struct WeightPartials {
  int channels = 0, taps = 0, splits = 0;
  int tap_major = 0;
  int accumulate = 0;
  int dtype = 0, output_dtype = 0;  // atc::Dtype of x and y, and of w
};

}  // namespace atc::depthwise
