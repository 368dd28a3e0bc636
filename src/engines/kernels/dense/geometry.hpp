// A convolution as the dense kernels see it: channels first, stride 1, one group; backward-data is
// such a convolution of y, with rows and channels of the filters swapped and their taps from last
// to first. Shared by host and device, hence without the standard library.
//
// Outputs and inputs lie on one raster of positions: images one after the other, each of
// `image_rows` rows of `pitch` positions, so wide and so many that a tap never reaches from a row
// or an image into pixels of the next. Output (p, q) of an image and input (p - pad_h, q - pad_w)
// share a position, and tap (r, s) of an output is the input r * tap_row + s * tap_column positions
// on. A tile is a run of consecutive positions, including any between images, for some rows of the
// filter matrix. Wide images may be cut into strips of columns, each of which is an image of the
// raster.
#pragma once

namespace atc::dense {

constexpr int kWarpgroup = 128;  // threads
constexpr int kRows = 64;        // of the filter matrix, for a warpgroup
constexpr int kUnit = 8;         // channels of a position that lie together in shared memory
constexpr int kUnitBytes = 16;
constexpr int kMostStages = 4;
constexpr int kSliceColumns = 64;  // a block that adds parts has so many of a cut tile
// Shared memory begins with two barriers of eight bytes for each stage.
constexpr int kBarrierBytes = 2 * 8 * kMostStages;

// For dividends of 0 to 2^31 - 1: dividend * factor >> shift is the quotient.
struct Divisor {
  unsigned factor = 1;
  int shift = 0;
};
constexpr Divisor divisor(int value) {
  int bits = 0;
  while ((1ll << bits) < value) ++bits;
  return {static_cast<unsigned>(((1ull << (31 + bits)) + static_cast<unsigned>(value) - 1) /
                                static_cast<unsigned>(value)),
          31 + bits};
}

struct Geometry {
  // The tensor that is read ("in") and the one that is written ("out").
  long long in_image = 0, out_image = 0;  // elements
  int in_plane = 0, out_plane = 0;
  int in_channels = 0, out_channels = 0;
  int in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  int images = 0;

  int pad_h = 0, pad_w = 0;
  int taps_h = 0, taps_w = 0;
  int tap_row = 0, tap_column = 0;  // positions
  int pitch = 0, image_rows = 0;
  int strips = 1, strip_width = 0;            // of each image; output columns of one
  Divisor per_image, per_row, per_pitch;      // by positions of a strip, by image_rows, by pitch
  Divisor per_strip, per_line, per_row_tile;  // by strips, by pairs of a line, by row_tiles

  int has_bias = 0, relu = 0, accumulate = 0;

  // Whether two neighbouring pixels are one aligned word, and are loaded or stored as one.
  int paired = 0, out_paired = 0;

  // Tiles, of which a block computes one after the other.
  int tasks = 0;  // tiles computed whole, then parts of the others
  int whole_tiles = 0;
  int row_tiles = 0;  // tiles of the same positions
  int tile_rows = 0, tile_columns = 0;
  int group_columns = 0;  // columns of a warpgroup
  int splits = 1;         // parts of a cut tile
  int split_chunks = 0;
  int halo_positions = 0;  // positions that a tile reads
  int slots = 0;           // loads of a unit: one for each position or, if `paired`, pair of them
  int steps = 0;           // loads of a thread for a chunk
  int chunks = 0;          // of input channels; a stage holds one
  int chunk_units = 0;     // units of a chunk, an even number
  int stages = 0;
  int keeps_filters = 0;  // 1: filters have a place for each chunk, 0: for each stage
  int filter_bytes = 0;   // of a chunk
  int stage_bytes = 0;    // of a chunk's positions
  // Offsets in shared memory, bytes.
  int slots_at = 0, out_tables_at = 0, staging_at = 0, filters_at = 0, stages_at = 0;
};

// Bytes of shared memory by way of which a warpgroup stores its columns, eight rows of each warp at
// once.
constexpr int kRowsAtOnce = 8, kBankPadding = 8;
constexpr int staging_bytes(int columns) {
  return kWarpgroup / 32 * kRowsAtOnce * (columns + kBankPadding) * 2;
}

// For dividends below 2^16, the upper word of dividend times reciprocal is the quotient; 0 for a
// divisor of 1.
constexpr unsigned reciprocal(int divisor) {
  return divisor == 1 ? 0 : static_cast<unsigned>((1ull << 32) / divisor + 1);
}

// Filters in the caller's memory: element (k, c, r, s) is at k * strides[0] + ... .
struct FilterView {
  long long strides[4] = {};
  int rows = 0, channels = 0;  // of the matrix: k and c, or where `turned` c and k
  int taps_h = 0, taps_w = 0;
  unsigned per_tap = 0, per_column = 0;  // reciprocals of the taps, and of taps_w
  int turned = 0;                        // backward-data; taps also run from last to first
  int tile_rows = 0, chunk_units = 0, chunks = 0;
};

}  // namespace atc::dense
