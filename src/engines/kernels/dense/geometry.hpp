// The arguments of forward and backward-data of the engine `dense`: channels first, stride 1, one
// group. Backward-data is computed as a convolution of dy: rows and columns of the filter matrix
// are swapped, and the taps run from last to first. Host and device code share this header, so it
// does not use the standard library.
//
// Outputs and inputs lie on one raster of positions. On the raster, the images follow one another;
// each image has `image_rows` rows of `row_positions` positions. There are zeros between the rows
// and between the images, so that a tap that reaches beyond a row or an image reads a zero and not
// a pixel of the next row or image. Output (p, q) of an image and input (p - pad_h, q - pad_w) have
// the same position. Tap (r, s) of an output reads the input that is r * tap_row_positions + s *
// tap_column_positions positions after the output. A tile is a run of consecutive positions, for
// some rows of the filter matrix. Positions between images are computed, too, but not stored. A
// wide image may be cut into strips of columns; each strip then counts as an image of the raster.
#pragma once

namespace atc::dense {

constexpr int kWarpgroup = 128;  // threads of a warpgroup
// M of a wgmma: the number of rows of the filter matrix that a warpgroup computes.
constexpr int kRows = 64;
// The number of channels of a unit. They are contiguous in shared memory, for each position.
constexpr int kUnit = 8;
constexpr int kUnitBytes = 16;
constexpr int kMostStages = 4;
// The number of columns of a tile that one block adds, in the kernel that adds the partials of
// split tiles.
constexpr int kSliceColumns = 64;
// Shared memory begins with the barriers: for each stage a full and an empty barrier of 8 bytes.
constexpr int kBarrierBytes = 2 * 8 * kMostStages;

// A divisor for divisions by multiplication. If the dividend is from 0 to 2^31 - 1, the quotient is
// dividend * factor >> shift.
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
  // "in" is the tensor that the kernel reads, "out" is the tensor that it writes. A name that ends
  // in _image is the number of elements of one image. A name that ends in _plane is the number of
  // elements of one channel of an image.
  // The number of elements of one image.
  long long in_image = 0, out_image = 0;
  int in_plane = 0, out_plane = 0;
  int in_channels = 0, out_channels = 0;
  int in_height = 0, in_width = 0, out_height = 0, out_width = 0;
  int images = 0;

  int pad_h = 0, pad_w = 0;
  int taps_h = 0, taps_w = 0;
  int tap_row_positions = 0, tap_column_positions = 0;
  int row_positions = 0, image_rows = 0;
  // `strips` is the number of strips of columns of each image, and strip_width is the number of
  // columns of outputs of a strip.
  int strips = 1, strip_width = 0;
  // Three reciprocals, for divisions by multiplication. per_image divides by the number of
  // positions of a strip of an image, per_row by image_rows, and per_row_positions by
  // row_positions.
  Divisor per_image, per_row, per_row_positions;
  // Three reciprocals, for divisions by multiplication. per_strip divides by `strips`, per_line by
  // the number of pairs of pixels of a row of the raster, and per_row_tile by row_tiles.
  Divisor per_strip, per_line, per_row_tile;

  int has_bias = 0, relu = 0, accumulate = 0;

  // 1 if two neighbouring pixels are an aligned word of 4 bytes, so that one instruction loads
  // (paired) or stores (out_paired) both of them.
  int paired = 0, out_paired = 0;

  // A block is persistent: it computes one task after the other. A task is a whole tile or, if the
  // sum of a tile is split (split-K), one part of a tile.
  int tasks = 0;  // the number of all tasks of all blocks
  // The number of tiles that are not split. They are the first tasks; the parts of the split tiles
  // are the next tasks.
  int whole_tiles = 0;
  // The number of tiles that have the same positions but different filters.
  int row_tiles = 0;
  int tile_rows = 0, tile_columns = 0;
  int group_columns = 0;  // the number of columns of a tile that a warpgroup computes
  // The number of parts into which the sum of a split tile is cut. A part has split_chunks chunks
  // of channels.
  int splits = 1;
  int split_chunks = 0;
  int halo_positions = 0;  // the number of positions of the input that a tile reads
  // The number of loads that a tile needs for 8 channels: one for each position or, if `paired`,
  // for each pair of positions.
  int slots = 0;
  // The number of loads of a producer thread for one chunk of channels.
  int steps = 0;
  // The number of chunks of input channels. A stage contains one chunk.
  int chunks = 0;
  // The number of units of 8 channels of a chunk. It is even.
  int chunk_units = 0;
  int stages = 0;
  // 1 if a block loads the filters of all chunks of channels once and keeps them in shared memory.
  // 0 if shared memory only contains the filters of the chunks that are in the stages.
  int keeps_filters = 0;
  // The bytes that the filters of a chunk of channels take in shared memory.
  int filter_bytes = 0;
  // The bytes that the input of a chunk of channels takes in shared memory.
  int stage_bytes = 0;
  // Offsets in shared memory, in bytes. The comment at the top of convolve.cu says what is at each
  // offset.
  int slots_at = 0, out_tables_at = 0, staging_at = 0, filters_at = 0, stages_at = 0;
};

// A warpgroup first writes its outputs to shared memory, and then stores them from there.
// kRowsAtOnce: the number of rows of each warp that are in this memory at a time. kBankPadding: the
// number of unused elements after each row, which avoid bank conflicts.
constexpr int kRowsAtOnce = 8, kBankPadding = 8;
// Returns the number of bytes of shared memory that a warpgroup needs to store a tile of `columns`
// columns.
constexpr int staging_bytes(int columns) {
  return kWarpgroup / 32 * kRowsAtOnce * (columns + kBankPadding) * 2;
}

// Returns a factor for a division by multiplication: for a dividend below 2^16, the quotient is the
// upper 32 bits of dividend * factor. For the divisor 1 there is no such factor: the function
// returns 0, and the caller must use the dividend as the quotient.
constexpr unsigned reciprocal(int divisor) {
  return divisor == 1 ? 0 : static_cast<unsigned>((1ull << 32) / divisor + 1);
}

// Describes the filters in the caller's memory: element (k, c, r, s) is at k * strides[0] + c *
// strides[1] + r * strides[2] + s * strides[3], counted in elements.
struct FilterView {
  long long strides[4] = {};
  // The size of the filter matrix: k x c or, if `turned` is set, c x k.
  int rows = 0, channels = 0;
  int taps_h = 0, taps_w = 0;
  // The values of reciprocal() for the number of taps, and for taps_w.
  unsigned per_tap = 0, per_column = 0;
  // 1 for backward-data: the matrix is transposed, and the taps are in reverse order.
  int turned = 0;
  int tile_rows = 0, chunk_units = 0, chunks = 0;
};

}  // namespace atc::dense
