// Forward and backward-data of pointwise convolutions in TF32, channels first: the arguments of the
// kernel, and the sizes of its data in shared memory.
//
// The pixels of each image are divided into units of 16 neighbouring pixels. The last unit of an
// image may have fewer pixels. A row of operand A (M) is a pixel. A warp computes whole units.
#pragma once

#include "device/cuda/tensor_map.hpp"

namespace atc::dense::pointwise {

constexpr int kUnitPixels = 16;
// The number of input channels of a stage.
constexpr int kChunk = 32;
// The bytes of 16 pixels (a unit) in a stage.
constexpr int kUnitBytes = kUnitPixels * kChunk * 4;
// The bytes of an output channel's filter in a stage.
constexpr int kRowBytes = kChunk * 4;
// The number of warpgroups of a block that multiply.
constexpr int kConsumers = 2;
// The threads of a block: those of the consumers, and one warpgroup that loads.
constexpr int kThreads = (kConsumers + 1) * 128;
// The bytes of the barriers, which are at the beginning of shared memory.
constexpr int kBarrierBytes = 1024;

struct Geometry {
  int images = 0, channels = 0, out_channels = 0, pixels = 0;
  // The number of units of 16 pixels in an image, and in all images.
  int image_units = 0, units = 0;
  // The number of chunks of kChunk input channels.
  int chunks = 0;
  int unit_tiles = 0, channel_tiles = 0;
  int stages = 0;
  int has_bias = 0, relu = 0, accumulate = 0;
};

// tile_units returns the number of units (16 pixels) of a block's tile. stage_bytes returns the
// number of bytes of a stage. `m64` is the number of m64 tiles (64 rows of a wgmma) of a warpgroup,
// and `n` is the number of output channels of a tile.
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
