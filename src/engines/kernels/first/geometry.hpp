// The arguments of the kernels of `first`: convolutions with up to four input channels and two
// spatial dimensions. Host and device code share this header, so it does not use the standard
// library.
//
// The input lies in shared memory in the order of device memory: in rows of elements. With channels
// first, each channel has a plane of rows. With channels last, there is one plane, and the channels
// of a pixel are neighbours. K of the matrix product is a list of slots. A slot is a 32-bit word of
// a row (one element of 32 bits, or two of 16 bits). Its offset is counted from the beginning of an
// output's window, the inputs that the output reads.
#pragma once

namespace atc::first {

// The most input channels that the kernels of `first` can compute.
constexpr int kMostChannels = 4;
constexpr int kThreads = 256, kWarps = kThreads / 32;
// The number of pixels that all warps of a block multiply at once (a pass).
constexpr int kPass = 256;
// The number of pixels that one warp multiplies at once.
constexpr int kWarpPixels = 32;
// The number of slots (32-bit words) that one mma multiplies: its K.
constexpr int kStepSlots = 8;
// Backward-weight: the number of pixels of a tile is rounded up to a multiple of this number.
constexpr int kGradientPixels = 16;

// With channels first, the outputs that a block computes at once (a pass) may be written to shared
// memory before they are stored. Returns the distance in bytes from a channel to the next channel
// in shared memory. With this distance, neither the writes nor the reads of a warp have bank
// conflicts.
constexpr int outputs_pitch_bytes(int element) {
  return kPass * element + (element == 2 ? 16 : 32);
}

constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }

// The input tensor in device memory, and the layout in shared memory of the part of it that a tile
// reads.
struct Input {
  long long image = 0;  // the number of elements of an image of the input
  // `planes` is the number of planes of an image: one for each channel (channels first), or 1.
  // `plane` and `row` are the numbers of elements of a plane and of a row.
  int planes = 1, plane = 0, row = 0;
  int height = 0;
  // The number of elements from a pixel of a row to the next pixel.
  int pixel = 1;
  // The distance between the first inputs of two neighbouring outputs: step_h in rows, `step` in
  // elements.
  int step_h = 1, step = 1;
  // The padding before the first input: pad_h in rows, `pad` in elements.
  int pad_h = 0, pad = 0;
  // The number of elements that a row in shared memory has before the image's element tile.column *
  // step.
  int lead = 0;
  // The most elements of a row, and the most rows, of a tile's input.
  int width = 0, rows = 0;
  int row_pitch_bytes = 0, plane_pitch_bytes = 0;
  // The number of bytes that one instruction copies. 0: elements are copied one by one.
  int copy_bytes = 0;
};

struct Filters {
  int channels = 0, height = 0, width = 0;
  int dilation_h = 1, dilation_w = 1;
  // Element (k, c, r, s) of w is at k * strides[0] + c * strides[1] + r * strides[2] + s *
  // strides[3], counted in elements.
  long long strides[4] = {};
};

// The sum of an output is a list of slots. A slot is a 32-bit word of the inputs that the output
// reads. A run is the neighbouring elements of a row that belong to the sum: all taps of a filter's
// row or, if dilation separates the taps, a single tap.
struct Slots {
  int element_bytes = 0;
  // A run is neighbouring elements of a row. 1 if the first slot (32-bit word) of a run that begins
  // at an even offset begins one element before the run; otherwise 0.
  int shift = 0;
  int runs = 0, run_elements = 0, run_slots = 0;
  int count = 0;
};

struct Geometry {
  Input x;
  Filters w;
  Slots slots;
  int images = 0, channels = 0, channel_blocks = 1;  // channels: output channels
  // the number of rows and of columns of an output image
  int height = 0, width = 0;
  long long y_image = 0;
  int y_channel = 0, y_pixel = 0;
  // The number of elements of the output that one instruction stores.
  int vector = 1;
  // 1 if neighbouring lanes compute every second pixel (only channels last), otherwise 0.
  int interleaved = 0;
  int has_bias = 0, relu = 0;

  // A tile is `pixels` consecutive pixels of an image (if `flat` is set) or a rectangle of tile_h x
  // tile_w pixels.
  int flat = 0, tile_h = 0, tile_w = 0, pixels = 0;
  int tiles_w = 0, tiles = 0;   // the number of tiles of an image: in a row, and of the whole image
  unsigned tile_w_inverse = 0;  // inverse_of(tile_w)

