// Loads of the kernels of `grouped`. They copy the part of a tensor that a tile reads into shared
// memory, where each pixel has its channels as chunks of 16 bytes. The copies of the next tile run
// while a tile is multiplied.
//
// With channels last, cp.async copies whole chunks (16 bytes of a pixel's channels) to their place.
// With channels first, cp.async copies runs of pixels in the order of device memory (to `raw_at`),
// and finish() transposes them into chunks.
#pragma once

#include "engines/kernels/grouped/geometry.hpp"
#include "engines/kernels/implicit/tile.cuh"

namespace atc::grouped {

using namespace implicit;

__device__ inline int lead_of(const void* pointer) {
  return static_cast<int>(reinterpret_cast<unsigned long long>(pointer) % kChunk);
}

// Iterates over the places of a rectangle with rows of `width` places, row after row. The places
// are divided among teams of threads; each team visits every team.step-th place.
class Walk {
 public:
  __device__ Walk(const Team& team, int width) : row(0), column(team.first), width_(width) {
    wrap();
  }
  __device__ void next(const Team& team) {
    column += team.step;
    wrap();
  }
  int row, column;

 private:
  __device__ void wrap() {
    while (column >= width_) {
      column -= width_;
      ++row;
    }
  }
  int width_;
};

// Starts to copy all chunks (aligned 16 bytes) that contain some of the `bytes` bytes from `run`
// on. Bytes from `end` on are not read, and are written as zeros. `to` is the address in shared
// memory for the byte at `run`; both addresses must be equal modulo 16.
__device__ inline void load_run(const Team& team, const unsigned char* run, int bytes,
                                const unsigned char* end, unsigned to) {
  const int lead = lead_of(run);
  run -= lead;
  to -= static_cast<unsigned>(lead);
  for (int at = team.sub * kChunk; at < bytes + lead; at += team.lanes * kChunk) {
    const long long left = end - (run + at);
    ptx::cp_async_cg_zfill(to + static_cast<unsigned>(at), run + at,
                           left < kChunk ? static_cast<int>(left) : kChunk);
  }
}

// A rectangle of pixels of an image. It may reach beyond the image.
struct Region {
  long long image = 0;
  int top = 0, left = 0, height = 0, width = 0;
};

// Loads the parts of one tensor that belong to the groups of a block and to a tile.
template <Math kMath, bool kChannelsFirst>
class Input {
 public:
  using Value = Element<kMath>;
  static constexpr int kSize = sizeof(Value), kWidth = Chunk<kMath>::kWidth;

  __device__ Input(const Source& source, const void* in, int images, int group, int groups_here,
                   unsigned char* shared)
      : s_(source), shared_(shared), channels_(groups_here * source.channels) {
    first_ = static_cast<const Value*>(in) +
             static_cast<long long>(group * source.channels) * source.view.channel;
    end_ = reinterpret_cast<const unsigned char*>(static_cast<const Value*>(in) +
                                                  images * source.view.image);
    chunks_ = groups_here * source.chunks;
  }

  // Starts to load the part of the tensor that a tile reads. With channels last, chunks of 16 bytes
  // are copied to stage number `stage`. With channels first, runs of pixels are copied in the order
  // of device memory, and `stage` is not used.
  __device__ void start(const Region& part, int stage) const {
    const View& view = s_.view;
    const Team team(s_.load_shift);
    if constexpr (kChannelsFirst) {
      const int rows = min(part.top + part.height, view.height) - max(part.top, 0);
      const int columns = max(min(part.left + part.width, view.width) - max(part.left, 0), 0);
      const auto* const from = reinterpret_cast<const unsigned char*>(inside_of(part));
      const unsigned to =
          ptx::shared_address(shared_ + s_.raw_at) + static_cast<unsigned>(lead_of(from));
      const int bytes = columns * kSize;
      const int runs = columns == 0 ? 0 : s_.whole_rows && rows > 0 ? 1 : rows;
      for (int channel = team.first; channel < channels_; channel += team.step)
        for (int row = 0; row < runs; ++row)
          load_run(
              team,
              from + (static_cast<long long>(channel) * view.channel + row * view.width) * kSize,
              s_.whole_rows ? rows * bytes : bytes, end_,
              to + static_cast<unsigned>(channel * s_.raw_channel_bytes + row * s_.raw_row_bytes));
    } else {
      const Value* const image = first_ + part.image * view.image;
      const unsigned to =
          ptx::shared_address(shared_ + s_.at) + static_cast<unsigned>(stage * s_.turn_bytes);
      for (Walk at(team, part.width); at.row < part.height; at.next(team)) {
        const int h = part.top + at.row, w = part.left + at.column;
        const bool valid = inside(view, h, w);
        const Value* const from =
            image + (valid ? static_cast<long long>(h * view.width + w) * view.pixel : 0);
        for (int chunk = team.sub; chunk < chunks_; chunk += team.lanes)
          ptx::cp_async_cg_16(
              to + static_cast<unsigned>(at.row * s_.row_pitch_bytes +
                                         at.column * s_.pixel_pitch_bytes + chunk * kChunk),
              from + chunk * kWidth, valid);
      }
    }
    ptx::cp_async_commit_group();
  }

