// Device code of moves that copy tiles through shared memory. TileMove in parameters.hpp explains
// the terms segment, row, slot, unit and `a`.
#pragma once

#include "engines/rewrite/move/parameters.hpp"
#include "engines/rewrite/move/place.cuh"

namespace atc::rewrite {

constexpr unsigned kWord = 16;  // bytes
// The number of words that a thread reads from the source before it writes them to shared memory.
constexpr unsigned kWordsAtATime = 4;
constexpr unsigned short kNoUnit = 0xffff;      // marks a unit without a counterpart in the source
constexpr long long kNoSegment = -(1ll << 62);  // marks a segment that does not exist in the source

struct Tile {
  uint4 slots[kTileBytes / kWord];
  long long segments[kTileRows];  // for each segment, its offset in the source in bytes
  // Where the units of a row are in shared memory. For each unit of a row this is its offset in
  // `slots`, in bytes, for the first place of `a` in the tile (see TileMove in parameters.hpp).
  unsigned short units[kTileRowUnits + 8];
};

// Returns the offset of a segment's slot in shared memory, in bytes. The distance between slots is
// chosen so that neighbouring threads, which read from different slots, use different banks.
__device__ inline unsigned slot_of(unsigned row, const TileMove& move) {
  return row * move.pitch + row * move.width / kWord * kWord;
}

// If all segments are read as one segment, padding may be inserted in shared memory
// (TileMove::spread). Returns the offset, with this padding, of the byte with the offset `byte`
// without it.
__device__ inline unsigned spread(unsigned byte, const TileMove& move) {
  return move.spread ? byte + byte / (8 * kWord) * kWord : byte;
}

// Where a tile begins. `source` and `target` are the offsets of its first element in units. `a` and
// `row` are its index in TileMove::a and its index in TileMove::rows.
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
    // `row` is unsigned: if the difference is negative, `row` wraps around to a very large number.
    // Then the condition row < move.rows.extent is false.
    const unsigned row = corner.row + i - move.rows_before;
    long long segment = kNoSegment;
    if (!corner.absent && row < move.rows.extent) {
      const Place place = place_of<Place>(move.rows.dims, move.rows.rank, row);
      if (!place.absent) segment = (corner.source + place.source) * move.width + of_a;
    }
    tile.segments[i] = segment;
  }
}

// Returns (address + offset) modulo 16.
__device__ inline unsigned shift_of(const char* address, long long offset = 0) {
  return static_cast<unsigned>(
      (reinterpret_cast<unsigned long long>(address) + static_cast<unsigned long long>(offset)) %
      kWord);
}

// Returns a word of 16 bytes that is only partly inside the source. The bytes outside are zero.
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

// Returns the number of bytes of a segment in this tile. If all segments are read as one segment,
// returns the number of bytes of that segment.
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

// Returns whether the tile can be loaded without checking for each access whether it is inside the
// source. This is so if all segments exist, if the distance from each segment to the next is the
// same, and if the aligned words that cover the segments are inside the source.
__device__ inline bool is_regular(const Tile& tile, const TileMove& move, const Corner& corner) {
  if (corner.absent || corner.row < move.rows_before || move.rows.rank > 1) return false;
  const UnitsDim& dim = move.rows.dims[0];
  if (dim.step.divisor != 1 || corner.row + move.rows_of_tile > dim.inside) return false;
  const long long first = tile.segments[0];
  const long long last =
      first + (move.rows_before + move.rows_of_tile - 1) * dim.source * move.width;
  return first >= kWord && last + move.pitch + kWord <= move.source_bytes;
}

// Loads the segments of the tile into their slots. The offsets of the units (find_units()) are
// computed while the first words are on their way from memory.
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
// A piece of a row: 16 or 8 bytes, which are written to the target at once.
template <int kWidth, unsigned kBytes = kWord>
struct alignas(kBytes) Piece {
  using Unit = typename UnitOf<kWidth>::Type;
  static constexpr unsigned kUnits = kBytes / kWidth;
  Unit units[kUnits] = {};

