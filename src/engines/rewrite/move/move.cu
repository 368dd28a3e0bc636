// Moves of strided tensors, at the speed of the memory where neighbours stay neighbours or two
// dimensions change places.
#include "engines/rewrite/move/parameters.hpp"

namespace atc::rewrite {

namespace {

__device__ inline unsigned quotient(unsigned number, const Divider& by) {
  return (__umulhi(number, by.multiplier) + number) >> by.shift;
}

struct Place {
  long long source = 0, target = 0;
  bool absent = false;  // in the source
};

__device__ inline void step_to(Place& place, const UnitsDim& dim, unsigned index) {
  place.target += index * dim.target;
  const unsigned from = dim.step == 1 ? index : index / dim.step;
  place.absent = place.absent || from >= dim.inside || from * dim.step != index;
  place.source += from * dim.source;
}

// Goes over `rank` dimensions, the fastest first; what is left of `number` is the slowest one's.
template <int kMost>
__device__ inline Place place_of(const UnitsDim (&dims)[kMost], int rank, unsigned number) {
  Place place;
#pragma unroll
  for (int i = kMost - 1; i >= 0; --i) {
    if (i >= rank) continue;
    const unsigned rest = i == 0 ? 0 : quotient(number, dims[i].extent);
    step_to(place, dims[i], number - rest * dims[i].extent.divisor);
    number = rest;
  }
  return place;
}

template <typename Unit>
__device__ inline void move_units(Unit* target, const Unit* source, const UnitsMove& move) {
  constexpr unsigned kUnits = units_of_thread(sizeof(Unit));
  const unsigned first = blockIdx.x * (kMoveThreads * kUnits) + threadIdx.x;
  Unit units[kUnits] = {};
  long long targets[kUnits];
#pragma unroll
  for (unsigned k = 0; k < kUnits; ++k) {
    const unsigned number = first + k * kMoveThreads;
    if (number >= move.units) break;
    const Place place = place_of(move.dims, move.rank, number);
    targets[k] = place.target;
    if (!move.zero && !place.absent) units[k] = source[place.source];
  }
#pragma unroll
  for (unsigned k = 0; k < kUnits; ++k) {
    if (first + k * kMoveThreads >= move.units) break;
    target[targets[k]] = units[k];
  }
}

// ---- Tiles
// ----------------------------------------------------------------------------------------

// One word more after each 32, and some after each 1024: threads that write words a row apart, or
// four words next to each other, meet different banks.
template <int kPack>
__device__ inline unsigned slot(unsigned word) {
  return word + (word >> 5) + 2 * kPack * (word >> 10);
}
constexpr unsigned kTileSlots = kTileWords + kTileWords / 32 + 8;

constexpr unsigned log2_of(unsigned power) { return power == 1 ? 0 : 1 + log2_of(power / 2); }

template <int kBytes>
struct Access;
template <>
struct Access<2> {
  using Type = unsigned short;
};
template <>
struct Access<4> {
  using Type = unsigned;
};
template <>
struct Access<8> {
  using Type = uint2;
};
template <>
struct Access<16> {
  using Type = uint4;
};

__device__ inline unsigned word_of(unsigned short piece, int) { return piece; }
__device__ inline unsigned word_of(unsigned piece, int) { return piece; }
__device__ inline unsigned word_of(const uint2& piece, int i) { return i == 0 ? piece.x : piece.y; }
__device__ inline unsigned word_of(const uint4& piece, int i) {
  return i == 0 ? piece.x : i == 1 ? piece.y : i == 2 ? piece.z : piece.w;
}

// Where the tile begins, in the source, the target and the dimensions a and b.
struct Corner {
  long long source, target;
  unsigned a, b;
  bool absent;
};

// Accesses of kBytes along a; kPack rows along b make a row of words.
template <int kWidth, int kBytes>
__device__ inline void load_tile(unsigned* words, const char* source, const TileMove& move,
                                 const Corner& corner) {
  using Piece = typename Access<kBytes>::Type;
  constexpr int kPack = 4 / kWidth, kLength = kBytes / kWidth;
  constexpr unsigned kItems = kTileWords / kLength / kMoveThreads;
  const unsigned pieces_bits = kTileBits - move.row_bits - log2_of(kLength);
  Piece pieces[kItems][kPack] = {};
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned item = k * kMoveThreads + threadIdx.x;
    const unsigned a = corner.a + (item & ((1u << pieces_bits) - 1)) * kLength;
    const unsigned row = (item >> pieces_bits) * kPack;
#pragma unroll
    for (unsigned i = 0; i < kPack; ++i) {
      unsigned b = corner.b + row + i;
      bool absent = corner.absent || a >= move.a_inside || b >= move.b_extent;
      if (move.b_step != 1) {
        absent = absent || b % move.b_step != 0;
        b /= move.b_step;
      }
      if (absent || b >= move.b_inside) continue;
      pieces[k][i] = *reinterpret_cast<const Piece*>(
          source + (corner.source + a * move.a_source + b * move.b_source) * kWidth);
    }
  }
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned item = k * kMoveThreads + threadIdx.x;
    const unsigned first =
        (((item & ((1u << pieces_bits) - 1)) * kLength) << move.row_bits) + (item >> pieces_bits);
#pragma unroll
    for (unsigned j = 0; j < kLength; ++j) {
      const unsigned word = word_of(pieces[k][0], j / kPack);
      words[slot<kPack>(first + (j << move.row_bits))] =
          kPack == 1 ? word
                     : __byte_perm(word, word_of(pieces[k][kPack - 1], j / kPack),
                                   j % 2 ? 0x7632 : 0x5410);
    }
  }
}

