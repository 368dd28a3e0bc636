// A first layer as its kernels see it: up to four input channels, two spatial dimensions. Host and
// device code share this header, so it does not use the standard library.
//
// Shared memory has the input in the order of memory, in rows of elements. With channels first,
// there is a plane of rows for each channel. With channels last, there is one plane, with the
// channels of a pixel side by side. The sum of an output runs over slots. A slot is a word of a row
// (one element of 32 bits, or two of 16 bits) at an offset from the beginning of the output's
// window.
#pragma once

namespace atc::first {

constexpr int kMostChannels = 4;  // of the input
constexpr int kThreads = 256, kWarps = kThreads / 32;
constexpr int kPass = 256;           // the number of pixels that the warps of a block process at
                                     // once (a pass)
constexpr int kWarpPixels = 32;      // the number of pixels of a pass that one warp processes
constexpr int kStepSlots = 8;        // slots multiplied at once
constexpr int kGradientPixels = 16;  // the number of pixels to a multiple of which tiles of
                                     // gradients are filled up

// Bytes in shared memory from a channel's pixels of a pass to those of the next channel. With this
// pitch the words that lanes write lie in different banks, and so do the words that lanes read.
constexpr int outputs_pitch_bytes(int element) {
  return kPass * element + (element == 2 ? 16 : 32);
}

constexpr int round_up(int value, int to) { return (value + to - 1) / to * to; }

// The input tensor in memory, and the layout of a tile's part of it in shared memory.
struct Input {
  long long image = 0;                 // elements
  int planes = 1, plane = 0, row = 0;  // row: elements of a row, which is dense in its plane
  int height = 0;
  int pixel = 1;             // elements of a pixel in a row
  int step_h = 1, step = 1;  // distance between the first inputs of two neighbouring
                             // outputs: in rows, and in elements
  int pad_h = 0, pad = 0;    // before the first: rows, elements
  int lead = 0;              // the number of elements of a tile's row that lie before its
                             // column * step
  int width = 0, rows = 0;   // the most elements of a row, and rows, that a tile may have
  int row_pitch_bytes = 0, plane_pitch_bytes = 0;
  int copy_bytes = 0;  // that one instruction copies; 0: elements are copied one by one
};

struct Filters {
  int channels = 0, height = 0, width = 0;
  int dilation_h = 1, dilation_w = 1;
  long long strides[4] = {};  // element (k, c, r, s) is at k * strides[0] + ...
};

// The slots of an output's sum. They form runs of neighbouring elements: all taps of a filter's row
// or, if a dilation separates taps, a single tap.
struct Slots {
  int element_bytes = 0;
  int shift = 0;  // set if runs at an even offset have a slot that begins one element earlier
  int runs = 0, run_elements = 0, run_slots = 0;
  int count = 0;
};

struct Geometry {
  Input x;
  Filters w;
  Slots slots;
  int images = 0, channels = 0, channel_blocks = 1;  // channels: of the output
  int height = 0, width = 0;                         // of the output
  long long y_image = 0;
  int y_channel = 0, y_pixel = 0;
  int vector = 1;       // the number of elements of the output that one instruction stores
  int interleaved = 0;  // with channels last, set if neighbouring lanes have every second pixel
  int has_bias = 0, relu = 0;

  // A tile consists of `pixels` consecutive pixels of an image ("flat"), or of tile_h x tile_w
  // pixels.
  int flat = 0, tile_h = 0, tile_w = 0, pixels = 0;
  int tiles_w = 0, tiles = 0;   // tiles: of an image
  unsigned tile_w_inverse = 0;  // see divide

