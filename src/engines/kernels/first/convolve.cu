// This kernel computes forward for first layers (up to four input channels). It uses tensor cores
// (mma.sync) or, for fp32, FFMA.
//
// The kernel computes (a slot is a 32-bit word of the inputs that a pixel reads):
//   y[pixel, k] = sum over slots of x[window of the pixel + offset of the slot] * w[k, slot]
//
// The window of a pixel is the inputs that it reads. K of the matrix product is slots: the taps and
// input channels of a window, as 32-bit words of the input's rows (geometry.hpp). With channels
// first, M is output channels and N is pixels. With channels last, M is pixels and N is output
// channels. A block is persistent: it keeps the filters of up to 64 output channels in shared
// memory and iterates over tiles. With two stages, the next tile's input is copied while a tile is
// multiplied. A warp computes all of the block's channels for 32 pixels at a time.
//
// Outputs are stored directly from registers or, if g.outputs_at is set, by way of shared memory.
// For direct stores, pixel_of and channel_of assign pixels and channels to lanes in such a way that
// the stores are wide and coalesced.
//
// Contract
//   x, y     dense tensors, both channels first or both channels last; y is aligned to g.vector
//            elements
//   w        any strides (Filters)
//   bias     of the type of y; not read unless g.has_bias is set
//   refused  more than four input channels, groups, negative padding, windows that are too large
//            (`objection` in shape.cpp)
//   assumed  Pixels of padding are zeros. So an Inf or NaN in w also reaches outputs whose tap lies
//            in padding
//
// Shared memory, by offset in bytes (the biases are in a static array)
//   0                    the table of slots. Tensor cores: 64 bytes for each step of K, with
//                        offsets and masks. FFMA: 4 bytes for each slot, its offset
//   g.filter_offsets_at  8 bytes for each element of a slot: its offset in w, or -1
//   g.filters_at         the filters, in the order in which lanes read them
//   g.outputs_at         the staged outputs of a pass; 0 if outputs are stored directly
//   g.halo_at            g.stages stages of g.halo_bytes: the input of one tile or of two tiles
#include "engines/kernels/first/tile.cuh"

