// The last step of the epilogue: stores outputs from shared memory into images, 16 bytes at once if
// the layout and the tile allow it, otherwise element by element.
#pragma once

#include "engines/kernels/implicit/tile.cuh"

namespace atc::implicit {

// Stores a block's outputs from shared memory into planes, in words of several pixels. This goes
// row by row; if rows of the tile are whole rows of the output, all rows of a plane are stored as
// one run.
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

// Whether words of `count` elements are aligned both in the output's planes and in the tile's.
__device__ inline bool has_words(const Geometry& g, int count, int top, int left, int height,
                                 int width) {
  if (g.out_step != 1 || g.out.channel % count != 0) return false;
  if (width == g.out.width) return top * width % count == 0 && height * width % count == 0;
  return g.out.width % count == 0 && left % count == 0 && width % count == 0;
}

// Stores a block's outputs from shared memory. `to` is the destination of the first output.
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
