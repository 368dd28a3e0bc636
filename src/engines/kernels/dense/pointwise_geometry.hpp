// Pointwise convolutions in TF32, channels first: sizes and places in shared memory.
//
// The pixels of all images are divided into units: sixteen neighbouring pixels of one image. The
// last unit of an image may have fewer. A row of operand A is a pixel, and a warp has whole units.
#pragma once

#include "device/cuda/tensor_map.hpp"

namespace atc::dense::pointwise {

constexpr int kUnitPixels = 16;
constexpr int kChunk = 32;                            // input channels of a stage
constexpr int kUnitBytes = kUnitPixels * kChunk * 4;  // of a unit in a stage
constexpr int kRowBytes = kChunk * 4;                 // of an output channel's filter in a stage
constexpr int kConsumers = 2;                         // warpgroups
constexpr int kThreads = (kConsumers + 1) * 128;      // and the producer
constexpr int kBarrierBytes = 1024;                   // at the beginning of shared memory

struct Geometry {
  int images = 0, channels = 0, out_channels = 0, pixels = 0;
  int image_units = 0, units = 0;  // of an image, of all
  int chunks = 0;                  // of input channels
  int unit_tiles = 0, channel_tiles = 0;
  int stages = 0;
  int has_bias = 0, relu = 0, accumulate = 0;
};

// The units of a block's tile, and the bytes of a stage. kM64: blocks of 64 pixels of a warpgroup.
constexpr int tile_units(int m64) { return kConsumers * 4 * m64; }
constexpr int stage_bytes(int m64, int n) { return tile_units(m64) * kUnitBytes + n * kRowBytes; }

// Filters in the order of the stages: [channel tile][chunk][output channel][kChunk].
struct Filters {
  int channels = 0, out_channels = 0, chunks = 0, tile = 0, tiles = 0;
  long long channel_stride = 0, out_channel_stride = 0;
};
constexpr int kPackThreads = 256;

}  // namespace atc::dense::pointwise