namespace atc::first {

namespace {

// ---- Fragments: the pixels and channels that a lane computes ----

// In an mma, the pixels of a warp are groups of eight rows or eight columns. Returns which of the
// warp's 32 pixels is computed at place `place` (0 to 7) of group number `eight` (0 to 3).
template <bool kChannelsLast>
__device__ inline int pixel_of(const Geometry& g, int eight, int place) {
  if constexpr (kChannelsLast) {
    if (g.interleaved) return eight / 2 * 16 + place * 2 + eight % 2;
  } else if (g.outputs_at == 0) {
    if (g.vector == 8) return place / 2 * 8 + eight * 2 + place % 2;
    if (g.vector == 4) return eight / 2 * 16 + place / 2 * 4 + eight % 2 * 2 + place % 2;
  }
  return eight * 8 + place;
}

// In an mma, the output channels of a block are groups of eight rows or eight columns. Returns
// which of the block's channels is computed at place `place` (0 to 7) of group number `eight`.
template <Math kMath, bool kChannelsLast>
__device__ inline int channel_of(int eight, int place) {
  constexpr int kVector = 16 / kBytes<kMath>, kPairs = kVector / 2;
  if constexpr (!kChannelsLast) return eight * 8 + place;
  return eight / kPairs * 4 * kVector + place / 2 * kVector + eight % kPairs * 2 + place % 2;
}

// ---- Filters of a block ----

// Writes the filters into shared memory, in the order in which the lanes of a warp read them. For
// tensor cores, each lane has four words for each step of K and each m16 tile of channels. For
// FFMA, the channels of one lane are next to each other for each slot (a 32-bit word of a filter).
template <Math kMath, bool kChannelsLast, int kM16Tiles>
__device__ void place_filters(const Geometry& g, int first_channel, const void* w,
                              unsigned char* shared) {
  constexpr int kElements = 4 / kBytes<kMath>;
  const auto* const filters = static_cast<const Element<kMath>*>(w);
  auto* const offsets = reinterpret_cast<long long*>(shared + g.filter_offsets_at);
  const int slots = g.steps * (kMath == Math::fp32 ? 1 : kStepSlots);
  for (int i = static_cast<int>(threadIdx.x); i < slots; i += kThreads) {
    // A slot is a 32-bit word of a filter. The last step of K may have places for more slots than
    // exist. These places get the offset of slot 0, which is a valid address. Their mask makes the
    // operand zero.
    Slot slot = slot_of(g.w, g.x, g.slots, i < g.slots.count ? i : 0);
    if (i >= g.slots.count) slot.tap[0] = slot.tap[1] = -1;
    unsigned mask = 0;
    for (int k = 0; k < kElements; ++k) {
      const int tap = slot.tap[k], s = tap % g.w.width, rest = tap / g.w.width;
      offsets[i * kElements + k] = tap < 0 ? -1
                                           : rest / g.w.height * g.w.strides[1] +
                                                 rest % g.w.height * g.w.strides[2] +
                                                 s * g.w.strides[3];
      if (tap >= 0) mask |= kElements == 1 ? ~0u : 0xffffu << (16 * k);
    }
    auto* const table = reinterpret_cast<int*>(shared);
    if constexpr (kMath == Math::fp32) {
      table[i] = slot.offset_bytes;
    } else {
      // A slot is a 32-bit word of a filter. In a step of eight slots, lanes with the same
      // remainder t modulo 4 multiply the slots t and t + 4. Entry t of the table has the two
      // offsets of these slots, followed by their two masks.
      int* const entry = table + (i / kStepSlots * 4 + i % 4) * 4 + i % kStepSlots / 4;
      entry[0] = slot.offset_bytes;
      entry[2] = static_cast<int>(mask);
    }
  }
  __syncthreads();
  auto* const words = reinterpret_cast<unsigned*>(shared + g.filters_at);
  constexpr int kStep = kMath == Math::fp32 ? kM16Tiles * 16 : kM16Tiles * 128;
#pragma unroll 4
  for (unsigned i = threadIdx.x; i < static_cast<unsigned>(g.steps * kStep); i += kThreads) {
    const unsigned step = i / kStep, in_step = i % kStep;
    unsigned eight, place, slot;
    if constexpr (kMath != Math::fp32) {
      const unsigned lane = in_step / 4 % 32;
      eight = in_step / 128 * 2 + in_step % 2;
      place = lane / 4;
      slot = step * kStepSlots + in_step / 2 % 2 * 4 + lane % 4;
    } else if constexpr (kChannelsLast) {
      eight = in_step % (kM16Tiles * 4) / 2;
      place = in_step / (kM16Tiles * 4) * 2 + in_step % 2;
      slot = step;
    } else {
      eight = in_step % (kM16Tiles * 2);
      place = in_step / (kM16Tiles * 2);
      slot = step;
    }
    const int channel = first_channel + channel_of<kMath, kChannelsLast>(static_cast<int>(eight),
                                                                         static_cast<int>(place));
    unsigned word = 0;
#pragma unroll
    for (int k = 0; k < kElements; ++k) {
      const long long offset = offsets[slot * kElements + k];
      if (channel >= g.channels || offset < 0) continue;
      const Element<kMath> value = as_operand<kMath>(filters[channel * g.w.strides[0] + offset]);
      if constexpr (kElements == 1)
        word = __float_as_uint(value);
      else
        word |= static_cast<unsigned>(*reinterpret_cast<const unsigned short*>(&value)) << (16 * k);
    }
    words[i] = word;
  }
}

// ---- Epilogue: stores ----

// Rounds two floats to two neighbouring elements. For elements of 16 bits this is one instruction.
__device__ inline void round_two(float first, float second, float* to) {
  to[0] = first;
  to[1] = second;
}
__device__ inline void round_two(float first, float second, __half* to) {
  *reinterpret_cast<__half2*>(to) = __floats2half2_rn(first, second);
}
__device__ inline void round_two(float first, float second, __nv_bfloat16* to) {
  *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(first, second);
}

// Stores kCount elements by one instruction.
template <int kCount, typename Value>
__device__ inline void store_vector(const Value* values, Value* to) {
  constexpr int kWords = kCount * static_cast<int>(sizeof(Value)) / 4;
  const auto* const words = reinterpret_cast<const unsigned*>(values);
  if constexpr (kWords == 4)
    *reinterpret_cast<uint4*>(to) = make_uint4(words[0], words[1], words[2], words[3]);
  else if constexpr (kWords == 2)
    *reinterpret_cast<uint2*>(to) = make_uint2(words[0], words[1]);
  else
    *reinterpret_cast<unsigned*>(to) = words[0];
}

template <Math kMath, bool kChannelsLast, int kM16Tiles>
using Accumulators = float[kM16Tiles][4][4];

// For channels first: stores this lane's eight pixels, for all channels of the lane. One
// instruction stores kVector pixels.
template <Math kMath, int kM16Tiles, int kVector>
__device__ void store_planes(const Geometry& g, const Tile& tile, int first_pixel,
                             int first_channel, const Accumulators<kMath, false, kM16Tiles>& accum,
                             Element<kMath>* y) {
  constexpr int kUnits = 8 / kVector;
  const int lane = static_cast<int>(threadIdx.x) % 32;
  int at[kUnits];
#pragma unroll
  for (int i = 0; i < kUnits; ++i) {
    const int pixel =
        first_pixel + pixel_of<false>(g, i * kVector / 2, lane % 4 * 2 + i * kVector % 2);
    const auto [row, column] = place_of(g, tile.offset + pixel);
    at[i] = pixel < tile.count && column < tile.width
                ? (tile.row + row) * g.width + tile.column + column
                : -1;
  }
#pragma unroll
  for (int i = 0; i < kM16Tiles * 2; ++i) {
    const int channel = i * 8 + lane / 4;
    if (first_channel + channel >= g.channels) break;
    Element<kMath>* const plane = y + static_cast<long long>(channel) * g.y_channel;
    alignas(16) Element<kMath> values[8];
#pragma unroll
    for (int k = 0; k < 4; ++k)
      round_two(accum[i / 2][k][i % 2 * 2], accum[i / 2][k][i % 2 * 2 + 1], values + k * 2);
#pragma unroll
    for (int k = 0; k < kUnits; ++k) {
      if (at[k] < 0) continue;
      if constexpr (kVector == 1)
        plane[at[k]] = values[k];
      else
        store_vector<kVector>(values + k * kVector, plane + at[k]);
    }
  }
}

// For channels first: rounds the sums of a pass (the pixels that a block multiplies at once) and
// writes them into shared memory, from where store_staged stores them in long runs. This is faster
// than direct stores if channels begin in the middle of a memory sector.
template <Math kMath, int kM16Tiles>
__device__ void stage_planes(const Accumulators<kMath, false, kM16Tiles>& accum,
                             unsigned char* staged) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll
  for (int i = 0; i < kM16Tiles * 2; ++i) {
    auto* const row = reinterpret_cast<Element<kMath>*>(
                          staged + (i * 8 + lane / 4) * outputs_pitch_bytes(kBytes<kMath>)) +
                      warp * kWarpPixels + lane % 4 * 2;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      alignas(8) Element<kMath> two[2];
      round_two(accum[i / 2][k][i % 2 * 2], accum[i / 2][k][i % 2 * 2 + 1], two);
      store_vector<2>(two, row + k * 8);
    }
  }
}

