// A move copies elements from one strided view of memory (source) to another (target), bit for bit.
// An element of the target that has no counterpart in the source is set to zero.
#pragma once

#include <cstdint>
#include <vector>

namespace atc::rewrite {

// One dimension of a move. If i is a multiple of `step` and i / step is below `inside`, index i of
// the target corresponds to index i / step of the source. Otherwise index i of the target has no
// counterpart.
struct MoveDim {
  std::int64_t extent = 1;  // the extent of the target
  std::int64_t inside = 1;  // the extent of the source
  std::int64_t step = 1;
  std::int64_t source = 0, target = 0;  // the strides of source and target, in elements
};

constexpr int kMoveRank = 8;

// An element of the target is copied if its index has a counterpart in each dimension. Otherwise
// the element is set to zero. No two elements of the target may share memory.
struct Move {
  std::vector<MoveDim> dims;       // at most kMoveRank dimensions
  std::int64_t source_offset = 0;  // the offset of the first element, in elements
  std::int64_t target_offset = 0;
};

// A move with as few dimensions as possible. The dimensions are sorted by their stride in the
// target, the largest first. Two neighbouring dimensions are joined if they form one dimension in
// source and target. A move without dimensions copies one element, or sets it to zero if `zero` is
// true.
struct PlainMove {
  std::vector<MoveDim> dims;
  std::int64_t source_offset = 0, target_offset = 0;
  bool zero = false;  // true: the whole target is set to zero
};
PlainMove simplified(const Move& move);

// Runs a move on the host. `width` is the size of an element in bytes, 2 or 4.
void move_on_host(const Move& move, int width, const void* source, void* target);

}  // namespace atc::rewrite