  // Places in shared memory, in bytes: a table of slots, filters, and the inputs of one tile or of
  // two.
  int steps = 0;
  int outputs_at = 0;  // offset of a pass's outputs in shared memory before they are stored; 0:
                       // they are stored directly
  int filter_offsets_at = 0, filters_at = 0, halo_at = 0, halo_bytes = 0, stages = 1;
};

// inverse_of returns 2^32 / divisor, rounded up: multiplying by it divides numbers below 2^16.
constexpr int kMostDivided = 1 << 16;
constexpr unsigned inverse_of(int divisor) {
  return divisor == 1 ? 0
                      : static_cast<unsigned>(((1ull << 32) + static_cast<unsigned>(divisor) - 1) /
                                              static_cast<unsigned>(divisor));
}

struct Slot {
  int offset_bytes = 0;   // distance from the first input of an output
  int tap[2] = {-1, -1};  // the index (c * height + r) * width + s of each element of a pair; -1:
                          // no element
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

// Backward-weight: each split writes partial sums over the split's pixels, for all filters.
struct GradientGeometry {
  Geometry g;
  int taps = 0;  // of a filter, with its channels
  int tap_blocks = 1,
      tap_groups = 1;  // the number of blocks, and of groups of warps in a block, that divide the
                       // taps among themselves
  int splits = 1;      // blocks that share the tiles
  int outputs_at = 0, outputs_pitch_bytes = 0;  // offset and pitch of the outputs in a
                                                // stage, where they lie after the input
  int windows_at = 0, stage_bytes = 0;
};

// Backward-data. Tiles consist of tile_h x tile_w pixels of the input.
struct ScatterGeometry {
  Geometry g;
  int width = 0, step = 1, pad = 0;  // of the input, in pixels
  int tap_step = 1,
      output_step = 1;  // distance between the taps of an input column, and between the outputs of
                        // these taps
  int tiles_h = 0, tiles_w = 0;
  int channels = 0, taps = 0,
      sixteens = 0;  // channels: of the output, rounded up; sixteens: groups of sixteen taps
  int ring_rows = 0;
  int copy_bytes = 0,
      unit = 1;  // the bytes of a row of outputs that are copied at once, and the number of pixels
                 // to which they are aligned
  int outputs_pitch_bytes = 0;
  int products_pitch_words = 0;
  // Places in shared memory, in bytes: the offsets in memory of a filter's taps; the filters; for
  // each column, the first tap that contributes to it and that tap's output; the ring; the
  // products; the rows of outputs.
  int filters_at = 0, meets_at = 0, ring_at = 0, products_at = 0, stages_at = 0, stage_bytes = 0;
};

// Backward-data on tensor cores. The input is cut into strips, and each strip belongs to one warp.
struct StripGeometry {
  Geometry g;
  int width = 0, pad = 0;    // of the input, in pixels
  int rows = 0, blocks = 0;  // size of a strip: rows, and blocks of `step` columns
  int across = 0, down = 0;  // strips of an image
  int count = 0;             // of strips
  int channels = 0,
      steps = 0;  // the number of the output's channels, rounded up, and of groups of channels that
                  // are multiplied at once
  int first_shift = 0,
      shifts = 0;            // distance from a block to its first output, and the number of such
                             // distances
  int lead = 0, pixels = 0;  // the number of pixels before the strip's first one in a row of
                             // outputs, and of all pixels
  int pairs = 0;             // set if two neighbouring outputs of a row are stored together
  // How a row of outputs is copied. copy_bytes: a unit, which is copied at once. units,
  // row_units: units of a run and of the row. run_apart_elements: from run to run. turned:
  // runs are copied as pixels of a channel, and then transposed into channels of a pixel.
  int copy_bytes = 0, units = 1, row_units = 0, run_apart_elements = 0, turned = 0;
  // The steps from a lane's unit to its next unit: in runs and units, in memory (from_*), and in
  // shared memory (to_*). "wrapped" is the step if the next unit is one run further.
  int next_run = 0, next_unit = 0, from_next_elements = 0, from_wrapped_elements = 0,
      to_next_bytes = 0, to_wrapped_bytes = 0;
  int pixel_pitch_bytes = 0, stage_pitch_bytes = 0;  // distance between two pixels, and between two
                                                     // runs of the copy
  // Places in shared memory, in bytes: a table with the beginning of each shift's filters; the
  // filters; and for each warp its stages of rows and one transposed row.
  int filters_at = 0, warps_at = 0, warp_bytes = 0, stage_bytes = 0;
};

struct Tap {
  int c = 0, r = 0, s = 0;
  int offset_bytes = 0;  // distance from the first input of an output
};

// Returns the tap with number `index`, in the order in which their inputs lie in memory.
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