template <Math kMath, int kM16Tiles, int kVector>
__device__ void store_staged(const Geometry& g, const Tile& tile, int first_pixel,
                             int first_channel, const unsigned char* staged, Element<kMath>* y) {
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
#pragma unroll 2
  for (int i = lane * kVector; i < kPass; i += 32 * kVector) {
    const int pixel = first_pixel + i;
    const auto [row, column] = place_of(g, tile.offset + pixel);
    if (pixel >= tile.count || column >= tile.width) continue;
    Element<kMath>* const to = y + (tile.row + row) * g.width + tile.column + column;
#pragma unroll 4
    for (int channel = warp; channel < kM16Tiles * 16; channel += kWarps) {
      if (first_channel + channel >= g.channels) break;
      const auto* const from = reinterpret_cast<const Element<kMath>*>(
                                   staged + channel * outputs_pitch_bytes(kBytes<kMath>)) +
                               i;
      Element<kMath>* const place = to + static_cast<long long>(channel) * g.y_channel;
      if constexpr (kVector == 1)
        *place = *from;
      else
        store_vector<kVector>(from, place);
    }
  }
}

// For channels last: stores this lane's channels, for its four pixels. One instruction stores 16
// bytes or, if g.vector is 1, one element.
template <Math kMath, int kM16Tiles>
__device__ void store_pixels(const Geometry& g, const Tile& tile, int first_pixel,
                             int first_channel, const Accumulators<kMath, true, kM16Tiles>& accum,
                             Element<kMath>* y) {
  constexpr int kVector = 16 / kBytes<kMath>;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int pixel = first_pixel + pixel_of<true>(g, i, lane / 4);
    const auto [row, column] = place_of(g, tile.offset + pixel);
    if (pixel >= tile.count || column >= tile.width) continue;
    Element<kMath>* const to =
        y + static_cast<long long>((tile.row + row) * g.width + tile.column + column) * g.y_pixel;
#pragma unroll
    for (int k = 0; k < kM16Tiles * 4 / kVector; ++k) {
      const int channel = channel_of<kMath, true>(k * kVector / 2, lane % 4 * 2);
      alignas(16) Element<kMath> values[kVector];
#pragma unroll
      for (int v = 0; v < kVector; v += 2) {
        const int eight = (k * kVector + v) / 2;
        const auto& two = accum[eight / 2][i / 2 * 2 + eight % 2];
        round_two(two[i % 2 * 2], two[i % 2 * 2 + 1], values + v);
      }
      const int left = g.channels - first_channel - channel;
      if (g.vector == kVector && left > 0) {
        store_vector<kVector>(values, to + channel);
      } else {
#pragma unroll
        for (int v = 0; v < kVector; ++v)
          if (v < left) to[channel + v] = values[v];
      }
    }
  }
}

