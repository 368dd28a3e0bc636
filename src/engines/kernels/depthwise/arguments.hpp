// The arguments of the depthwise kernels. Host and device code share this header, so it does not
// use the standard library.
//
// A kernel reads planes of `in` and writes planes of `out`; it reads one or several planes for each
// plane that it writes. Forward, `in` is x and `out` is y. Backward-data, `in` is y and `out` is x.
// There are always three spatial dimensions; the first of them may have extent 1.
#pragma once

namespace atc::depthwise {

struct Pointers {
  const void *in, *filter, *bias;  // addresses of the input, the filter and the bias; the bias is
                                   // null if there is none
  void* out;
};

struct Finish {
  int dtype;  // atc::Dtype, of all operands
  int relu, accumulate;
};

// Arguments of the kernel that takes any geometry.
struct DirectShape {
  long long batch, elements;                // of `out`
  int in_channels, out_channels, multiple;  // multiple: channels of y for each channel of x
  int in[3], out[3], taps[3], stride[3], dilation[3], pad[3];
  int backward;  // data: `in` is y
  int last;      // channels last
  Finish finish;
};

// Arguments of the kernels for one filter per channel, as many channels in as out, and no dilation.
struct PlaneShape {
  int planes, channels;  // planes: batch x channels
  int in[3], out[3];
  int pad[3];   // for each dimension, the number of inputs by which the first output's window
                // begins before the first input; may be negative
  int flipped;  // the filter, in all dimensions
  Finish finish;
};

constexpr int kLastThreads = 128;  // of a block, at most

// Channels last. A thread has a vector of channels and a strip of columns, and goes down the rows.
struct LastTiling {
  int vectors, chunks;       // the number of vectors that all channels make, and of chunks of
                             // vectors, one for each block
  int strips, bands;         // of columns and rows
  int rows;                  // the number of rows of a band, counted in rows that one step
                             // completes
  int row_start, col_start;  // the first row and column of outputs that tiles cover: 0 or -1
  unsigned positions;        // batch x depth x bands x strips
  int lanes, lines;          // of a block: vectors, and positions
  unsigned filter_floats;    // the number of floats of shared memory that the filters take
};

constexpr int kRowThreads = 128;  // of a block

// Channels first. Some lanes share a row: each has a vector of its columns, and they go down a band
// of rows.
struct RowTiling {
  int lanes, groups;  // the number of lanes for a row, and of rows for a warp
  int rows, bands;    // the number of rows in a band, and of bands in a plane
  unsigned tasks;     // bands of all planes
};

// Channels first. A block copies one span of `in` to shared memory, and one span of `out` back.
struct FirstTiling {
  int group;             // the number of planes that a block computes; 1 if a plane takes several
                         // blocks
  int segments, strips;  // the number of segments of rows, and of strips of columns, in a plane
  int band, bands;       // the number of segments that a block computes, and of blocks for a
                         // plane's segments
  int chunk, chunks;     // the number of strips that a block computes, and of blocks for a row's
                         // strips
  int row_start, col_start;
  int tile;  // the number of floats of shared memory for the span, which lies before the filters
};

}  // namespace atc::depthwise