  // Makes operands from the loaded part of the tensor, as chunks of 16 bytes. With channels last,
  // each thread reads only data that it copied itself, so no barrier is needed before this call.
  // With channels first, a thread reads data that other threads copied, so the caller must call
  // __syncthreads before this call.
  __device__ void finish(const Region& part, int stage) const {
    if constexpr (kChannelsFirst) {
      transpose(part);
    } else if constexpr (kMath == Math::tf32) {
      const Team team(s_.load_shift);
      unsigned char* const halo = shared_ + s_.at + stage * s_.turn_bytes;
      for (Walk at(team, part.width); at.row < part.height; at.next(team))
        for (int chunk = team.sub; chunk < chunks_; chunk += team.lanes) {
          auto* const place =
              reinterpret_cast<float4*>(halo + at.row * s_.row_pitch_bytes +
                                        at.column * s_.pixel_pitch_bytes + chunk * kChunk);
          const float4 raw = *place;
          *place = make_float4(as_operand<kMath>(raw.x), as_operand<kMath>(raw.y),
                               as_operand<kMath>(raw.z), as_operand<kMath>(raw.w));
        }
    }
  }

 private:
  __device__ const Value* inside_of(const Region& part) const {
    return first_ + part.image * s_.view.image +
           (max(part.top, 0) * s_.view.width + max(part.left, 0));
  }

  // For channels first: reads the pixels of each channel from shared memory, and writes the
  // channels of each pixel as chunks of 16 bytes.
  __device__ void transpose(const Region& part) const {
    const View& view = s_.view;
    const Team team(s_.row_shift);
    const unsigned char* const raw = shared_ + s_.raw_at + lead_of(inside_of(part)) -
                                     max(part.top, 0) * s_.raw_row_bytes -
                                     max(part.left, 0) * kSize;
    const bool full = s_.channels % kWidth == 0;
    const int pitch = s_.raw_channel_bytes;
    for (Walk at(team, part.height); at.row < chunks_; at.next(team)) {
      const int h = part.top + at.column;
      int channel = at.row * kWidth, count = kWidth;
      if (!full) {
        const int group = at.row / s_.chunks, in_group = (at.row - group * s_.chunks) * kWidth;
        channel = group * s_.channels + in_group;
        count = s_.channels - in_group;
      }
      const unsigned char* const line = raw + channel * pitch + h * s_.raw_row_bytes;
      unsigned char* const to = shared_ + s_.at + at.column * s_.row_pitch_bytes + at.row * kChunk;
      for (int column = team.sub; column < part.width; column += team.lanes) {
        const int w = part.left + column;
        Chunk<kMath> chunk;
        chunk.words = make_uint4(0, 0, 0, 0);
        if (inside(view, h, w)) {
          const unsigned char* const from = line + w * kSize;
          if (count >= kWidth) {
#pragma unroll
            for (int i = 0; i < kWidth; ++i)
              chunk.elements[i] =
                  as_operand<kMath>(*reinterpret_cast<const Value*>(from + i * pitch));
          } else {
#pragma unroll
            for (int i = 0; i < kWidth; ++i)
              if (i < count)
                chunk.elements[i] =
                    as_operand<kMath>(*reinterpret_cast<const Value*>(from + i * pitch));
          }
        }
        *reinterpret_cast<uint4*>(to + column * s_.pixel_pitch_bytes) = chunk.words;
      }
    }
  }

  const Source& s_;
  unsigned char* shared_;
  const Value* first_;
  const unsigned char* end_;
  int channels_, chunks_;
};

}  // namespace atc::grouped