  // `steps` is the number of steps of K. A step of tensor cores multiplies 8 slots (32-bit words),
  // a step of FFMA one slot. The members named …_at are offsets in shared memory, in bytes. The
  // table of slots is at 0.
  int steps = 0;
  // If outputs are written to shared memory before they are stored: their offset there, in bytes. 0
  // if outputs are stored directly from registers.
  int outputs_at = 0;
  // Offsets in shared memory, in bytes. filter_offsets_at: a table that has, for each element of
  // the slots (words) of a filter, where it lies in w. filters_at: the filters. halo_at: the inputs
  // of one tile or, with two stages, of two tiles.
  int filter_offsets_at = 0, filters_at = 0, halo_at = 0, halo_bytes = 0, stages = 1;
};

// inverse_of() is valid for divisions of numbers below this number.
constexpr int kMostDivided = 1 << 16;
// Returns 2^32 / divisor, rounded up. To divide a number below kMostDivided by `divisor`, multiply
// the number by this inverse and take the upper 32 bits of the product (place_of in tile.cuh). For
// the divisor 1 the inverse does not fit; the function returns 0, and the caller must use the
// number itself as the quotient.
constexpr unsigned inverse_of(int divisor) {
  return divisor == 1 ? 0
                      : static_cast<unsigned>(((1ull << 32) + static_cast<unsigned>(divisor) - 1) /
                                              static_cast<unsigned>(divisor));
}

struct Slot {
  // A slot is a 32-bit word of the inputs that an output reads (its window). The distance in bytes
  // from the beginning of the window to the slot.
  int offset_bytes = 0;
  // The slot is one or two elements. For each element: the number (c * height + r) * width + s of
  // its tap in a filter; -1 if the element belongs to no tap.
  int tap[2] = {-1, -1};
};

constexpr int tap_of(const Filters& w, const Input& x, int row, int run, int element) {
  int c = element % x.pixel, s = element / x.pixel, r = row;
  if (x.planes > 1) {
    c = row / w.height;
    r = row - c * w.height;
  }
  if (w.dilation_w > 1) s = run;
  return (c * w.height + r) * w.width + s;
}

constexpr Slot slot_of(const Filters& w, const Input& x, const Slots& slots, int index) {
  const int in_row = slots.runs * slots.run_slots;
  const int row = index / in_row, rest = index - row * in_row;
  const int run = rest / slots.run_slots, begin = run * w.dilation_w * x.pixel;
  const int elements = 4 / slots.element_bytes;
  const int early = elements == 2 ? (begin + slots.shift) % 2 : 0;
  const int first = (rest - run * slots.run_slots) * elements - early;
  const int r = x.planes > 1 ? row % w.height : row, plane = x.planes > 1 ? row / w.height : 0;
  Slot slot;
  slot.offset_bytes = plane * x.plane_pitch_bytes + r * w.dilation_h * x.row_pitch_bytes +
                      (begin + first) * slots.element_bytes;
  for (int i = 0; i < elements; ++i)
    if (first + i >= 0 && first + i < slots.run_elements)
      slot.tap[i] = tap_of(w, x, row, run, first + i);
  return slot;
}

// The arguments of backward-weight. The sum over pixels is cut into `splits` parts (split-K); for
// each part, partials of all filters are written.
struct GradientGeometry {
  Geometry g;
  // The number of elements of a filter: taps x input channels.
  int taps = 0;
  // The elements of a filter are divided among tap_blocks blocks. Each block divides its elements
  // among tap_groups groups of warps.
  int tap_blocks = 1, tap_groups = 1;
  // The number of blocks that share the tiles. Each of them sums a part (split-K).
  int splits = 1;
  // Of dy in a stage, which follows the input: its offset in bytes, and the distance in bytes
  // between two rows.
  int outputs_at = 0, outputs_pitch_bytes = 0;
  int windows_at = 0, stage_bytes = 0;
};

// The arguments of backward-data by scatter.cu. A tile is tile_h x tile_w pixels of dx.
struct ScatterGeometry {
  Geometry g;
  // The width of dx, the stride, and the padding before the first column of dx. The width and the
  // padding are in pixels.
  int width = 0, step = 1, pad = 0;
  // Several taps of a filter's row may contribute to the same column of dx. tap_step is the
  // distance between two such neighbouring taps. output_step is the distance between the columns of
  // dy that these two taps multiply.
  int tap_step = 1, output_step = 1;
  int tiles_h = 0, tiles_w = 0;
  // channels: the number of channels of dy, rounded up. taps: the number of elements that a filter
  // has for one channel of dy. sixteens: the number of m16 tiles of these elements, rounded up.
  int channels = 0, taps = 0, sixteens = 0;
  int ring_rows = 0;
  // copy_bytes: the number of bytes of a row of dy that one instruction copies. unit: each copied
  // row begins at a pixel of dy whose number is a multiple of `unit`, so that copies are aligned.
  int copy_bytes = 0, unit = 1;
  int outputs_pitch_bytes = 0;
  int products_pitch_words = 0;
  // The members named …_at are offsets in shared memory, in bytes. At 0 are the offsets in w of a
  // filter's elements. filters_at: the filters. meets_at: for each column of dx, the first tap that
  // contributes to it, and the column of dy that this tap multiplies. ring_at: the rows of dx that
  // are being summed. products_at: the products of a row of dy. stages_at: the rows of dy.
  int filters_at = 0, meets_at = 0, ring_at = 0, products_at = 0, stages_at = 0, stage_bytes = 0;
};

