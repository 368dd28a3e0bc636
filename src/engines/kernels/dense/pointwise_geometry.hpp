// Forward and backward-data of pointwise convolutions in TF32, channels first: the arguments of the
// kernel, and the sizes of its data in shared memory.
//
// The pixels of each image are divided into units of 16 neighbouring pixels. The last unit of an
// image may have fewer pixels. A row of operand A (M) is a pixel. A warp computes whole units.
#pragma once

#include "device/cuda/tensor_map.hpp"

namespace atc::dense::pointwise {

constexpr int kUnitPixels = 16;
constexpr int kChunk = 32;                            // the number of input channels of a stage
constexpr int kUnitBytes = kUnitPixels * kChunk * 4;  // bytes of a unit in a stage
constexpr int kRowBytes = kChunk * 4;                 // bytes of an output channel's filter in a
                                                      // stage
constexpr int kConsumers = 2;                         // the number of warpgroups that multiply
constexpr int kThreads = (kConsumers + 1) * 128;      // the consumers, and one warpgroup that loads
constexpr int kBarrierBytes = 1024;                   // bytes of the barriers, at the beginning of
                                                      // shared memory

struct Geometry {
  int images = 0, channels = 0, out_channels = 0, pixels = 0;
  int image_units = 0, units = 0;  // the number of units of an image, and of all images
  int chunks = 0;                  // the number of chunks (kChunk input channels)
  int unit_tiles = 0, channel_tiles = 0;
  int stages = 0;
  int has_bias = 0, relu = 0, accumulate = 0;
};

// tile_units returns the number of units of a block's tile. stage_bytes returns the number of bytes
// of a stage. `m64` is the number of m64 tiles (64 rows of a wgmma) of a warpgroup, and `n` is the
// number of output channels of a tile.
constexpr int tile_units(int m64) { return kConsumers * 4 * m64; }
constexpr int stage_bytes(int m64, int n) { return tile_units(m64) * kUnitBytes + n * kRowBytes; }

// The arguments of the kernel that packs the filters. The packed order is the order in which stages
// are filled: [channel tile][chunk][output channel][kChunk]. `tile` is the number of output
// channels of a channel tile, and `tiles` is the number of channel tiles.
struct Filters {
  int channels = 0, out_channels = 0, chunks = 0, tile = 0, tiles = 0;
  long long channel_stride = 0, out_channel_stride = 0;
};
constexpr int kPackThreads = 256;

}  // namespace atc::dense::pointwise
