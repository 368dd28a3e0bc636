// The arguments of the depthwise kernels, shared by host and device, hence without the standard
// library.
//
// A kernel reads planes of `in`, one or several for each plane of `out`, and writes `out`. Forward,
// `in` is x and `out` is y; backward-data, `in` is y and `out` is x. There are always three spatial
// dimensions; leading ones may have extent 1.
#pragma once

namespace atc::depthwise {

struct Pointers {
  const void *in, *filter, *bias;  // bias is null where there is none
  void* out;
};

struct Finish {
  int dtype;  // atc::Dtype, of all operands
  int relu, accumulate;
};

// For the kernel that takes any geometry.
struct DirectShape {
  long long batch, elements;                // of `out`
  int in_channels, out_channels, multiple;  // channels of y for each of x
  int in[3], out[3], taps[3], stride[3], dilation[3], pad[3];
  int backward;  // data: `in` is y
  int last;      // channels last
  Finish finish;
};

// For one filter for each channel, as many channels in as out, no dilation.
struct PlaneShape {
  int planes, channels;  // planes: batch x channels
  int in[3], out[3];
  int pad[3];   // inputs before the first one that the first output draws on; may be negative
  int flipped;  // the filter, in all dimensions
  Finish finish;
};

constexpr int kLastThreads = 128;  // of a block, at most

// Channels last: a thread owns a vector of channels and a strip of columns, and slides down rows.
struct LastTiling {
  int vectors, chunks;       // of channels in all; chunks of vectors, one for a block
  int strips, bands;         // of columns and rows
  int rows;                  // of a band, in units of rows that a step completes
  int row_start, col_start;  // of the first output that a tile covers: 0 or -1
  unsigned positions;        // batch x depth x bands x strips
  int lanes, lines;          // of a block: vectors and positions
  unsigned filter_floats;    // of shared memory, for the filters
};

constexpr int kRowThreads = 128;  // of a block

// Channels first: some lanes own a row's vectors of columns and slide down a band of rows.
struct RowTiling {
  int lanes, groups;  // of a row; rows of a warp
  int rows, bands;    // of a band, of a plane
  unsigned tasks;     // bands of all planes
};

// Channels first: a block copies one span of `in` to shared memory and one of `out` back.
struct FirstTiling {
  int group;             // planes of a block; 1 where a plane takes several blocks
  int segments, strips;  // of rows and columns in a plane
  int band, bands;       // segments of a block, blocks over a plane's segments
  int chunk, chunks;     // strips of a block, blocks over a row's strips
  int row_start, col_start;
  int tile;  // floats of shared memory for the span, ahead of the filters
};

}  // namespace atc::depthwise
