// A convolution as the implicit-GEMM kernels see it: two spatial dimensions, in one direction of
// the data. Host and device code share this header, so it does not use the standard library.
//
// The kernels multiply chunks of sixteen bytes. A chunk is consecutive channels of a group of one
// pixel, filled up with zeros. The filters are a matrix with a row for each output channel; a row
// has the chunks of each tap. If a group has up to four channels of 16 bits, a chunk is two
// neighbouring taps of a filter row with four channels each ("paired").
#pragma once

namespace atc::implicit {

constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kChunk = 16;  // bytes
constexpr int kMostPhases =
    4;  // the most phases of a dimension, which is the largest stride of backward-data

// One dimension of a phase: the outputs phase + i * out_step. Output i reads, for tap t, input i *
// step + start + t * spacing. That tap is element filter_start + t * filter_step of the filter.
struct Axis {
  int outputs = 0, taps = 0;
  int start = 0, spacing = 1;
  int filter_start = 0, filter_step = 1;
};

// Element (n, c, h, w) of a dense tensor lies at n * image + c * channel + (h * width + w) * pixel.
struct View {
  long long image = 0;
  int channel = 0, pixel = 0, height = 0, width = 0;
  // If the tensor is read: the chunks of a group are full, and aligned in memory. If the tensor is
  // written: chunks are aligned at the beginning of a pixel (channels last) or of a plane (channels
  // first).
  int vectors = 0;
  // Channels first, 16 bits: each row (if the tensor is read) or each plane (if it is written)
  // begins with an aligned pair of elements.
  int twos = 0;
};

struct Geometry {
  View in, out;
  int groups = 0, group_in = 0, group_out = 0;  // group_*: channels of a group
  int step = 1, out_step = 1;
  int phases_h = 1, phases_w = 1;
  Axis rows[kMostPhases], columns[kMostPhases];
  int tap_chunks = 0;  // the number of chunks of a tap, or of a pair of taps
  int paired = 0;
  int has_bias = 0, relu = 0;
  int channels_first = 0;

  // The outputs of a block: a tile of one phase of an image, for `block_groups` groups, or for a
  // part of one group. A warp has one unit (a range) of output channels.
  int tile_h = 0, tile_w = 0, tiles_h = 0, tiles_w = 0;
  int block_groups = 0, group_blocks = 0;
  int units = 0;        // units of a group in a block
  int unit_blocks = 0;  // blocks that share a group
  int block_units = 0;  // the number of units that a block computes: a divisor of kWarps

  // Places in shared memory, in bytes: a table of the chunks' offsets, the filters, the input's
  // tile.
  int filters_at = 0, halo_at = 0;
  int filter_pitch_bytes = 0, stage_chunks = 0, stage_bytes = 0;
  int filter_shift = 0;  // the logarithm of the number of threads that copy a row of a stage: 1 <<
                         // filter_shift threads
  int pixel_pitch_bytes = 0, row_pitch_bytes = 0;
  int shifted_copy_bytes = 0;  // distance in bytes from the halo to its copy that is shifted by one
                               // pixel; 0: there is no such copy

  // For each phase, the distance in bytes of its filters from those of the first phase.
  long long phase_filter_bytes[kMostPhases * kMostPhases] = {};
};

// The gradient of the filter. The outputs are read, and each split writes its partial sums.
struct GradientGeometry {
  Geometry g;
  int images = 0;
  int splits = 0, row_blocks = 0;       // row_blocks: blocks that share the taps' chunks
  int out_at = 0, out_pitch_bytes = 0;  // offset and pitch of the tile of outputs in shared memory
  int pixels_at = 0, zeros_at = 0;
  int out_chunks = 0;  // of a group's output channels
};

// Filters in the caller's memory: element (k, c, r, s) is at k * strides[0] + ... .
struct FilterView {
  long long strides[4] = {};
  int transposed = 0;  // set for backward-data; then k are the channels that are read, and c those
                       // that are written
};

constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }
constexpr int chunks_of(const Geometry& g, const Axis& rows, const Axis& columns) {
  return rows.taps * (g.paired ? (columns.taps + 1) / 2 : columns.taps) * g.tap_chunks;
}

}  // namespace atc::implicit
