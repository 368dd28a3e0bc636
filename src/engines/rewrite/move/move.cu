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

constexpr unsigned kWord = 16;                  // bytes
constexpr unsigned kWordsAtATime = 4;           // of a thread, on their way together
constexpr unsigned short kNoUnit = 0xffff;      // a unit that the source has not
constexpr long long kNoSegment = -(1ll << 62);  // a row that the source has not

struct Tile {
  uint4 slots[kTileBytes / kWord];
  long long segments[kTileRows];            // where each row's begins, in bytes of the source
  unsigned short units[kTileRowUnits + 8];  // where those of the first place of a lie in slots
};

// Rows whose units are written by one thread, as one piece, and by its neighbours lie in different
// banks.
__device__ inline unsigned slot_of(unsigned row, const TileMove& move) {
  return row * move.pitch + row * move.width / kWord * kWord;
}

// Where a byte of the only slot lies.
__device__ inline unsigned spread(unsigned byte, const TileMove& move) {
  return move.spread ? byte + byte / (8 * kWord) * kWord : byte;
}

// Where the tile begins, in the source, the target, a and rows.
struct Corner {
  long long source, target;
  unsigned a, row;
  bool absent;
};

__device__ inline Corner corner_of(const TileMove& move, unsigned block) {
  const unsigned others = quotient(block, move.a_tiles);
  const unsigned outer = quotient(others, move.row_tiles);
  const Place place = place_of<Place>(move.outer, move.rank, outer);
  return {place.source, place.target, (block - others * move.a_tiles.divisor) * move.a_of_tile,
          (others - outer * move.row_tiles.divisor) * move.rows_of_tile, place.absent};
}

__device__ inline void find_segments(Tile& tile, const TileMove& move, const Corner& corner) {
  const long long of_a = static_cast<long long>(corner.a) * move.a_bytes;
  if (move.row_bytes != 0) {
    const auto first = static_cast<int>(corner.row) - static_cast<int>(move.rows_before);
    if (threadIdx.x == 0)
      tile.segments[0] = corner.absent ? kNoSegment
                                       : corner.source * move.width + of_a +
                                             static_cast<long long>(first) * move.row_bytes;
    return;
  }
  const unsigned rows = move.rows_before + move.rows_of_tile;
  for (unsigned i = threadIdx.x; i < rows; i += kMoveThreads) {
    const unsigned row = corner.row + i - move.rows_before;  // past all where it wraps
    long long segment = kNoSegment;
    if (!corner.absent && row < move.rows.extent) {
      const Place place = place_of<Place>(move.rows.dims, move.rows.rank, row);
      if (!place.absent) segment = (corner.source + place.source) * move.width + of_a;
    }
    tile.segments[i] = segment;
  }
}

// How far behind a multiple of 16 bytes.
__device__ inline unsigned shift_of(const char* address, long long offset = 0) {
  return static_cast<unsigned>(
      (reinterpret_cast<unsigned long long>(address) + static_cast<unsigned long long>(offset)) %
      kWord);
}

// A word of which only a part is the source's.
__device__ inline uint4 word_at_edge(const char* source, long long from, long long bytes) {
  union {
    uint4 word = {};
    unsigned short parts[kWord / 2];
  };
#pragma unroll
  for (int i = 0; i < 8; ++i)
    if (from + 2 * i >= 0 && from + 2 * i < bytes)
      parts[i] = *reinterpret_cast<const unsigned short*>(source + from + 2 * i);
  return word;
}

// Bytes of a segment of this tile: of all where they are one.
__device__ inline unsigned segment_bytes(const TileMove& move, const Corner& corner) {
  if (corner.a >= move.a_inside) return 0;
  const unsigned places = min(move.a_of_tile, move.a_inside - corner.a);
  const unsigned bytes = (places - 1) * move.a_bytes + move.inner_bytes;
  if (move.row_bytes == 0) return bytes;
  const unsigned inside = move.rows.dims[0].inside;
  if (corner.row >= inside + move.rows_before) return 0;
  const unsigned rows =
      min(move.rows_before + move.rows_of_tile, inside + move.rows_before - corner.row);
  return (rows - 1) * move.row_bytes + bytes;
}

