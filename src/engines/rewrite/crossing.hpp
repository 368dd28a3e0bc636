// Describes how a rewrite converts an operand of the problem (outer operand) to the operand of the
// rewritten problem (inner operand) and back. This conversion is called a crossing. It consists of
// moves: copies between strided views of memory (move/move.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

// A dimension that the outer and the inner operand have. Index i of the inner operand corresponds
// to index i * step of the outer operand. When an operand is written, its elements without a
// counterpart are set to zero (or kept: see outward()). Strides are in elements.
struct SharedDim {
  std::int64_t outer_extent = 1, outer_stride = 0;
  std::int64_t inner_extent = 1, inner_stride = 0;
  std::int64_t step = 1;
};

// The way in which a rewrite converts one operand.
struct Crossing {
  bool passed_on = false;       // true if the inner operand uses the memory of the outer operand
  std::vector<SharedDim> dims;  // empty if `passed_on`
  // Further parts of the outer operand without a counterpart in the inner operand, such as the
  // elements of x after the last window. They are set to zero when the outer operand is written.
  std::vector<Move> uncovered;
  Tensor inner;

  std::uint64_t intermediate_bytes() const { return passed_on ? 0 : inner.span_bytes(); }
  // Returns the moves (copies) from the outer operand, that of the problem, to the inner operand,
  // that of the rewritten problem. They write each element of the inner operand.
  std::vector<Move> inward() const;
  // Returns the moves (copies) from the inner operand, that of the rewritten problem, to the outer
  // operand, that of the problem. Elements of the outer operand without a counterpart remain
  // unchanged if `keep` is true. Otherwise they are set to zero.
  std::vector<Move> outward(bool keep) const;
};

// Returns the crossing from `outer` to `inner`. Both tensors must have the same number of
// dimensions, but the extents may differ. `steps` has SharedDim::step for each spatial dimension;
// the other dimensions have the step 1. If shapes and strides are equal, the operand is passed on
// without a copy.
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

// Each function returns a tensor of the same shape with dense strides, in the layout that the name
// of the function says.
Tensor channels_last(Tensor tensor);
Tensor channels_first(Tensor tensor);

}  // namespace atc::rewrite
