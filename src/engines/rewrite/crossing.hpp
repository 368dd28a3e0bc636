// The conversion between the operands of a problem (outer) and those of the rewritten problem
// (inner).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

// A dimension that both operands have. Place i of the inner operand is place i * step of the outer
// one. A place without a counterpart is zero. Strides are in elements.
struct SharedDim {
  std::int64_t outer_extent = 1, outer_stride = 0;
  std::int64_t inner_extent = 1, inner_stride = 0;
  std::int64_t step = 1;
};

// How one operand is moved.
struct Crossing {
  bool passed_on = false;       // true if the inner operand uses the memory of the outer one
  std::vector<SharedDim> dims;  // where not passed on
  std::vector<Move> uncovered;  // the parts of the outer operand that have no counterpart in the
                                // inner one; they are set to zero
  Tensor inner;

  std::uint64_t intermediate_bytes() const { return passed_on ? 0 : inner.span_bytes(); }
  // Moves from the outer operand to the inner one. They write every element of the inner one.
  std::vector<Move> inward() const;
  // Moves from the inner operand to the outer one. Places of the outer one without a counterpart
  // become zero; with `keep` they are not changed.
  std::vector<Move> outward(bool keep) const;
};

// Returns the crossing from `outer` to `inner`, which has the same number of dimensions, each of
// them smaller or larger. `steps` are those of the spatial dimensions; all other steps are 1. If
// shapes and strides are equal, the operand is passed on without a move.
Crossing cross(const Tensor& outer, const Tensor& inner, const Extents& steps = {1, 1, 1});

// One of the ways in which a rewrite can rewrite a problem.
struct Passage {
  std::string configuration, notes;
  Problem problem;
  Crossing x, w, y;

  const Crossing& output() const;
  bool passes_all() const { return x.passed_on && w.passed_on && y.passed_on; }
  bool passes_any() const { return x.passed_on || w.passed_on || y.passed_on; }
  std::uint64_t workspace() const;  // the bytes of all intermediate tensors, each with its
                                    // alignment
};

constexpr std::uint64_t kIntermediateAlignment = 256;  // bytes
std::uint64_t aligned(std::uint64_t bytes);            // rounded up to that

// Return a tensor of the same shape with dense strides.
Tensor channels_last(Tensor tensor);
Tensor channels_first(Tensor tensor);

}  // namespace atc::rewrite
