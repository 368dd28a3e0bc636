// A gradient of dense 2-D filters in channels first, as its kernels see it. Host and device code
// share this header, so it does not use the standard library.
//
// A tile is the gradient of 64 filters, 64 channels and up to 3 x 3 taps. One multiplication has
// the channels as rows and the filters as columns. Its depth is two units; a unit is sixteen bytes
// of neighbouring pixels of a row. A line is the pixels that are multiplied between two barriers:
// in a strip of columns of `segments` images side by side, one row of outputs and `stride` rows of
// inputs. The first of these input rows is the one that the tile's first tap pairs with these
// outputs. The lines of a strip run from its first row of outputs to `lag` rows after its last row;
// then the next strip follows. Tap r of a tile pairs row r % stride of the inputs of line l with
// the outputs of line l - (r / stride) * tap_lag.
#pragma once

namespace atc::dense {

constexpr int kTileChannels = 64, kTileFilters = 64, kTileRows = 3, kTileColumns = 3;
constexpr int kWarpgroup = 128;
// A consumer warpgroup for each column of a tile, and one warpgroup that copies (the producer).
constexpr int kConsumers = kTileColumns * kWarpgroup, kThreads = kConsumers + kWarpgroup;
constexpr int kUnit = 16;  // bytes
// Bytes from one unit of all filters to the next one: sixteen more than all filters take, so that
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
  int copy_x_bytes = 0, copy_y_bytes = 0;  // the bytes that one instruction copies: 2, 4, 8 or 16

  int channel_blocks = 1, filter_blocks = 1, row_blocks = 1, column_blocks = 1;  // tiles

  int segments = 1, strips = 1;
  int units = 1;  // of outputs of a segment
  int steps = 1;  // multiplications of a line
  int lag = 0, tap_lag = 1;
  int strip_lines = 1;  // output rows plus `lag`
  int lines = 0, splits = 1;

  int depth = 2;                // the number of lines of inputs that shared memory holds
  int y_lines = 0;              // lines of outputs there
  int x_units = 0;              // of inputs of a segment
  int segment_pitch_bytes = 0;  // distance in bytes between two segments of inputs
  int x_pitch_bytes = 0;        // distance in bytes between two channels of inputs
  int x_line_bytes = 0, y_line_bytes = 0, y_at = 0;
};

// The places where sums are written. Each split writes its partial sums in fp32:
// [split][row][column][channel][filter], filled up to whole tiles. The sum of all splits is written
// into a tensor with these strides.
struct WeightOutput {
  long long strides[4] = {};  // filter, channel, row, column
  int accumulate = 0;
  int sharers = 1;  // the number of warps that divide the splits of one channel and 32 filters
                    // among themselves
};

constexpr int kSumThreads = 256, kSumWarps = kSumThreads / 32, kSumFilters = 32;  // of a block

}  // namespace atc::dense
