// Loads of the kernels of `implicit` and `grouped`: functions that copy tiles of images into shared
// memory, as chunks of operands, and loops whose iterations are divided among the threads of a
// block. Pixels outside of the image, and channels that only fill up a chunk, become zeros.
#pragma once

#include <type_traits>

#include "device/cuda/kernels/float.cuh"
#include "engines/kernels/implicit/geometry.hpp"
#include "engines/kernels/math.cuh"
#include "engines/kernels/ptx.cuh"

namespace atc::implicit {

using kernels::as_operand;
using kernels::Element;
using kernels::enable_sm80_or_later;
using kernels::kOperandType;
using kernels::Math;

using cuda::from_float;
using cuda::to_float;

template <Math kMath>
union Chunk {
  static constexpr int kWidth = kChunk / sizeof(Element<kMath>);
  uint4 words;
  Element<kMath> elements[kWidth];
};

// A loop over 0 <= a < na, 0 <= b < nb, 0 <= c < nc whose iterations are divided among the threads
// of a block. Each thread has every kThreads-th iteration. `a` changes fastest. next() needs no
// division.
class Share {
 public:
  __device__ Share(int na, int nb, int nc) : na_(na), nb_(nb), nc_(nc) {
    const int thread = static_cast<int>(threadIdx.x);
    b = thread / na;
    a = thread - b * na;
    c = b / nb;
    b -= c * nb;
    step_b_ = kThreads / na;
    step_a_ = kThreads - step_b_ * na;
    step_c_ = step_b_ / nb;
    step_b_ -= step_c_ * nb;
  }
  __device__ bool left() const { return c < nc_; }
  __device__ void next() {
    a += step_a_;
    b += step_b_;
    c += step_c_;
    if (a >= na_) {
      a -= na_;
      ++b;
    }
    if (b >= nb_) {
      b -= nb_;
      ++c;
    }
  }

  int a, b, c;

 private:
  int na_, nb_, nc_;
  int step_a_, step_b_, step_c_;
};

// Divides the iterations of a loop among teams of 1 << shift threads. A team has the iterations
// first, first + step, first + 2 * step and so on. `sub` is the number of this thread within its
// team, which has `lanes` threads.
struct Team {
  __device__ explicit Team(int shift)
      : lanes(1 << shift),
        sub(static_cast<int>(threadIdx.x) & (lanes - 1)),
        first(static_cast<int>(threadIdx.x) >> shift),
        step(kThreads >> shift) {}
  int lanes, sub, first, step;
};

// A part of an image to load, and the layout of its destination in shared memory. The part is
// `height` x `width` pixels from (top, left) on, of `groups` groups of the convolution. Pixels
// outside of the image become zeros.
struct Part {
  int top = 0, left = 0, height = 0, width = 0;
  int groups = 0;
  int group_channels = 0, group_chunks = 0;
  // Distances in shared memory, in bytes: between two rows, between two pixels, and between two
  // chunks (16 bytes) of a pixel.
  int row_pitch_bytes = 0, pixel_pitch_bytes = 0, chunk_pitch = kChunk;
  // In shared memory, pixels whose row and column have the same remainders modulo `step` lie
  // together, in a plane of `plane_bytes` bytes.
  int step = 1, plane_bytes = 0;

  __device__ int place(int row, int column, int chunk) const {
    int plane = 0;
    if (step != 1) {
      const int h = row / step, w = column / step;
      plane = (row - h * step) * step + column - w * step;
      row = h;
      column = w;
    }
    return plane * plane_bytes + row * row_pitch_bytes + column * pixel_pitch_bytes +
           chunk * chunk_pitch;
  }
};

__device__ inline bool inside(const View& view, int h, int w) {
  return static_cast<unsigned>(h) < static_cast<unsigned>(view.height) &&
         static_cast<unsigned>(w) < static_cast<unsigned>(view.width);
}

// Loads `count` channels of a pixel as operands. The operands have kWidth channels; the remaining
// channels become zeros.
template <Math kMath, int kWidth>
__device__ inline void gather(const View& view, const Element<kMath>* pixel, int count,
                              Element<kMath>* to) {
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    Element<kMath> value;
    from_float(0.0f, value);
    if (i < count) value = as_operand<kMath>(pixel[static_cast<long long>(i) * view.channel]);
    to[i] = value;
  }
}

// Loads a part of a tensor into shared memory, if the tensor has channels first and elements of 16
// bits. Each load reads two neighbouring pixels.
template <Math kMath>
__device__ void load_twos(const View& view, const Part& part, const Element<kMath>* first,
                          unsigned char* shared) {
  const int even = part.left & ~1, twos = (part.left + part.width + 1 - even) / 2;
  for (Share at(twos, part.height, part.groups * part.group_chunks); at.left(); at.next()) {
    const int h = part.top + at.b, w = even + at.a * 2;
    const int group = at.c / part.group_chunks, channel = (at.c - group * part.group_chunks) * 8;
    const int count = inside(view, h, w) ? part.group_channels - channel : 0;
    const auto* const from = reinterpret_cast<const unsigned*>(
        first + static_cast<long long>(group * part.group_channels + channel) * view.channel +
        static_cast<long long>(h * view.width + w));
    unsigned words[8];
#pragma unroll
    for (int i = 0; i < 8; ++i)
      words[i] = i < count ? from[static_cast<long long>(i) * (view.channel / 2)] : 0;
    const int column = w - part.left;
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const unsigned halves = i == 0 ? 0x5410 : 0x7632;
      if (column + i >= 0 && column + i < part.width)
        *reinterpret_cast<uint4*>(shared + part.place(at.b, column + i, at.c)) = make_uint4(
            __byte_perm(words[0], words[1], halves), __byte_perm(words[2], words[3], halves),
            __byte_perm(words[4], words[5], halves), __byte_perm(words[6], words[7], halves));
    }
  }
}