// ---- The kernel ----

// kM16Tiles is the number of m16 tiles of a block's channels. If kOdd is true, the window of a
// pixel may begin in the middle of an aligned 32-bit word. Then each word of an operand is put
// together from two words.
template <Math kMath, bool kChannelsLast, int kM16Tiles, bool kOdd>
__device__ __forceinline__ void convolve(const Geometry& g, const void* x, const void* w,
                                         const void* bias, void* y) {
  constexpr bool kTensorCores = kMath != Math::fp32;
  unsigned char* const shared = ptx::dynamic_shared();
  __shared__ float biases[kM16Tiles * 16];
  const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
  const int channel_block = static_cast<int>(blockIdx.x) % g.channel_blocks;
  const int first_channel = channel_block * kM16Tiles * 16;
  const int first_tile = static_cast<int>(blockIdx.x) / g.channel_blocks;
  const int apart = static_cast<int>(gridDim.x) / g.channel_blocks;
  const int tiles = g.images * g.tiles;
  auto* const out =
      static_cast<Element<kMath>*>(y) + static_cast<long long>(first_channel) * g.y_channel;

  load_input<kMath>(g, tile_of(g, first_tile), x, shared + g.halo_at);
  ptx::cp_async_commit_group();
  for (int i = static_cast<int>(threadIdx.x); i < kM16Tiles * 16; i += kThreads)
    biases[i] = g.has_bias && first_channel + i < g.channels
                    ? to_float(static_cast<const Element<kMath>*>(bias)[first_channel + i])
                    : 0.0f;
  place_filters<kMath, kChannelsLast, kM16Tiles>(g, first_channel, w, shared);

  int stage = 0;
  for (int number = first_tile; number < tiles; number += apart) {
    // If there are two stages, starts to copy the next tile's input. Then waits for this tile's
    // input, and rounds it if the operands are TF32.
    const Tile tile = tile_of(g, number);
    const int next = number + apart;
    if (g.stages == 2 && next < tiles) {
      load_input<kMath>(g, tile_of(g, next), x, shared + g.halo_at + (stage ^ 1) * g.halo_bytes);
      ptx::cp_async_commit_group();
      ptx::cp_async_wait_group<1>();
    } else {
      ptx::cp_async_wait_group<0>();
    }
    __syncthreads();
    make_operands<kMath>(shared + g.halo_at + stage * g.halo_bytes, g.halo_bytes);
    const unsigned char* const halo = shared + g.halo_at + stage * g.halo_bytes;
    for (int pass = 0; pass < tile.count; pass += kPass) {
      const int first = pass + warp * kWarpPixels;
      if (first >= tile.count && (kChannelsLast || g.outputs_at == 0)) break;
      // One pass: each warp of the block computes the products of 32 pixels. The accumulators begin
      // with the bias.
      // The sums of a warp: kM16Tiles * 16 channels x 32 pixels.
      float accum[kM16Tiles][4][4];
#pragma unroll
      for (int i = 0; i < kM16Tiles * 4; ++i)
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          const int eight = i / 4 * 2 + (kChannelsLast ? i % 2 : k / 2);
          const int place = kChannelsLast ? lane % 4 * 2 + k % 2 : lane / 4;
          accum[i / 4][i % 4][k] = biases[channel_of<kMath, kChannelsLast>(eight, place)];
        }
      const auto window = [&](int eight, int place) {
        const int pixel = first + pixel_of<kChannelsLast>(g, eight, place);
        return window_of(g, tile, pixel < tile.count ? pixel : 0);
      };
      if constexpr (kTensorCores) {
        const unsigned char* pixels[4];
        [[maybe_unused]] unsigned halves[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          const int at = window(i, lane / 4);
          pixels[i] = halo + (kOdd ? at & ~3 : at);
          if constexpr (kOdd) halves[i] = (at & 2) != 0 ? 0x5432 : 0x3210;
        }
        const auto* table = reinterpret_cast<const int4*>(shared) + lane % 4;
        const auto* filters = reinterpret_cast<const uint4*>(shared + g.filters_at) + lane;
        int4 next_slots = *table;
        for (int step = 0; step < g.steps; ++step) {
          const int4 slots = next_slots;
          // Reads the entry of the table of slots (words of K) for the next step. In the last step,
          // this load reads bytes after the table, whose values are not used.
          next_slots = *(table += 4);
          uint4 f[kM16Tiles];
#pragma unroll
          for (int i = 0; i < kM16Tiles; ++i) f[i] = filters[i * 32];
          unsigned in[4][2];
#pragma unroll
          for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              const auto* const words =
                  reinterpret_cast<const unsigned*>(pixels[i] + (half == 0 ? slots.x : slots.y));
              unsigned word = words[0];
              if constexpr (kOdd) word = __byte_perm(word, words[1], halves[i]);
              // The mask sets to zero the parts of a word that do not belong to the sum. In the
              // last step, these are whole words after the last one. With elements of 16 bits, one
              // half of a word may be masked in every step.
              if (kBytes<kMath> == 2 || step + 1 == g.steps)
                word &= static_cast<unsigned>(half == 0 ? slots.z : slots.w);
              in[i][half] = word;
            }
#pragma unroll
          for (int i = 0; i < kM16Tiles; ++i) {
            if constexpr (kChannelsLast) {
#pragma unroll
              for (int k = 0; k < 2; ++k) {
                const unsigned a[4] = {in[2 * k][0], in[2 * k + 1][0], in[2 * k][1],
                                       in[2 * k + 1][1]};
                ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k * 2], a, f[i].x, f[i].z);
                ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k * 2 + 1], a, f[i].y, f[i].w);
              }
            } else {
              const unsigned a[4] = {f[i].x, f[i].y, f[i].z, f[i].w};
#pragma unroll
              for (int k = 0; k < 4; ++k)
                ptx::mma_sync_m16n8<kOperandType<kMath>>(accum[i][k], a, in[k][0], in[k][1]);
            }
          }
          filters += kM16Tiles * 32;
        }
      } else {
        // For fp32, FFMA is used in place of mma: a lane computes the same pixels and channels as
        // with mma.
        constexpr int kPixels = kChannelsLast ? 4 : 8,
                      kChannels = kChannelsLast ? kM16Tiles * 4 : kM16Tiles * 2;
        const unsigned char* pixels[kPixels];
#pragma unroll
        for (int i = 0; i < kPixels; ++i)
          pixels[i] =
              halo + (kChannelsLast ? window(i, lane / 4) : window(i / 2, lane % 4 * 2 + i % 2));
        const auto* table = reinterpret_cast<const int*>(shared);
        const auto* filters = reinterpret_cast<const float4*>(shared + g.filters_at) +
                              (kChannelsLast ? lane % 4 : lane / 4) * (kChannels / 4);
        for (int step = 0; step < g.steps; ++step) {
          const int offset = table[step];
          float in[kPixels], f[kChannels];
#pragma unroll
          for (int i = 0; i < kChannels; i += 4) {
            const float4 four = filters[i / 4];
            f[i] = four.x;
            f[i + 1] = four.y;
            f[i + 2] = four.z;
            f[i + 3] = four.w;
          }
#pragma unroll
          for (int i = 0; i < kPixels; ++i)
            in[i] = *reinterpret_cast<const float*>(pixels[i] + offset);
#pragma unroll
          for (int i = 0; i < kPixels; ++i)
#pragma unroll
            for (int k = 0; k < kChannels; ++k) {
              float& sum = kChannelsLast ? accum[k / 4][i / 2 * 2 + k / 2 % 2][i % 2 * 2 + k % 2]
                                         : accum[k / 2][i / 2][k % 2 * 2 + i % 2];
              sum = fmaf(in[i], f[k], sum);
            }
          filters += kM16Tiles * 4;
        }
      }
      // Epilogue: applies ReLU and stores. fmaxf is not used, because it would turn a NaN into 0.
      if (g.relu)