template <int kPack>
__device__ inline void gather(unsigned& piece, const unsigned* words, unsigned first) {
  piece = words[slot<kPack>(first)];
}
template <int kPack>
__device__ inline void gather(uint2& piece, const unsigned* words, unsigned first) {
  piece = make_uint2(words[slot<kPack>(first)], words[slot<kPack>(first + 1)]);
}
template <int kPack>
__device__ inline void gather(uint4& piece, const unsigned* words, unsigned first) {
  piece = make_uint4(words[slot<kPack>(first)], words[slot<kPack>(first + 1)],
                     words[slot<kPack>(first + 2)], words[slot<kPack>(first + 3)]);
}

// Accesses of kBytes along b.
template <int kWidth, int kBytes>
__device__ inline void store_tile(char* target, const unsigned* words, const TileMove& move,
                                  const Corner& corner) {
  using Piece = typename Access<kBytes>::Type;
  constexpr int kPack = 4 / kWidth, kLength = kBytes / kWidth;
  constexpr unsigned kItems = kTileWords * kPack / kLength / kMoveThreads;
  const unsigned pieces_bits = move.row_bits + log2_of(kPack) - log2_of(kLength);
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned item = k * kMoveThreads + threadIdx.x;
    const unsigned in_row = (item & ((1u << pieces_bits) - 1)) * kLength;
    const unsigned row = item >> pieces_bits;
    const unsigned a = corner.a + row, b = corner.b + in_row;
    if (a >= move.a_extent || b >= move.b_extent) continue;
    const unsigned first = (row << move.row_bits) + in_row / kPack;
    Piece piece;
    if constexpr (kBytes == 2) {
      piece = static_cast<Piece>(words[slot<kPack>(first)] >> (in_row % 2 * 16));
    } else {
      gather<kPack>(piece, words, first);
    }
    *reinterpret_cast<Piece*>(target + (corner.target + a * move.a_target + b * move.b_target) *
                                           kWidth) = piece;
  }
}

template <int kWidth>
__device__ inline void move_tile(char* target, const char* source, const TileMove& move) {
  __shared__ unsigned words[kTileSlots];
  const unsigned others = quotient(blockIdx.x, move.a_tiles);
  const unsigned outer = others / move.b_tiles;
  const Place place = place_of(move.outer, move.rank, outer);
  const Corner corner{place.source, place.target,
                      (blockIdx.x - others * move.a_tiles.divisor)
                          << (kTileBits - static_cast<unsigned>(move.row_bits)),
                      ((others - outer * move.b_tiles) << move.row_bits) * (4 / kWidth),
                      place.absent};
  switch (move.load_bytes) {
    case 16:
      load_tile<kWidth, 16>(words, source, move, corner);
      break;
    case 8:
      load_tile<kWidth, 8>(words, source, move, corner);
      break;
    case 4:
      load_tile<kWidth, 4>(words, source, move, corner);
      break;
    default:
      if constexpr (kWidth == 2) load_tile<kWidth, 2>(words, source, move, corner);
  }
  __syncthreads();
  switch (move.store_bytes) {
    case 16:
      store_tile<kWidth, 16>(target, words, move, corner);
      break;
    case 8:
      store_tile<kWidth, 8>(target, words, move, corner);
      break;
    case 4:
      store_tile<kWidth, 4>(target, words, move, corner);
      break;
    default:
      if constexpr (kWidth == 2) store_tile<kWidth, 2>(target, words, move, corner);
  }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_units_2(unsigned short* target, const unsigned short* source,
                     const __grid_constant__ UnitsMove move) {
  move_units(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_units_4(unsigned* target, const unsigned* source,
                     const __grid_constant__ UnitsMove move) {
  move_units(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_units_8(uint2* target, const uint2* source, const __grid_constant__ UnitsMove move) {
  move_units(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_units_16(uint4* target, const uint4* source, const __grid_constant__ UnitsMove move) {
  move_units(target, source, move);
}

// Eight blocks on a multiprocessor: 64 KB on their way, of which 26 KB are needed to keep the
// memory busy.
extern "C" __global__ void __launch_bounds__(kMoveThreads, 6)
    atc_move_tile_2(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile<2>(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads, 6)
    atc_move_tile_4(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile<4>(target, source, move);
}

}  // namespace atc::rewrite
