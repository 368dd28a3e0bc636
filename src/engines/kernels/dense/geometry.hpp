// A convolution as the dense kernels see it: channels first, stride 1, one group. Backward-data is
// such a convolution of y: rows and columns of the filter matrix are swapped, and the taps run from
// last to first. Host and device code share this header, so it does not use the standard library.
//
// Outputs and inputs lie on one raster of positions. The raster has the images one after the other;
// each image has `image_rows` rows of `row_positions` positions. The raster is so wide and so high
// that a tap never reaches from a row or an image into pixels of the next one. Output (p, q) of an
// image and input (p - pad_h, q - pad_w) have the same position. Tap (r, s) of an output reads the
// input that is r * tap_row_positions + s * tap_column_positions positions later. A tile is a run
// of consecutive positions, including positions between images, for some rows of the filter matrix.
// A wide image may be cut into strips of columns; each strip counts as an image of the raster.
#pragma once

namespace atc::dense {

constexpr int kWarpgroup = 128;  // threads
constexpr int kRows = 64;        // the number of rows of the filter matrix that a warpgroup
                                 // computes
constexpr int kUnit = 8;         // the number of channels of a position that lie together in shared
                                 // memory
constexpr int kUnitBytes = 16;
constexpr int kMostStages = 4;
constexpr int kSliceColumns = 64;  // the number of columns of a split tile that a block of the
                                   // adding kernel adds
// Shared memory begins with two barriers of eight bytes for each stage.
constexpr int kBarrierBytes = 2 * 8 * kMostStages;

// A division by multiplication: for dividends from 0 to 2^31 - 1 the quotient is dividend * factor
// >> shift.
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
  int tap_row_positions = 0, tap_column_positions = 0;
  int row_positions = 0, image_rows = 0;
  int strips = 1, strip_width = 0;  // the number of strips of each image, and of output columns in
                                    // a strip
  Divisor per_image, per_row,
      per_row_positions;  // reciprocals for divisions by the positions of a strip, by image_rows
                          // and by row_positions
  Divisor per_strip, per_line,
      per_row_tile;  // reciprocals for divisions by strips, by the pairs of a line and by row_tiles

  int has_bias = 0, relu = 0, accumulate = 0;

  // Whether two neighbouring pixels form one aligned word, and are loaded (paired) or stored
  // (out_paired) together.
  int paired = 0, out_paired = 0;

  // A block computes several tiles, one after the other.
  int tasks = 0;  // the number of tasks: tiles that are computed whole, and parts of split tiles
  int whole_tiles = 0;
  int row_tiles = 0;  // tiles of the same positions
  int tile_rows = 0, tile_columns = 0;
  int group_columns = 0;  // columns of a warpgroup
  int splits = 1;         // parts of a cut tile
  int split_chunks = 0;
  int halo_positions = 0;  // positions that a tile reads
  int slots = 0;  // the number of loads for a unit: one for each position or, if `paired`, for each
                  // pair of positions
  int steps = 0;  // loads of a thread for a chunk
  int chunks = 0;       // the number of chunks of input channels; a stage holds one chunk
  int chunk_units = 0;  // the number of units of 8 channels in a chunk, which is even
  int stages = 0;
  int keeps_filters = 0;  // set if shared memory has room for the filters of all chunks; 0: only
                          // for those of the stages
  int filter_bytes = 0;   // of a chunk
  int stage_bytes = 0;    // of a chunk's positions
  // Offsets in shared memory, bytes.
  int slots_at = 0, out_tables_at = 0, staging_at = 0, filters_at = 0, stages_at = 0;
};

// Bytes of shared memory through which a warpgroup stores its columns, eight rows of each warp at a
// time.
constexpr int kRowsAtOnce = 8, kBankPadding = 8;
constexpr int staging_bytes(int columns) {
  return kWarpgroup / 32 * kRowsAtOnce * (columns + kBankPadding) * 2;
}

// A division by multiplication: for dividends below 2^16 the quotient is the upper word of dividend
// times reciprocal. For a divisor of 1 the reciprocal is 0, which means that no division is needed.
constexpr unsigned reciprocal(int divisor) {
  return divisor == 1 ? 0 : static_cast<unsigned>((1ull << 32) / divisor + 1);
}

// Filters in the caller's memory: element (k, c, r, s) is at k * strides[0] + ... .
struct FilterView {
  long long strides[4] = {};
  int rows = 0, channels = 0;  // size of the matrix: k and c, or c and k if `turned`
  int taps_h = 0, taps_w = 0;
  unsigned per_tap = 0, per_column = 0;  // reciprocals of the number of taps, and of taps_w
  int turned = 0;  // set for backward-data; then the taps are also used in reverse order
  int tile_rows = 0, chunk_units = 0, chunks = 0;
};

}  // namespace atc::dense