__device__ inline void find_units(Tile& tile, const char* source, const TileMove& move,
                                  const Corner& corner) {
  const unsigned units = (move.rows_before + move.rows_of_tile) * move.inner_units.divisor;
  for (unsigned i = threadIdx.x; i < units; i += kMoveThreads) {
    const unsigned row = quotient(i, move.inner_units);
    const bool as_one = move.row_bytes != 0;
    const long long segment = tile.segments[as_one ? 0 : row];
    Place place;
    step_to(place, move.inner, i - row * move.inner_units.divisor);
    const unsigned in_slot =
        shift_of(source, segment) + static_cast<unsigned>(place.source) * move.width;
    const unsigned slot =
        as_one ? spread(row * move.row_bytes + in_slot, move) : slot_of(row, move) + in_slot;
    const bool outside = as_one && corner.row + row - move.rows_before >= move.rows.dims[0].inside;
    tile.units[i] = segment == kNoSegment || place.absent || outside
                        ? (move.full ? 0 : kNoUnit)
                        : static_cast<unsigned short>(slot);
  }
}

// Whether all segments of this tile are there, a step apart, and as far inside the source as the
// words that cover them.
__device__ inline bool is_regular(const Tile& tile, const TileMove& move, const Corner& corner) {
  if (corner.absent || corner.row < move.rows_before || move.rows.rank > 1) return false;
  const UnitsDim& dim = move.rows.dims[0];
  if (dim.step.divisor != 1 || corner.row + move.rows_of_tile > dim.inside) return false;
  const long long first = tile.segments[0];
  const long long last =
      first + (move.rows_before + move.rows_of_tile - 1) * dim.source * move.width;
  return first >= kWord && last + move.pitch + kWord <= move.source_bytes;
}

// Finds the units, too, while the first words are on their way.
template <bool kRegular>
__device__ inline void load(Tile& tile, const char* source, const TileMove& move,
                            const Corner& corner) {
  const unsigned bytes = segment_bytes(move, corner);
  const unsigned segments = move.row_bytes != 0 ? 1 : move.rows_before + move.rows_of_tile;
  const unsigned items = bytes == 0 ? 0 : segments * move.slot_words.divisor;
  const long long first = tile.segments[0], step = move.rows.dims[0].source * move.width;
  unsigned begin = threadIdx.x;
  bool found = false;
#pragma unroll 1
  do {
    uint4 words[kWordsAtATime];
    unsigned slots[kWordsAtATime];
#pragma unroll
    for (unsigned k = 0; k < kWordsAtATime; ++k) {
      slots[k] = kTileBytes;
      const unsigned item = begin + k * kMoveThreads;
      if (item >= items) continue;
      const unsigned row = quotient(item, move.slot_words);
      const unsigned at = (item - row * move.slot_words.divisor) * kWord;
      const long long segment = kRegular ? first + row * step : tile.segments[row];
      const unsigned shift = shift_of(source, segment);
      if ((!kRegular && segment == kNoSegment) || at >= shift + bytes) continue;
      slots[k] = slot_of(row, move) + spread(at, move);
      const long long from = segment - shift + at;
      words[k] = kRegular || (from >= 0 && from + kWord <= move.source_bytes)
                     ? *reinterpret_cast<const uint4*>(source + from)
                     : word_at_edge(source, from, move.source_bytes);
    }
    if (!found) find_units(tile, source, move, corner);
    found = true;
#pragma unroll
    for (unsigned k = 0; k < kWordsAtATime; ++k)
      if (slots[k] != kTileBytes) tile.slots[slots[k] / kWord] = words[k];
    begin += kWordsAtATime * kMoveThreads;
  } while (begin < items);
}

template <int kWidth>
struct UnitOf;
template <>
struct UnitOf<2> {
  using Type = unsigned short;
};
template <>
struct UnitOf<4> {
  using Type = unsigned;
};
template <>
struct UnitOf<8> {
  using Type = uint2;
};
// 16 or 8 bytes of the target.
template <int kWidth, unsigned kBytes = kWord>
struct alignas(kBytes) Piece {
  using Unit = typename UnitOf<kWidth>::Type;
  static constexpr unsigned kUnits = kBytes / kWidth;
  Unit units[kUnits] = {};

