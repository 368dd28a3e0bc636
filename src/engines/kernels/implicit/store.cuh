// Stores outputs from shared memory to device memory, the last step of the epilogue. If the layout
// and the tile allow it, 16 bytes are stored at once; otherwise two elements or one element.
#pragma once

#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

// For channels first: stores a block's outputs, one Word of several pixels at a time. Each row of
// the tile is a contiguous run of words. If the tile is as wide as the output, all rows of a
// channel together are one run.
template <typename Word, typename Value>
__device__ void store_planes(const Geometry& g, const unsigned char* staged, int pitch, int height,
                             int width, int channels, Value* to) {
  constexpr int kWidth = sizeof(Word) / sizeof(Value);
  const bool all = width == g.out.width;
  for (Share at((all ? height * width : width) / kWidth, all ? 1 : height, channels); at.left();
       at.next())
    *reinterpret_cast<Word*>(to + static_cast<long long>(at.c) * g.out.channel +
                             at.b * g.out.width + at.a * kWidth) =
        *reinterpret_cast<const Word*>(staged + at.c * pitch +
                                       (at.b * width + at.a * kWidth) *
                                           static_cast<int>(sizeof(Value)));
}

// Returns whether the outputs can be stored in words of `count` elements. This is possible if each
// run of pixels begins at a multiple of `count` elements and has a multiple of `count` elements,
// both in the output and in the tile.
__device__ inline bool has_words(const Geometry& g, int count, int top, int left, int height,
                                 int width) {
  if (g.out_step != 1 || g.out.channel % count != 0) return false;
  if (width == g.out.width) return top * width % count == 0 && height * width % count == 0;
  return g.out.width % count == 0 && left % count == 0 && width % count == 0;
}

// Stores a block's outputs from shared memory. `staged` points to shared memory, which has a line
// of `pitch` bytes for each channel (channels first) or for each pixel (channels last). `to` is the
// address in device memory of the first output. All threads of the block must call this function.
template <typename Value>
__device__ void store(const Geometry& g, const unsigned char* staged, int pitch, int top, int left,
                      int height, int width, int first_channel, int channels, Value* to) {
  constexpr int kWidth = kChunk / sizeof(Value);
  const auto place = [&](int row, int column) {
    return static_cast<long long>(row * g.out_step * g.out.width + column * g.out_step);
  };
  if (g.channels_first) {
    if (g.out.vectors && has_words(g, kWidth, top, left, height, width))
      return store_planes<uint4>(g, staged, pitch, height, width, channels, to);
    if constexpr (sizeof(Value) == 2)
      if (g.out.twos && has_words(g, 2, top, left, height, width))
        return store_planes<unsigned>(g, staged, pitch, height, width, channels, to);
    for (Share at(width, height, channels); at.left(); at.next())
      to[static_cast<long long>(at.c) * g.out.channel + place(at.b, at.a)] =
          reinterpret_cast<const Value*>(staged + at.c * pitch)[at.b * width + at.a];
    return;
  }
  if (g.out.vectors && first_channel % kWidth == 0 && channels % kWidth == 0) {
    for (Share at(channels / kWidth, width, height); at.left(); at.next())
      *reinterpret_cast<uint4*>(to + place(at.c, at.b) * g.out.pixel + at.a * kWidth) =
          *reinterpret_cast<const uint4*>(staged + (at.c * width + at.b) * pitch + at.a * kChunk);
    return;
  }
  for (Share at(channels, width, height); at.left(); at.next())
    to[place(at.c, at.b) * g.out.pixel + at.a] =
        reinterpret_cast<const Value*>(staged + (at.c * width + at.b) * pitch)[at.a];
}

}  // namespace atc::implicit