  // Reads unit `i` of this piece of a row from shared memory. If kFull is true, units that do not
  // belong to the move are also read, but they are never written to the target.
  template <bool kFull>
  __device__ void read(unsigned i, const Tile& tile, unsigned slot, unsigned from_place,
                       bool inside) {
    if (kFull || (slot != kNoUnit && inside))
      units[i] = *reinterpret_cast<const Unit*>(reinterpret_cast<const char*>(tile.slots) + slot +
                                                from_place);
  }
  __device__ void write(char* target) const { *reinterpret_cast<Piece*>(target) = *this; }
  // Writes only the units `begin` to `end` - 1 of this piece of a row to the target.
  __device__ void write(char* target, int begin, int end) const {
#pragma unroll
    for (int i = 0; i < static_cast<int>(kUnits); ++i)
      if (i >= begin && i < end) reinterpret_cast<Unit*>(target)[i] = units[i];
  }
};

// In a TileMove, each place (index) of the dimension `a` has a row in the target. Returns the
// distance from the row of place 0 to the row of place `a`, in units.
__device__ inline long long target_of(const TileMove& move, unsigned a) {
  if (move.a.rank <= 1) return a * move.a.dims[0].target;
  return place_of<Place>(move.a.dims, move.a.rank, a).target;
}

template <int kWidth, unsigned kBytes, bool kFull>
__device__ inline void write_even(char* target, const Tile& tile, const TileMove& move,
                                  const Corner& corner) {
  using Part = Piece<kWidth, kBytes>;
  const unsigned lanes = move.lanes.divisor;
  const unsigned group = quotient(threadIdx.x, move.piece_group);
  const unsigned of_row = quotient(group, move.lanes), lane = group - of_row * lanes;
  const unsigned piece = threadIdx.x + (of_row - group) * move.piece_group.divisor;
  const unsigned first = piece * Part::kUnits;
  const unsigned unit = corner.row * move.inner_units.divisor + first;
  if (piece >= move.row_pieces.divisor || unit >= move.rows.extent * move.inner_units.divisor)
    return;
  unsigned short slots[Part::kUnits];
#pragma unroll
  for (unsigned j = 0; j < Part::kUnits; ++j) slots[j] = tile.units[first + j];
  const unsigned places = min(move.a_of_tile, move.a.extent - corner.a);
#pragma unroll 2
  for (unsigned i = lane; i < places; i += lanes) {
    const unsigned a = corner.a + i;
    Part part;
#pragma unroll
    for (unsigned j = 0; j < Part::kUnits; ++j)
      part.template read<kFull>(j, tile, slots[j], i * move.a_bytes, a < move.a_inside);
    part.write(target + (corner.target + target_of(move, a) + unit) * kWidth);
  }
}

// Permutes the places of `a` (see TileMove), to avoid bank conflicts: after that, four consecutive
// places are in different 4-byte words of shared memory.
template <int kWidth>
__device__ inline unsigned apart(unsigned place, const TileMove& move) {
  if (kWidth != 2 || move.a_bytes != 2 || move.a_of_tile % 8 != 0) return place;
  return (place & ~7u) | (place & 3) << 1 | (place >> 2 & 1);
}

template <int kWidth, bool kFull>
__device__ inline void write_shifted(char* target, const Tile& tile, const TileMove& move,
                                     const Corner& corner) {
  using Part = Piece<kWidth>;
  constexpr int kUnits = Part::kUnits;
  const int of_row = static_cast<int>(move.rows.extent * move.inner_units.divisor);
  const unsigned places = min(move.a_of_tile, move.a.extent - corner.a);
  const unsigned items = move.a_of_tile * move.row_pieces.divisor;
  for (unsigned item = threadIdx.x; item < items; item += kMoveThreads) {
    const unsigned group = quotient(item, move.piece_group);
    const unsigned part = quotient(group, move.places);
    const unsigned i = apart<kWidth>(group - part * move.a_of_tile, move), a = corner.a + i;
    if (i >= places) continue;
    const unsigned piece_of_row = item + (part - group) * move.piece_group.divisor;
    char* const row = target + (corner.target + target_of(move, a)) * kWidth;
    const int in_tile =
        static_cast<int>(piece_of_row * Part::kUnits) - static_cast<int>(shift_of(row) / kWidth);
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

}  // namespace atc::rewrite