#pragma unroll
        for (int i = 0; i < kM16Tiles * 16; ++i) {
          float& sum = accum[i / 16][i / 4 % 4][i % 4];
          sum = sum < 0 ? 0 : sum;
        }
      Element<kMath>* const to = out + tile.image * g.y_image;
      if constexpr (kChannelsLast) {
        store_pixels<kMath, kM16Tiles>(g, tile, first, first_channel, accum, to);
      } else {
        constexpr int kMost = 16 / kBytes<kMath>;
        if (g.outputs_at != 0) {
          unsigned char* const staged = shared + g.outputs_at;
          __syncthreads();
          stage_planes<kMath, kM16Tiles>(accum, staged);
          __syncthreads();
          if (g.vector == kMost)
            store_staged<kMath, kM16Tiles, kMost>(g, tile, pass, first_channel, staged, to);
          else if (kMost == 8 && g.vector == 4)
            store_staged<kMath, kM16Tiles, 4>(g, tile, pass, first_channel, staged, to);
          else if (g.vector == 2)
            store_staged<kMath, kM16Tiles, 2>(g, tile, pass, first_channel, staged, to);
          else
            store_staged<kMath, kM16Tiles, 1>(g, tile, pass, first_channel, staged, to);
        } else if (g.vector == kMost) {
          store_planes<kMath, kM16Tiles, kMost>(g, tile, first, first_channel, accum, to);
        } else if (kMost == 8 && g.vector == 4) {
          store_planes<kMath, kM16Tiles, 4>(g, tile, first, first_channel, accum, to);
        } else if (g.vector == 2) {
          store_planes<kMath, kM16Tiles, 2>(g, tile, first, first_channel, accum, to);
        } else {
          store_planes<kMath, kM16Tiles, 1>(g, tile, first, first_channel, accum, to);
        }
      }
    }
    __syncthreads();
    if (g.stages == 2) {
      stage ^= 1;
    } else if (next < tiles) {
      load_input<kMath>(g, tile_of(g, next), x, shared + g.halo_at);
      ptx::cp_async_commit_group();
    }
  }
}

}  // namespace

