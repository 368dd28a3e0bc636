// CUDA kernels that copy a strided tensor to another layout. They run at the speed of the memory in
// two cases: if neighbouring elements of the source are also neighbours in the target, or if the
// copy exchanges two dimensions (a transposition).
#include "engines/rewrite/move/parameters.hpp"
#include "engines/rewrite/move/place.cuh"
#include "engines/rewrite/move/tile.cuh"

namespace atc::rewrite {

namespace {

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

// The elements that a thread writes by one memory access of 8 or 16 bytes.
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

// The number of blocks that should be resident on a multiprocessor at the same time. On an H200,
// memory runs at full speed if each multiprocessor has 26 KB of reads that are not complete yet.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
constexpr unsigned kTileBlocks = 2;  // shared memory is too small for more blocks
constexpr unsigned kPairBlocks = 2;
#else
constexpr unsigned kTileBlocks = 6;
// The kernel for two moves needs additional registers to choose its move. So fewer blocks of this
// kernel fit on a multiprocessor.
constexpr unsigned kPairBlocks = 4;
#endif

extern "C" __global__ void __launch_bounds__(kMoveThreads, kTileBlocks)
    atc_move_tile(char* target, const char* source, const __grid_constant__ TileMove move) {
  move_tile(target, source, move, blockIdx.x);
}
// Runs two moves in one launch. The first blocks of the grid run the first move, and the remaining
// blocks run the second move.
extern "C" __global__ void __launch_bounds__(kMoveThreads, kPairBlocks)
    atc_move_tile_pair(const __grid_constant__ TileMovePair pair) {
  const unsigned blocks = pair.moves[0].blocks;
  const unsigned i = blockIdx.x < blocks ? 0 : 1;
  move_tile(static_cast<char*>(pair.targets[i]), static_cast<const char*>(pair.sources[i]),
            pair.moves[i], blockIdx.x - i * blocks);
}

}  // namespace atc::rewrite
