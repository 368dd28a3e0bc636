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
  const unsigned from = dim.step.divisor == 1 ? index : quotient(index, dim.step);
  place.absent = place.absent || from >= dim.inside || from * dim.step.divisor != index;
  place.source += from * dim.source;
}

// Of dimensions without steps and holes, whose offsets fit 32 bits.
struct PlainPlace {
  unsigned source = 0, target = 0;
  static constexpr bool absent = false;
};

__device__ inline void step_to(PlainPlace& place, const UnitsDim& dim, unsigned index) {
  place.source += index * static_cast<unsigned>(dim.source);
  place.target += index * static_cast<unsigned>(dim.target);
}

// Goes over `rank` dimensions, the fastest first; what is left of `number` is the slowest one's.
template <typename AnyPlace, int kMost>
__device__ inline AnyPlace place_of(const UnitsDim (&dims)[kMost], int rank, unsigned number) {
  AnyPlace place;
#pragma unroll
  for (int i = kMost - 1; i >= 0; --i) {
    if (i >= rank) continue;
    const unsigned rest = i == 0 ? 0 : quotient(number, dims[i].extent);
    step_to(place, dims[i], number - rest * dims[i].extent.divisor);
    number = rest;
  }
  return place;
}

template <typename AnyPlace, typename Unit>
__device__ inline void move_units_by(Unit* target, const Unit* source, const UnitsMove& move) {
  constexpr unsigned kUnits = units_of_thread(sizeof(Unit));
  const unsigned first = blockIdx.x * (kMoveThreads * kUnits) + threadIdx.x;
  Unit units[kUnits] = {};
  decltype(AnyPlace::target) targets[kUnits];
#pragma unroll
  for (unsigned k = 0; k < kUnits; ++k) {
    const unsigned number = first + k * kMoveThreads;
    if (number >= move.units) break;
    const AnyPlace place = place_of<AnyPlace>(move.dims, move.rank, number);
    targets[k] = place.target;
    if (!move.zero && !place.absent) units[k] = source[place.source];
  }
#pragma unroll
  for (unsigned k = 0; k < kUnits; ++k) {
    if (first + k * kMoveThreads >= move.units) break;
    target[targets[k]] = units[k];
  }
}

template <typename Unit>
__device__ inline void move_units(Unit* target, const Unit* source, const UnitsMove& move) {
  if (move.plain)
    move_units_by<PlainPlace>(target, source, move);
  else
    move_units_by<Place>(target, source, move);
}

// Elements of an access of 8 or 16 bytes.
template <typename Element, int kLength>
struct alignas(sizeof(Element) * kLength) Row {
  Element elements[kLength];
};

template <int kLength, typename Element>
__device__ inline void move_wide(Element* target, const Element* source, const WideMove& move) {
  constexpr unsigned kPieces = pieces_of_thread(kLength);
  const unsigned first = blockIdx.x * (kMoveThreads * kPieces) + threadIdx.x;
  const UnitsDim& last = move.dims[move.rank - 1];
  Row<Element, kLength> rows[kPieces] = {};
  long long targets[kPieces];
#pragma unroll
  for (unsigned k = 0; k < kPieces; ++k) {
    const unsigned number = first + k * kMoveThreads;
    if (number >= move.all_pieces) break;
    const unsigned others = quotient(number, move.pieces);
    const unsigned begin = (number - others * move.pieces.divisor) * kLength;
    const Place place = place_of<Place>(move.dims, move.rank - 1, others);
    targets[k] = place.target + begin;
    if (place.absent) continue;
#pragma unroll
    for (unsigned j = 0; j < kLength; ++j) {
      Place element = place;
      step_to(element, last, begin + j);
      if (!element.absent) rows[k].elements[j] = source[element.source];
    }
  }
#pragma unroll
  for (unsigned k = 0; k < kPieces; ++k) {
    if (first + k * kMoveThreads >= move.all_pieces) break;
    *reinterpret_cast<Row<Element, kLength>*>(target + targets[k]) = rows[k];
  }
}

// ---- Tiles
// ----------------------------------------------------------------------------------------

