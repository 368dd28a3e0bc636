// The arguments of backward-weight in dense 2-D convolutions (one group) with channels first. Host
// and device code share this header, so it does not use the standard library.
//
// A tile is a part of dw: 64 filters, 64 input channels and up to 3 x 3 taps. In a wgmma, M is the
// channels, N is the filters, and K is the pixels of two units. A unit is 16 bytes of neighbouring
// pixels of a row.
//
// The images are cut into strips of columns. A line is the data that a block multiplies between two
// barriers: for each of `segments` images, a strip's part of one row of outputs and of `stride`
// rows of inputs. The part of one image is a segment. The first of the input rows is the row that
// the tile's first row of taps reads for this row of outputs. Row r of a tile's taps multiplies the
// input row r % stride of line l by the outputs of line l - (r / stride) * tap_lag, which is line l
// or an earlier one. So `lag` lines without outputs follow the last row of outputs of a strip:
// their inputs are multiplied by the outputs of the lines before. Then the lines of the next strip
// begin.
#pragma once

namespace atc::dense {

constexpr int kTileChannels = 64, kTileFilters = 64, kTileRows = 3, kTileColumns = 3;
constexpr int kWarpgroup = 128;
// kConsumers: the number of consumer threads of a block, a warpgroup for each column of a tile's
// taps. kThreads: the number of all threads of a block. The last warpgroup is the producer, which
// copies.
constexpr int kConsumers = kTileColumns * kWarpgroup, kThreads = kConsumers + kWarpgroup;
constexpr int kUnit = 16;  // bytes of a unit
// In shared memory, outputs have the order [unit][filter]; a unit is 16 bytes of pixels. kUnitPitch
// is the distance in bytes from a unit of all filters to the next unit. It is 16 bytes more than
// the filters take, so that neighbouring units lie in different banks.
constexpr int kUnitPitch = kTileFilters * kUnit + kUnit;
constexpr int kMostDepth = 4;

struct WeightGeometry {
  int images = 0, channels = 0, filters = 0;
  int height = 0, width = 0, out_height = 0, out_width = 0;
  int rows = 1, columns = 1;  // the numbers of rows and of columns of a filter
  int row_dilation = 1, column_dilation = 1;
  int pad_top = 0, pad_left = 0;
  int stride = 1;
  // The number of bytes of x and of dy that one copy instruction copies: 2, 4, 8 or 16.
  int copy_x_bytes = 0, copy_y_bytes = 0;

  // The number of tiles of dw along each dimension.
  int channel_blocks = 1, filter_blocks = 1, row_blocks = 1, column_blocks = 1;

  int segments = 1, strips = 1;
  // The number of units (16 bytes of pixels) of outputs that a line has of one image.
  int units = 1;
  // The number of wgmma steps for one line. A step multiplies two units.
  int steps = 1;
  int lag = 0, tap_lag = 1;
  int strip_lines = 1;  // the number of lines of a strip: its rows of outputs + `lag`
  // `lines` is the number of lines (rows of outputs) in all images. They are cut into `splits`
  // parts, and a block sums one part (split-K).
  int lines = 0, splits = 1;

  // The number of lines for which shared memory has the inputs.
  int depth = 2;
  // The number of lines for which shared memory has the outputs.
  int y_lines = 0;
  // The number of units (16 bytes of pixels) of inputs that a line has of one image.
  int x_units = 0;
  // The distance in shared memory, in bytes, from the inputs of one image to those of the next
  // image.
  int segment_pitch_bytes = 0;
  // The distance in shared memory, in bytes, between two channels of inputs.
  int x_pitch_bytes = 0;
  int x_line_bytes = 0, y_line_bytes = 0, y_at = 0;
};

// The output of backward-weight, as an argument of the kernel that adds the partials. For each
// split, the first kernel writes partials in fp32: [split][row][column][channel][filter], filled up
// to whole tiles. The second kernel adds the partials of all splits and writes the sums into dw.
struct WeightOutput {
  // The strides of dw: of filter, channel, row and column, in elements.
  long long strides[4] = {};
  int accumulate = 0;
  // In the second kernel, this number of warps share the partials of one channel and 32 filters:
  // each warp adds the partials of some of the splits.
  int sharers = 1;
};

// The sizes of a block of the kernel that adds the partials: its threads, its warps and its
// filters.
constexpr int kSumThreads = 256, kSumWarps = kSumThreads / 32, kSumFilters = 32;

}  // namespace atc::dense