// The kernels' names are atc_first_<math>_<layout>_<kM16Tiles>, followed by _odd if kOdd is true.
// The layout is "first" (channels first) or "last" (channels last).
#define ATC_FIRST(name, math, last, m16_tiles, odd)                                      \
  extern "C" __global__ void __launch_bounds__(kThreads, 2)                              \
      atc_first_##name(const __grid_constant__ Geometry g, const void* x, const void* w, \
                       const void* bias, void* y) {                                      \
    kernels::enable_sm80_or_later(                                                       \
        [&] { convolve<Math::math, last, m16_tiles, odd>(g, x, w, bias, y); });          \
  }
#define ATC_FIRST_OF(math, layout, last, odd, suffix)        \
  ATC_FIRST(math##_##layout##_2##suffix, math, last, 2, odd) \
  ATC_FIRST(math##_##layout##_4##suffix, math, last, 4, odd)
#define ATC_FIRST_HALF(math)                   \
  ATC_FIRST_OF(math, first, false, false, )    \
  ATC_FIRST_OF(math, first, false, true, _odd) \
  ATC_FIRST_OF(math, last, true, false, )      \
  ATC_FIRST_OF(math, last, true, true, _odd)
#define ATC_FIRST_WORD(math)                \
  ATC_FIRST_OF(math, first, false, false, ) \
  ATC_FIRST_OF(math, last, true, false, )

ATC_FIRST_HALF(f16)
ATC_FIRST_HALF(bf16)
ATC_FIRST_WORD(tf32)
ATC_FIRST_WORD(fp32)

#undef ATC_FIRST
#undef ATC_FIRST_OF
#undef ATC_FIRST_HALF
#undef ATC_FIRST_WORD

}  // namespace atc::first