  // Where all units are the source's, what is read for those outside the move is not written.
  template <bool kFull>
  __device__ void read(unsigned i, const Tile& tile, unsigned slot, unsigned from_place,
                       bool inside) {
    if (kFull || (slot != kNoUnit && inside))
      units[i] = *reinterpret_cast<const Unit*>(reinterpret_cast<const char*>(tile.slots) + slot +
                                                from_place);
  }
  __device__ void write(char* target) const { *reinterpret_cast<Piece*>(target) = *this; }
  // Those from unit `begin` to `end`.
  __device__ void write(char* target, int begin, int end) const {
#pragma unroll
    for (int i = 0; i < static_cast<int>(kUnits); ++i)
      if (i >= begin && i < end) reinterpret_cast<Unit*>(target)[i] = units[i];
  }
};

// Where the row of a place of a begins, within the tile's part of the target.
__device__ inline long long target_of(const TileMove& move, unsigned a) {
  if (move.a.rank <= 1) return a * move.a.dims[0].target;
  return place_of<Place>(move.a.dims, move.a.rank, a).target;
}

template <int kWidth, unsigned kBytes, bool kFull>
__device__ inline void write_even(char* target, const Tile& tile, const TileMove& move,
                                  const Corner& corner) {
  using Part = Piece<kWidth, kBytes>;
  const unsigned pieces = move.row_pieces.divisor, lanes = kMoveThreads / pieces;
  const unsigned lane = quotient(threadIdx.x, move.row_pieces);
  const unsigned first = (threadIdx.x - lane * pieces) * Part::kUnits;
  const unsigned unit = corner.row * move.inner_units.divisor + first;
  if (lane >= lanes || unit >= move.rows.extent * move.inner_units.divisor) return;
  unsigned short slots[Part::kUnits];
#pragma unroll
  for (unsigned j = 0; j < Part::kUnits; ++j) slots[j] = tile.units[first + j];
  const unsigned places = min(move.a_of_tile, move.a.extent - corner.a);
#pragma unroll 2
  for (unsigned i = lane; i < places; i += lanes) {
    const unsigned a = corner.a + i;
    Part piece;
#pragma unroll
    for (unsigned j = 0; j < Part::kUnits; ++j)
      piece.template read<kFull>(j, tile, slots[j], i * move.a_bytes, a < move.a_inside);
    piece.write(target + (corner.target + target_of(move, a) + unit) * kWidth);
  }
}

template <int kWidth, bool kFull>
__device__ inline void write_shifted(char* target, const Tile& tile, const TileMove& move,
                                     const Corner& corner) {
  using Part = Piece<kWidth>;
  constexpr int kUnits = Part::kUnits;
  const int of_row = static_cast<int>(move.rows.extent * move.inner_units.divisor);
  const unsigned places = min(move.a_of_tile, move.a.extent - corner.a);
  const unsigned items = places * move.row_pieces.divisor;
  for (unsigned item = threadIdx.x; item < items; item += kMoveThreads) {
    const unsigned i = quotient(item, move.row_pieces), a = corner.a + i;
    char* const row = target + (corner.target + target_of(move, a)) * kWidth;
    const int in_tile = static_cast<int>((item - i * move.row_pieces.divisor) * Part::kUnits) -
                        static_cast<int>(shift_of(row) / kWidth);
    const int unit = static_cast<int>(corner.row * move.inner_units.divisor) + in_tile;
    const int known = static_cast<int>(move.rows_before * move.inner_units.divisor) + in_tile;
    Part piece;
#pragma unroll
    for (int j = 0; j < kUnits; ++j)
      piece.template read<kFull>(j, tile, tile.units[known + j], i * move.a_bytes,
                                 a < move.a_inside);
    char* const at = row + static_cast<long long>(unit) * kWidth;
    if (unit >= 0 && unit + kUnits <= of_row)
      piece.write(at);
    else
      piece.write(at, -unit, of_row - unit);
  }
}