// Loads a part of a tensor into shared memory. If view.vectors is set, cp.async is used. Then the
// copies are complete only after commit_group and wait_group, and the caller must call finish_load
// after that. `first` is the address of the part's first channel in pixel (0, 0) of its image.
template <Math kMath>
__device__ void load(const View& view, const Part& part, const Element<kMath>* first,
                     unsigned char* shared) {
  constexpr int kWidth = Chunk<kMath>::kWidth;
  const int chunks = part.groups * part.group_chunks;
  if (view.vectors) {
    const unsigned to = ptx::shared_address(shared);
    for (Share at(chunks, part.width, part.height); at.left(); at.next()) {
      const int h = part.top + at.c, w = part.left + at.b;
      const bool valid = inside(view, h, w) && at.a * kWidth < part.groups * part.group_channels;
      const Element<kMath>* const from =
          first +
          (valid ? static_cast<long long>(h * view.width + w) * view.pixel + at.a * kWidth : 0);
      ptx::cp_async_cg_16(to + static_cast<unsigned>(part.place(at.c, at.b, at.a)), from, valid);
    }
    return;
  }
  if constexpr (kWidth == 8)
    if (view.twos) return load_twos<kMath>(view, part, first, shared);
  // With channels first, neighbouring threads read neighbouring pixels.
  for (Share at(part.width, part.height, chunks); at.left(); at.next()) {
    const int h = part.top + at.b, w = part.left + at.a;
    const int group = at.c / part.group_chunks;
    const int channel = (at.c - group * part.group_chunks) * kWidth;
    Chunk<kMath> chunk;
    gather<kMath, kWidth>(
        view,
        first + static_cast<long long>(group * part.group_channels + channel) * view.channel +
            static_cast<long long>(h * view.width + w) * view.pixel,
        inside(view, h, w) ? part.group_channels - channel : 0, chunk.elements);
    *reinterpret_cast<uint4*>(shared + part.place(at.b, at.a, at.c)) = chunk.words;
  }
}

// If the operands are TF32, rounds the data that this thread copied in load(). The copies must be
// complete.
template <Math kMath>
__device__ void finish_load(const View& view, const Part& part, unsigned char* shared) {
  if constexpr (kMath == Math::tf32) {
    if (!view.vectors) return;
    for (Share at(part.groups * part.group_chunks, part.width, part.height); at.left(); at.next()) {
      auto* const place = reinterpret_cast<float4*>(shared + part.place(at.c, at.b, at.a));
      const float4 raw = *place;
      *place = make_float4(as_operand<kMath>(raw.x), as_operand<kMath>(raw.y),
                           as_operand<kMath>(raw.z), as_operand<kMath>(raw.w));
    }
  }
}

// Loads a part of up to four channels of 16 bits: a pixel takes 8 bytes, and a chunk of 16 bytes is
// two neighbouring pixels. Unless shifted_copy_bytes is 0, a second copy is written that is shifted
// by one pixel. So any two neighbouring pixels are one aligned chunk, either of the part or of the
// second copy.
template <Math kMath>
__device__ void load_pairs(const View& view, const Part& part, const Element<kMath>* first,
                           int shifted_copy_bytes, unsigned char* shared) {
  for (Share at(part.width, part.height, 1); at.left(); at.next()) {
    const int h = part.top + at.b, w = part.left + at.a;
    union {
      uint2 words;
      Element<kMath> elements[4];
    } pixel;
    gather<kMath, 4>(view, first + static_cast<long long>(h * view.width + w) * view.pixel,
                     inside(view, h, w) ? part.group_channels : 0, pixel.elements);
    unsigned char* const place =
        shared + at.b * part.row_pitch_bytes + at.a * part.pixel_pitch_bytes;
    *reinterpret_cast<uint2*>(place) = pixel.words;
    if (shifted_copy_bytes != 0 && at.a != 0)
      *reinterpret_cast<uint2*>(place + shifted_copy_bytes - part.pixel_pitch_bytes) = pixel.words;
  }
}

// Returns where the inputs of the tile's output (row, column) begin in the halo (the tile's input
// in shared memory), as an offset in bytes.
__device__ inline int offset_of(const Geometry& g, int row, int column) {
  column *= g.step;
  int copy = 0;
  if (g.shifted_copy_bytes != 0 && (column & 1) != 0) {
    copy = g.shifted_copy_bytes;
    --column;
  }
  return copy + row * g.step * g.row_pitch_bytes + column * g.pixel_pitch_bytes;
}

// Writes the table of offsets. For each chunk (16 bytes) of a filter's row, it has the distance in
// bytes from the first input of an output (offset_of()) to the input of the chunk. If a chunk has
// two taps, an odd number means that this chunk has only one tap.
__device__ inline void fill_table(const Geometry& g, const Axis& rows, const Axis& columns,
                                  int chunks, int entries, int* table) {
  const int in_row = g.paired ? (columns.taps + 1) / 2 : columns.taps;
  for (int i = static_cast<int>(threadIdx.x); i < entries; i += kThreads) {
    const int tap = i / g.tap_chunks, r = tap / max(in_row, 1), s = tap - r * in_row;
    int offset = r * rows.spacing * g.row_pitch_bytes;
    if (g.paired)
      offset += s * kChunk | (2 * s + 1 >= columns.taps ? 1 : 0);
    else
      offset += s * columns.spacing * g.pixel_pitch_bytes + (i - tap * g.tap_chunks) * kChunk;
    table[i] = i < chunks ? offset : 0;
  }
}

}  // namespace atc::implicit
