// A gradient of dense 2-D filters in channels first as its kernels see it. Shared by host and
// device, hence without the standard library.
//
// A tile is the gradient of 64 filters, 64 channels and up to 3 x 3 taps. One multiplication has
// the channels as rows and the filters as columns; its depth is two units, each of them sixteen
// bytes of neighbouring pixels of a row. A line is the pixels multiplied between two barriers: of a
// strip of columns, in `segments` images side by side, one row of outputs and `stride` rows of
// inputs, beginning with the row that the tile's first tap pairs with those outputs. The lines of a
// strip run from its first row of outputs to `lag` rows past its last; then comes the next strip.
// Tap r of a tile pairs inputs of line l, row r % stride, with outputs of line l - (r / stride) *
// tap_lag.
#pragma once

namespace atc::dense {

constexpr int kTileChannels = 64, kTileFilters = 64, kTileRows = 3, kTileColumns = 3;
constexpr int kWarpgroup = 128;
// A warpgroup for each column of a tile, and one that copies.
constexpr int kConsumers = kTileColumns * kWarpgroup, kThreads = kConsumers + kWarpgroup;
constexpr int kUnit = 16;  // bytes
// Bytes from one unit of all filters to the next: sixteen more than all filters take, so that
// neighbouring units are in different banks.
constexpr int kUnitPitch = kTileFilters * kUnit + kUnit;
constexpr int kMostDepth = 4;

struct WeightGeometry {
  int images = 0, channels = 0, filters = 0;
  int height = 0, width = 0, out_height = 0, out_width = 0;
  int rows = 1, columns = 1;  // of the filter
  int row_dilation = 1, column_dilation = 1;
  int pad_top = 0, pad_left = 0;
  int stride = 1;
  int copy_x = 0, copy_y = 0;  // bytes that are copied at once: 2, 4, 8 or 16

  int channel_blocks = 1, filter_blocks = 1, row_blocks = 1, column_blocks = 1;  // tiles

  int segments = 1, strips = 1;
  int units = 1;  // of outputs of a segment
  int steps = 1;  // multiplications of a line
  int lag = 0, tap_lag = 1;
  int strip_lines = 1;  // output rows plus `lag`
  int lines = 0, splits = 1;

  int depth = 2;          // lines of inputs in shared memory
  int y_lines = 0;        // lines of outputs there
  int x_units = 0;        // of inputs of a segment
  int segment_pitch = 0;  // bytes of inputs, from a segment to the next
  int x_pitch = 0;        // the same, from a channel to the next
  int x_line = 0, y_line = 0, y_at = 0;
};

// The sums of a split are its part, in fp32: [split][row][column][channel][filter], filled up to
// whole tiles. The sum of all parts goes where this says.
struct WeightOutput {
  long long strides[4] = {};  // filter, channel, row, column
  int accumulate = 0;
  int sharers = 1;  // warps that add one channel and 32 filters, each a share of the splits
};

constexpr int kSumThreads = 256, kSumWarps = kSumThreads / 32, kSumFilters = 32;  // of a block

}  // namespace atc::dense