// One word more after each 32, and some after each 1024: threads that write words a row apart, or
// four words next to each other, meet different banks.
template <int kWidth>
__device__ inline unsigned slot(unsigned word) {
  return word + (word >> 5) + (kWidth == 2 ? 4 : 2) * (word >> 10);
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

// Where the tile begins, in the source, the target and the runs a and b.
struct Corner {
  long long source, target;
  unsigned a, b;
  bool absent;
};

// How units of kWidth bytes lie in words, and in accesses of kBytes.
template <int kWidth, int kBytes>
struct Packing {
  static constexpr unsigned kUnits = kWidth < 4 ? 4 / kWidth : 1;  // in a word
  static constexpr unsigned kWords = kWidth > 4 ? kWidth / 4 : 1;  // of a unit
  static constexpr unsigned kLength = kBytes / kWidth;             // of an access, in units
};

// Accesses of kBytes along a, 32 bytes of them for each thread at a time.
template <int kWidth, int kBytes>
__device__ inline void load_tile(unsigned* words, const char* source, const TileMove& move,
                                 const Corner& corner) {
  using Piece = typename Access<kBytes>::Type;
  using Packed = Packing<kWidth, kBytes>;
  constexpr unsigned kItems = kTileWords / Packed::kWords / Packed::kLength / kMoveThreads;
  constexpr unsigned kRound = kItems * Packed::kUnits > 8 ? 8 / Packed::kUnits : kItems;
  const unsigned pieces_bits = kTileBits - move.row_bits - log2_of(Packed::kLength);
  const unsigned pieces_mask = (1u << pieces_bits) - 1;
#pragma unroll 1
  for (unsigned begin = threadIdx.x; begin < kItems * kMoveThreads;
       begin += kRound * kMoveThreads) {
    Piece pieces[kRound][Packed::kUnits] = {};
#pragma unroll
    for (unsigned k = 0; k < kRound; ++k) {
      const unsigned item = begin + k * kMoveThreads;
      const unsigned a = corner.a + (item & pieces_mask) * Packed::kLength;
      const unsigned row = corner.b + (item >> pieces_bits) * Packed::kUnits;
#pragma unroll
      for (unsigned i = 0; i < Packed::kUnits; ++i) {
        if (corner.absent || a >= move.a_inside || row + i >= move.b.extent) continue;
        const Place place = place_of<Place>(move.b.dims, move.b.rank, row + i);
        if (place.absent) continue;
        pieces[k][i] = *reinterpret_cast<const Piece*>(
            source + (corner.source + a * move.a_source + place.source) * kWidth);
      }
    }
#pragma unroll
    for (unsigned k = 0; k < kRound; ++k) {
      const unsigned item = begin + k * kMoveThreads;
      const unsigned first = (((item & pieces_mask) * Packed::kLength) << move.row_bits) +
                             (item >> pieces_bits) * Packed::kWords;
#pragma unroll
      for (unsigned j = 0; j < Packed::kLength; ++j)
#pragma unroll
        for (unsigned i = 0; i < Packed::kWords; ++i) {
          const unsigned at = j * Packed::kWords / Packed::kUnits + i;
          const unsigned word = word_of(pieces[k][0], at);
          words[slot<kWidth>(first + (j << move.row_bits) + i)] =
              Packed::kUnits == 1 ? word
                                  : __byte_perm(word, word_of(pieces[k][Packed::kUnits - 1], at),
                                                j % 2 ? 0x7632 : 0x5410);
        }
    }
  }
}

template <int kWidth>
__device__ inline void gather(unsigned& piece, const unsigned* words, unsigned first) {
  piece = words[slot<kWidth>(first)];
}
template <int kWidth>
__device__ inline void gather(uint2& piece, const unsigned* words, unsigned first) {
  piece = make_uint2(words[slot<kWidth>(first)], words[slot<kWidth>(first + 1)]);
}
template <int kWidth>
__device__ inline void gather(uint4& piece, const unsigned* words, unsigned first) {
  piece = make_uint4(words[slot<kWidth>(first)], words[slot<kWidth>(first + 1)],
                     words[slot<kWidth>(first + 2)], words[slot<kWidth>(first + 3)]);
}

// Accesses of kBytes along b.
template <int kWidth, int kBytes>
__device__ inline void store_tile(char* target, const unsigned* words, const TileMove& move,
                                  const Corner& corner) {
  using Piece = typename Access<kBytes>::Type;
  using Packed = Packing<kWidth, kBytes>;
  constexpr unsigned kItems =
      kTileWords * Packed::kUnits / Packed::kWords / Packed::kLength / kMoveThreads;
  const unsigned pieces_bits =
      move.row_bits + log2_of(Packed::kUnits) - log2_of(Packed::kWords * Packed::kLength);
#pragma unroll
  for (unsigned k = 0; k < kItems; ++k) {
    const unsigned item = k * kMoveThreads + threadIdx.x;
    const unsigned in_row = (item & ((1u << pieces_bits) - 1)) * Packed::kLength;
    const unsigned row = item >> pieces_bits;
    const unsigned a = corner.a + row, b = corner.b + in_row;
    if (a >= move.a.extent || b >= move.b.extent) continue;
    const unsigned first = (row << move.row_bits) + in_row * Packed::kWords / Packed::kUnits;
    Piece piece;
    if constexpr (kBytes == 2)
      piece = static_cast<Piece>(words[slot<kWidth>(first)] >> (in_row % 2 * 16));
    else
      gather<kWidth>(piece, words, first);
    const Place place = place_of<Place>(move.a.dims, move.a.rank, a);
    *reinterpret_cast<Piece*>(target +
                              (corner.target + place.target + b * move.b_target) * kWidth) = piece;
  }
}

template <int kWidth>
__device__ inline void move_tile(char* target, const char* source, const TileMove& move) {
  __shared__ unsigned words[kTileSlots];
  const unsigned others = quotient(blockIdx.x, move.a_tiles);
  const unsigned outer = others / move.b_tiles;
  const unsigned a_bits = kTileBits - static_cast<unsigned>(move.row_bits);
  const Place place = place_of<Place>(move.outer, move.rank, outer);
  const Corner corner{
      place.source, place.target, (blockIdx.x - others * move.a_tiles.divisor) << a_bits,
      ((others - outer * move.b_tiles) << move.row_bits) * 4 / kWidth, place.absent};
  if (move.load_bytes == 16)
    load_tile<kWidth, 16>(words, source, move, corner);
  else if (move.load_bytes == 8)
    load_tile<kWidth, 8>(words, source, move, corner);
  else if (kWidth <= 4 && move.load_bytes == 4)
    load_tile<kWidth, kWidth <= 4 ? 4 : kWidth>(words, source, move, corner);
  else if (kWidth == 2)
    load_tile<kWidth, kWidth>(words, source, move, corner);
  __syncthreads();
  if (move.store_bytes == 16)
    store_tile<kWidth, 16>(target, words, move, corner);
  else if (move.store_bytes == 8)
    store_tile<kWidth, 8>(target, words, move, corner);
  else if (kWidth <= 4 && move.store_bytes == 4)
    store_tile<kWidth, kWidth <= 4 ? 4 : kWidth>(target, words, move, corner);
  else if (kWidth == 2)
    store_tile<kWidth, kWidth>(target, words, move, corner);
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

extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_wide_2_4(unsigned short* target, const unsigned short* source,
                      const __grid_constant__ WideMove move) {
  move_wide<4>(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_wide_2_8(unsigned short* target, const unsigned short* source,
                      const __grid_constant__ WideMove move) {
  move_wide<8>(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads)
    atc_move_wide_4_4(unsigned* target, const unsigned* source,
                      const __grid_constant__ WideMove move) {
  move_wide<4>(target, source, move);
}

// How many blocks a multiprocessor is to hold. Six have 48 KB on their way: 26 KB keep the memory
// of an H200 busy.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr unsigned kTileBlocks = 4;  // all that there are threads for
#else
constexpr unsigned kTileBlocks = 6;
#endif

extern "C" __global__ void __launch_bounds__(kMoveThreads, kTileBlocks)
    atc_move_tile_2(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile<2>(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads, kTileBlocks)
    atc_move_tile_4(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile<4>(target, source, move);
}
extern "C" __global__ void __launch_bounds__(kMoveThreads, kTileBlocks)
    atc_move_tile_8(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile<8>(target, source, move);
}

}  // namespace atc::rewrite
