// The arguments of the kernels of `implicit` (an implicit GEMM): a convolution with two spatial
// dimensions, in one direction. In forward and backward-data, "in" is the tensor that is read and
// "out" is the tensor that is written. Host and device code share this header, so it does not use
// the standard library.
//
// The kernels multiply chunks of 16 bytes. A chunk has consecutive channels of one pixel and one
// group. If a group has too few channels for its last chunk, the rest of the chunk is zeros. The
// filters are a matrix with a row for each output channel; a row has the chunks of all taps. For
// first layers of up to four channels of 16 bits, a chunk has the four channels of two neighbouring
// taps ("paired").
//
// In backward-data, a phase is the outputs whose coordinates have the same remainder modulo the
// stride. Each phase uses only some of the taps. Forward and backward-weight have one phase.
#pragma once

namespace atc::implicit {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kChunk = 16;  // the bytes of a chunk
// The most phases of a dimension: the largest stride of backward-data.
constexpr int kMostPhases = 4;

// One dimension of the outputs of one phase (the outputs whose coordinates have the same remainder
// modulo the stride). The phase has the outputs phase + i * out_step. With tap t, output i reads
// the input i * step + start + t * spacing, and multiplies it by the element filter_start + t *
// filter_step of the filter.
struct Axis {
  int outputs = 0, taps = 0;
  int start = 0, spacing = 1;
  int filter_start = 0, filter_step = 1;
};

// A dense tensor: element (n, c, h, w) is at n * image + c * channel + (h * width + w) * pixel,
// counted in elements.
struct View {
  long long image = 0;
  int channel = 0, pixel = 0, height = 0, width = 0;
  // 1 if 16 bytes can be copied at once, otherwise 0. For a tensor that is read, the condition is
  // that a group has whole chunks (16 bytes) of channels, which are aligned in memory. For a tensor
  // that is written, it is that each pixel (channels last) or each plane (channels first) begins at
  // a multiple of 16 bytes.
  int vectors = 0;
  // 1 if two elements can be copied at once (only channels first with 16 bits), otherwise 0. For a
  // tensor that is read, the condition is that each row begins at a multiple of 4 bytes; for a
  // tensor that is written, that each plane does.
  int twos = 0;
};

struct Geometry {
  View in, out;
  // group_in and group_out are the numbers of input and output channels of one group.
  int groups = 0, group_in = 0, group_out = 0;
  int step = 1, out_step = 1;
  int phases_h = 1, phases_w = 1;
  Axis rows[kMostPhases], columns[kMostPhases];
  // The number of chunks (16 bytes) of one tap or, if `paired` is set, of two taps.
  int tap_chunks = 0;
  int paired = 0;
  int has_bias = 0, relu = 0;
  int channels_first = 0;

  // A block computes a tile of the outputs of one phase of an image, for `block_groups` groups of
  // the convolution. If a group has too many channels for a block, the block computes a part of one
  // group. A warp computes one unit: up to 32 output channels of a group.
  int tile_h = 0, tile_w = 0, tiles_h = 0, tiles_w = 0;
  int block_groups = 0, group_blocks = 0;
  // The number of units (channels that a warp computes) of one group that a block computes.
  int units = 0;
  // The number of blocks that share the output channels of a group.
  int unit_blocks = 0;
  // The number of units (channels that a warp computes) that a block computes, in all of its
  // groups. It is a divisor of kWarps.
  int block_units = 0;

  // filters_at, halo_at: the offsets in shared memory, in bytes, of the filters and of the halo
  // (the tile's input). At 0 is a table with the offset of the input of each chunk (16 bytes of K).
  // A stage is `stage_chunks` chunks of each row of the filters.
  int filters_at = 0, halo_at = 0;
  int filter_pitch_bytes = 0, stage_chunks = 0, stage_bytes = 0;
  // 1 << filter_shift threads together copy one row of filters of a stage.
  int filter_shift = 0;
  int pixel_pitch_bytes = 0, row_pitch_bytes = 0;
  // The distance in bytes from the halo (the tile's input) to a second copy of it, which is shifted
  // by one pixel; 0 if there is no second copy.
  int shifted_copy_bytes = 0;

  // For each phase of backward-data (outputs with the same remainder modulo the stride): the offset
  // in bytes of its packed filters from the packed filters of the first phase.
  long long phase_filter_bytes[kMostPhases * kMostPhases] = {};
};

// The arguments of backward-weight. x is g.in, and dy is g.out. The sum over pixels is cut into
// `splits` parts (split-K); for each part, partials are written.
struct GradientGeometry {
  Geometry g;
  int images = 0;
  // `splits` is the number of parts of the sum over pixels. row_blocks is the number of blocks that
  // share the elements of a filter (M).
  int splits = 0, row_blocks = 0;
  // The place of the tile of dy in shared memory, and the bytes that one pixel takes there.
  int out_at = 0, out_pitch_bytes = 0;
  int pixels_at = 0, zeros_at = 0;
  // The number of chunks (16 bytes) of the output channels of a group.
  int out_chunks = 0;
};

// The filters in the caller's memory: element (k, c, r, s) is at k * strides[0] + c * strides[1] +
// r * strides[2] + s * strides[3], counted in elements. k is an output channel of the forward
// convolution, and c an input channel.
struct FilterView {
  long long strides[4] = {};
  // 1 for backward-data: the channels k are read, and the channels c are written. Otherwise 0.
  int transposed = 0;
};

constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }
constexpr int chunks_of(const Geometry& g, const Axis& rows, const Axis& columns) {
  return rows.taps * (g.paired ? (columns.taps + 1) / 2 : columns.taps) * g.tap_chunks;
}

}  // namespace atc::implicit