// The arguments of backward-data by strips.cu. dx is cut into strips, and one warp computes a
// strip. A block of columns is `step` neighbouring columns of dx, where step is the stride.
struct StripGeometry {
  Geometry g;
  // The width of dx, and the padding before its first column, in pixels.
  int width = 0, pad = 0;
  // The number of rows of dx of a strip, and the number of its blocks of columns.
  int rows = 0, blocks = 0;
  // The number of strips side by side in an image, and the number of strips one below the other.
  int across = 0, down = 0;
  int count = 0;  // the number of strips of all images
  // `channels` is the number of channels of dy, rounded up. `steps` is the number of steps of K; a
  // step multiplies 32 bytes of channels of a pixel.
  int channels = 0, steps = 0;
  // A block of columns is neighbouring columns of dx. A shift is the distance from a block of
  // columns to a column of dy that it reads. Block number b reads `shifts` columns of dy: those
  // from b + first_shift on.
  int first_shift = 0, shifts = 0;
  // A row of dy in shared memory has `pixels` pixels. The first pixel that the strip reads is pixel
  // number `lead` of this row.
  int lead = 0, pixels = 0;
  // 1 if one instruction stores two neighbouring pixels of a row of dx, otherwise 0.
  int pairs = 0;
  // How a row of dy is copied. A run is contiguous in memory. If `turned` is set, a run is the
  // pixels of one channel, and the row is transposed in shared memory afterwards. Otherwise a run
  // is the channels of one pixel. A unit is the copy_bytes bytes that one instruction copies. A run
  // has `units` units, the whole row has row_units, and runs are run_apart_elements apart.
  int copy_bytes = 0, units = 1, row_units = 0, run_apart_elements = 0, turned = 0;
  // For the copy of a row of dy. A unit is the bytes that one instruction copies, and a run is
  // units that are contiguous in memory. When a lane has copied a unit, its next unit is next_run
  // runs and next_unit units later. from_next_elements is this distance in device memory, and
  // to_next_bytes in shared memory. If the lane thereby passes the end of a run, it goes on in the
  // run after that. The distances are then from_wrapped_elements and to_wrapped_bytes.
  int next_run = 0, next_unit = 0, from_next_elements = 0, from_wrapped_elements = 0,
      to_next_bytes = 0, to_wrapped_bytes = 0;
  // Distances in shared memory, in bytes: between two pixels of a row of dy as an operand, and
  // between two runs (contiguous bytes) of the row as it was copied.
  int pixel_pitch_bytes = 0, stage_pitch_bytes = 0;
  // The members named …_at are offsets in shared memory, in bytes. At 0 is a table that says where
  // the filters begin for each shift (distance from a block of columns of dx to a column of dy).
  // filters_at: the filters. warps_at: for each warp, its stages of rows of dy and one transposed
  // row.
  int filters_at = 0, warps_at = 0, warp_bytes = 0, stage_bytes = 0;
};

struct Tap {
  int c = 0, r = 0, s = 0;
  // The distance in bytes from the beginning of an output's window to the input that this tap
  // multiplies.
  int offset_bytes = 0;
};

// Returns the tap (with its input channel) that is number `index` of a filter. The numbers follow
// the order in memory of the inputs that are multiplied.
constexpr Tap tap_at(const Geometry& g, int index) {
  Tap tap;
  int rest = index;
  if (g.x.planes == 1) {
    tap.c = rest % g.x.pixel;
    rest /= g.x.pixel;
  }
  tap.s = rest % g.w.width;
  rest /= g.w.width;
  tap.r = rest % g.w.height;
  if (g.x.planes > 1) tap.c = rest / g.w.height;
  tap.offset_bytes =
      (g.x.planes > 1 ? tap.c * g.x.plane_pitch_bytes : tap.c * g.slots.element_bytes) +
      tap.r * g.w.dilation_h * g.x.row_pitch_bytes +
      tap.s * g.w.dilation_w * g.x.pixel * g.slots.element_bytes;
  return tap;
}

}  // namespace atc::first