template <int kWidth, bool kFull>
__device__ inline void write_flat(char* target, const Tile& tile, const TileMove& move,
                                  const Corner& corner) {
  using Part = Piece<kWidth>;
  constexpr int kUnits = Part::kUnits;
  const unsigned of_row = move.row_pieces.divisor;
  const unsigned places = min(move.a_of_tile, move.a.extent - corner.a);
  const int units = static_cast<int>(places * of_row);
  char* const begin = target + (corner.target + target_of(move, corner.a)) * kWidth;
  const int shift = static_cast<int>(shift_of(begin) / kWidth);
  for (int unit = static_cast<int>(threadIdx.x) * kUnits - shift; unit < units;
       unit += static_cast<int>(kMoveThreads) * kUnits) {
    unsigned i = quotient(static_cast<unsigned>(max(unit, 0)), move.row_pieces);
    unsigned in_row = static_cast<unsigned>(max(unit, 0)) - i * of_row;
    Part piece;
#pragma unroll
    for (int j = 0; j < kUnits; ++j) {
      if (unit + j < 0 || unit + j >= units) continue;
      piece.template read<kFull>(j, tile, tile.units[in_row], i * move.a_bytes,
                                 corner.a + i < move.a_inside);
      if (++in_row == of_row) in_row = 0, ++i;
    }
    char* const at = begin + static_cast<long long>(unit) * kWidth;
    if (unit >= 0 && unit + kUnits <= units)
      piece.write(at);
    else
      piece.write(at, -unit, units - unit);
  }
}

template <int kWidth, bool kFull>
__device__ inline void write_units(char* target, const Tile& tile, const TileMove& move,
                                   const Corner& corner) {
  if (move.writing == Writing::even)
    write_even<kWidth, kWord, kFull>(target, tile, move, corner);
  else if (move.writing == Writing::half_even)
    write_even<kWidth, kWord / 2, kFull>(target, tile, move, corner);
  else if (move.writing == Writing::shifted)
    write_shifted<kWidth, kFull>(target, tile, move, corner);
  else
    write_flat<kWidth, kFull>(target, tile, move, corner);
}

template <bool kFull>
__device__ inline void write_tile(char* target, const Tile& tile, const TileMove& move,
                                  const Corner& corner) {
  if (move.width == 2)
    write_units<2, kFull>(target, tile, move, corner);
  else if (move.width == 4)
    write_units<4, kFull>(target, tile, move, corner);
  else
    write_units<8, kFull>(target, tile, move, corner);
}

__device__ inline void move_tile(char* target, const char* source, const TileMove& move,
                                 unsigned block) {
  __shared__ Tile tile;
  const Corner corner = corner_of(move, block);
  find_segments(tile, move, corner);
  __syncthreads();
  if (is_regular(tile, move, corner))
    load<true>(tile, source, move, corner);
  else
    load<false>(tile, source, move, corner);
  __syncthreads();
  if (move.full)
    write_tile<true>(target, tile, move, corner);
  else
    write_tile<false>(target, tile, move, corner);
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

// How many blocks a multiprocessor is to hold: 26 KB on their way keep the memory of an H200 busy.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr unsigned kTileBlocks = 2;  // all that there is shared memory for
constexpr unsigned kPairBlocks = 2;
#else
constexpr unsigned kTileBlocks = 6;
constexpr unsigned kPairBlocks = 4;  // to choose a move takes registers
#endif

extern "C" __global__ void __launch_bounds__(kMoveThreads, kTileBlocks)
    atc_move_tile(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile(target, source, move, blockIdx.x);
}
// Two moves, the first one's blocks before the second one's.
extern "C" __global__ void __launch_bounds__(kMoveThreads, kPairBlocks)
    atc_move_tile_pair(const __grid_constant__ TileMovePair pair) {
  const unsigned blocks = pair.moves[0].blocks;
  const unsigned i = blockIdx.x < blocks ? 0 : 1;
  move_tile(static_cast<char*>(pair.targets[i]), static_cast<const char*>(pair.sources[i]),
            pair.moves[i], blockIdx.x - i * blocks);
}

}  // namespace atc::rewrite
