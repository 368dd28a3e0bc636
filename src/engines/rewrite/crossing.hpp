// Describes how a rewrite converts the operands of a problem (outer operands) to the operands of
// the rewritten problem (inner operands) and back. A conversion consists of moves: copies between
// strided views of memory (move/move.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

// A dimension that both operands have. Place i of the inner operand corresponds to place i * step
// of the outer operand. A place without a counterpart is set to zero. Strides are in elements.
struct SharedDim {
  std::int64_t outer_extent = 1, outer_stride = 0;
  std::int64_t inner_extent = 1, inner_stride = 0;
  std::int64_t step = 1;
};

// How one operand is converted.
struct Crossing {
  bool passed_on = false;       // true if the inner operand uses the memory of the outer operand
  std::vector<SharedDim> dims;  // empty if `passed_on`
  // The parts of the outer operand without a counterpart in the inner operand, which are set to
  // zero.
  std::vector<Move> uncovered;
  Tensor inner;

  std::uint64_t intermediate_bytes() const { return passed_on ? 0 : inner.span_bytes(); }
  // Returns the moves from the outer operand to the inner operand. They write each element of the
  // inner operand.
  std::vector<Move> inward() const;
  // Returns the moves from the inner operand to the outer operand. Places of the outer operand
  // without a counterpart are set to zero, or remain unchanged if `keep` is true.
  std::vector<Move> outward(bool keep) const;
};

// Returns the crossing from `outer` to `inner`. Both tensors must have the same number of
// dimensions, but the extents may differ. `steps` are the steps of the spatial dimensions. All
// other steps are 1. If shapes and strides are equal, the operand is passed on without a move.
Crossing cross(const Tensor& outer, const Tensor& inner, const Extents& steps = {1, 1, 1});

// One way in which a rewrite can rewrite a problem: the rewritten problem and the conversion of the
// operands.
struct Passage {
  std::string configuration, notes;
  Problem problem;
  Crossing x, w, y;

  const Crossing& output() const;
  bool passes_all() const { return x.passed_on && w.passed_on && y.passed_on; }
  bool passes_any() const { return x.passed_on || w.passed_on || y.passed_on; }
  std::uint64_t workspace() const;  // the bytes of all converted operands, each with its alignment
};

constexpr std::uint64_t kIntermediateAlignment = 256;  // bytes
// Returns `bytes`, rounded up to a multiple of kIntermediateAlignment.
std::uint64_t aligned(std::uint64_t bytes);

// Each function returns the tensor with the same shape, and with dense strides in the layout that
// the function's name says.
Tensor channels_last(Tensor tensor);
Tensor channels_first(Tensor tensor);

}  // namespace atc::rewrite
