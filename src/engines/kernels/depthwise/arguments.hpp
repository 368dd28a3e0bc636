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
  // The addresses of `in`, of the filter and of the bias. The bias is null if there is none.
  const void *in, *filter, *bias;
  void* out;
};

// The last operations on a sum, before it is stored: ReLU, and adding to the old output.
struct Finish {
  int dtype;  // the dtype of all operands, a value of atc::Dtype
  int relu, accumulate;
};

// The arguments of the direct kernel, which computes depthwise problems of any geometry.
struct DirectShape {
  long long batch, elements;  // `elements` is the number of elements of `out`
  // `multiple` is the number of channels of y for each channel of x.
  int in_channels, out_channels, multiple;
  int in[3], out[3], taps[3], stride[3], dilation[3], pad[3];
  int backward;  // set for backward-data
  int last;      // set for channels last
  Finish finish;
};

// The arguments of all depthwise kernels except the direct kernel. These kernels compute only
// problems without dilation that have as many channels of `out` as of `in`, and one filter for each
// channel.
struct PlaneShape {
  // `planes` is the number of planes (channels of images) in the batch: batch x channels.
  int planes, channels;
  int in[3], out[3];
  // For each dimension: the number of inputs by which the window of the first output begins before
  // the first input. It may be negative.
  int pad[3];
  // 1 if the filter is flipped in all dimensions, otherwise 0.
  int flipped;
  Finish finish;
};

// The most threads of a block in the kernels for channels last.
constexpr int kLastThreads = 128;

// How a kernel for channels last divides its work. A thread has a vector (a few neighbouring
// channels) and a strip of columns, and goes down a band of rows.
struct LastTiling {
  // `vectors` is the number of vectors (a few neighbouring channels) of all channels. `chunks` is
  // the number of groups into which these vectors are divided; a block computes one group.
  int vectors, chunks;
  // The number of strips of columns, and the number of bands of rows, of a plane.
  int strips, bands;
  // The height of a band of rows, in steps. A step computes Way::kOut rows of outputs (ways.hpp).
  int band_steps;
  // The first row and the first column of outputs at which tiles begin: 0 or -1.
  int row_start, col_start;
  // The number of positions, each of which a thread computes for one vector of channels: batch x
  // depth x bands of rows x strips of columns.
  unsigned positions;
  // The number of vectors of channels of a block (`lanes`), and the number of its positions
  // (`lines`).
  int lanes, lines;
  // The number of floats of shared memory that the filters of a block take.
  unsigned filter_floats;
};

constexpr int kRowThreads = 128;  // threads of a block

// How a kernel of first_ahead.cu (rows of channels first) divides its work. Several lanes of a warp
// share a row: each lane has a vector (a few neighbouring columns), and goes down a band of rows.
struct RowTiling {
  // The number of lanes that share a row, and the number of rows that a warp computes at once.
  int lanes, groups;
  // The number of rows of a band, and the number of bands of a plane.
  int band_rows, bands;
  unsigned tasks;  // the number of bands of rows of all planes
};

// How a kernel of first.cu (planes of channels first) divides its work. Each thread computes a
// tile. A segment is the rows of a tile, and a strip is the columns of a tile. A block copies one
// span (contiguous elements) of `in` into shared memory, and stores one span of `out`.
struct FirstTiling {
  // The number of planes of a block; 1 if several blocks share a plane.
  int group_planes;
  // The number of segments (rows of a tile) and the number of strips (columns of a tile) of a
  // plane.
  int segments, strips;
  // A segment is the rows of a tile. band_segments is the number of segments that a block computes.
  // `bands` is the number of blocks that share the segments of a plane.
  int band_segments, bands;
  // A strip is the columns of a tile. chunk_strips is the number of strips that a block computes.
  // `chunks` is the number of blocks that share the strips of a row.
  int chunk_strips, chunks;
  // The row and the column of outputs at which the first tile begins: 0, or -1 if outputs are
  // computed in pairs and the first pair begins before the plane (start() in geometry.hpp).
  int row_start, col_start;
  // The number of floats of shared memory for the span (the contiguous elements of `in` that a
  // block copies). The filters follow the span.
  int tile_floats;
};

}  // namespace atc::depthwise
