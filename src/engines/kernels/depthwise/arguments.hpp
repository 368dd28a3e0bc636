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

// The operations on a sum before the sum is stored.
struct Finish {
  int dtype;  // atc::Dtype of all operands
  int relu, accumulate;
};

// The arguments of the direct kernel, which takes any geometry.
struct DirectShape {
  long long batch, elements;                // elements: the number of elements of `out`
  int in_channels, out_channels, multiple;  // multiple: y's channels per channel of x
  int in[3], out[3], taps[3], stride[3], dilation[3], pad[3];
  int backward;  // set for backward-data
  int last;      // set for channels last
  Finish finish;
};

// The arguments of all other kernels. These kernels compute only problems without dilation that
// have as many channels of `out` as of `in`, and one filter for each channel.
struct PlaneShape {
  int planes, channels;  // planes: batch x channels
  int in[3], out[3];
  int pad[3];   // for each dimension, by how many inputs the window of the first output begins
                // before the first input; may be negative
  int flipped;  // set if the filter is flipped in all dimensions
  Finish finish;
};

constexpr int kLastThreads = 128;  // the most threads of a block

// How a kernel for channels last divides its work. A thread has a vector (a few neighbouring
// channels) and a strip of columns, and goes down a band of rows.
struct LastTiling {
  // vectors: the number of vectors of all channels. chunks: the number of groups into which these
  // vectors are divided; a block computes one group.
  int vectors, chunks;
  int strips, bands;  // the numbers of strips of columns and of bands of rows of a plane
  // The number of units of rows in a band. A unit is Way::kOut rows of outputs (ways.hpp).
  int band_steps;
  int row_start, col_start;  // the first row and column of outputs at which tiles begin: 0 or -1
  unsigned positions;        // batch x depth x bands x strips
  int lanes, lines;          // the numbers of vectors and of positions of a block
  unsigned filter_floats;    // the number of floats of shared memory for the filters
};

constexpr int kRowThreads = 128;  // threads of a block

// How a kernel of first_ahead.cu (rows of channels first) divides its work. Several lanes of a warp
// share a row: each lane has a vector (a few neighbouring columns), and goes down a band of rows.
struct RowTiling {
  int lanes, groups;     // the number of lanes of a row, and of rows that a warp computes at once
  int band_rows, bands;  // the number of rows of a band, and of bands of a plane
  unsigned tasks;        // the number of bands of all planes
};

// How a kernel of first.cu (planes of channels first) divides its work. Each thread computes a
// tile. A segment is the rows of a tile, and a strip is the columns of a tile. A block copies one
// span (contiguous elements) of `in` into shared memory, and stores one span of `out`.
struct FirstTiling {
  int group_planes;      // the number of planes of a block; 1 if several blocks share a plane
  int segments, strips;  // the numbers of segments and of strips of a plane
  // band_segments: the number of segments that a block computes. bands: the number of blocks that
  // share the segments of a plane.
  int band_segments, bands;
  // chunk_strips: the number of strips that a block computes. chunks: the number of blocks that
  // share the strips of a row.
  int chunk_strips, chunks;
  // The row and the column of outputs at which the first tile begins: 0, or -1 if outputs are
  // computed in pairs and the first pair begins before the plane (start() in geometry.hpp).
  int row_start, col_start;
  int tile_floats;  // the number of floats of shared memory for the span; the filters follow
};

}  // namespace atc::depthwise
