// Copies between strided views of memory, element by element and bit for bit. Places of the target
// that have no place in the source become zero.
#pragma once

#include <cstdint>
#include <vector>

namespace atc::rewrite {

// One dimension of a move. Element i of the target is element i / step of the source if i is a
// multiple of `step` and i / step is below `inside`. Otherwise it is zero.
struct MoveDim {
  std::int64_t extent = 1;  // of the target
  std::int64_t inside = 1;  // of the source
  std::int64_t step = 1;
  std::int64_t source = 0, target = 0;  // strides, in elements
};

constexpr int kMoveRank = 8;

// An element is copied if its index has a place in the source in each dimension; otherwise it
// becomes zero. No two places of the target may be the same memory.
struct Move {
  std::vector<MoveDim> dims;       // kMoveRank of them at most
  std::int64_t source_offset = 0;  // offset of the first element, in elements
  std::int64_t target_offset = 0;
};

// The same move with as few dimensions as possible. The dimensions are in descending order of the
// target's strides, and neighbours are joined if they form one dimension in both views. A move
// without dimensions moves one element or, with `zero`, sets it to zero.
struct PlainMove {
  std::vector<MoveDim> dims;
  std::int64_t source_offset = 0, target_offset = 0;
  bool zero = false;  // nothing comes from the source
};
PlainMove simplified(const Move& move);

// Runs a move on the host. `width` is the bytes of an element, 2 or 4.
void move_on_host(const Move& move, int width, const void* source, void* target);

}  // namespace atc::rewrite
