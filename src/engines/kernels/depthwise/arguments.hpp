// The arguments of the depthwise kernels of forward and backward-data. Host and device code share
// this header, so it does not use the standard library.
//
// A kernel reads the tensor `in` and writes the tensor `out`. Forward: `in` is x and `out` is y.
// Backward-data: `in` is dy and `out` is dx. A plane is one channel of one image. For each plane of
// `out`, a kernel reads one or several planes of `in`. There are always three spatial dimensions.
// If the problem has fewer, the first extents are 1.
#pragma once

namespace atc::depthwise {

struct Pointers {
  const void *in, *filter, *bias;  // the addresses of `in`, the filter and the bias; the bias is
                                   // null if there is none
  void* out;
};

// What is done with a sum before it is stored.
struct Finish {
  int dtype;  // atc::Dtype of all operands
  int relu, accumulate;
};

// The arguments of the direct kernel, which takes any geometry.
struct DirectShape {
  long long batch, elements;                // batch; elements of `out`
  int in_channels, out_channels, multiple;  // multiple: channels of y for each channel of x
  int in[3], out[3], taps[3], stride[3], dilation[3], pad[3];
  int backward;  // set for backward-data
  int last;      // set for channels last
  Finish finish;
};

// The arguments of all other kernels. They have no dilation, as many channels of `out` as of `in`,
// and one filter for each channel.
struct PlaneShape {
  int planes, channels;  // planes: batch x channels
  int in[3], out[3];
  int pad[3];   // for each dimension, by how many inputs the window of the first output begins
                // before the first input; may be negative
  int flipped;  // set if the filter is flipped in all dimensions
  Finish finish;
};

constexpr int kLastThreads = 128;  // the most threads of a block

// How the work of a kernel for channels last is divided. A thread has a vector (a few neighbouring
// channels) and a strip of columns, and goes down a band of rows.
struct LastTiling {
  int vectors, chunks;       // vectors of all channels; chunks: groups of vectors, one for each
                             // block
  int strips, bands;         // strips of columns and bands of rows of a plane
  int band_steps;            // steps of the kernel for a band; a step completes Way::kOut rows
  int row_start, col_start;  // the first row and column of outputs at which tiles begin: 0 or -1
  unsigned positions;        // batch x depth x bands x strips
  int lanes, lines;          // vectors of a block, and positions of a block
  unsigned filter_floats;    // floats of shared memory for the filters
};

constexpr int kRowThreads = 128;  // threads of a block

// How the work of a kernel for rows of channels first is divided. Several lanes of a warp share a
// row: each lane has a vector (a few neighbouring columns), and goes down a band of rows.
struct RowTiling {
  int lanes, groups;     // lanes of a row, and rows that a warp computes side by side
  int band_rows, bands;  // rows of a band, and bands of a plane
  unsigned tasks;        // bands of all planes
};

// How the work of a kernel for planes of channels first is divided. A segment is the rows of one
// tile of a thread, a strip is its columns. A block copies one span (contiguous elements) of `in`
// into shared memory, and stores one span of `out`.
struct FirstTiling {
  int group_planes;          // planes that a block computes; 1 if several blocks compute a plane
  int segments, strips;      // segments and strips of a plane
  int band_segments, bands;  // segments that a block computes, and blocks for the segments of a
                             // plane
  int chunk_strips, chunks;  // strips that a block computes, and blocks for the strips of a row
  // The first row and column of outputs at which tiles begin: 0 or -1.
  int row_start, col_start;
  int tile_floats;  // floats of shared memory for the span; the filters follow
};

}  // namespace atc::depthwise
