// How the operands of a problem become those of the problem that it is rewritten to, and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

// A dimension that both operands have: place i of the inner one is place i * step of the outer one.
// Places without a counterpart hold zeros. Strides in elements.
struct SharedDim {
  std::int64_t outer_extent = 1, outer_stride = 0;
  std::int64_t inner_extent = 1, inner_stride = 0;
  std::int64_t step = 1;
};

// One operand.
struct Crossing {
  bool passed_on = false;       // the inner operand is the outer one's memory
  std::vector<SharedDim> dims;  // else
  std::vector<Move> uncovered;  // parts of the outer operand without a counterpart, set to zero
  Tensor inner;

  std::uint64_t intermediate_bytes() const { return passed_on ? 0 : inner.span_bytes(); }
  // From the outer operand to the inner one, of which every element is written.
  std::vector<Move> inward() const;
  // From the inner operand to the outer one. Places without a counterpart become zero, or stay what
  // they are where `keep`.
  std::vector<Move> outward(bool keep) const;
  bool covers_all() const;  // of the outer operand
};

// To a tensor with as many dimensions, smaller or larger; steps are 1 but for those of spatial
// dimensions (`steps`). Passed on where it is the same memory.
Crossing cross(const Tensor& outer, const Tensor& inner, const Extents& steps = {1, 1, 1});

// A problem rewritten, by one way of a rewrite.
struct Passage {
  std::string configuration, notes;
  Problem problem;
  Crossing x, w, y;

  const Crossing& output() const;
  bool passes_all() const { return x.passed_on && w.passed_on && y.passed_on; }
  bool passes_any() const { return x.passed_on || w.passed_on || y.passed_on; }
  std::uint64_t workspace() const;  // bytes of all intermediates, each aligned
};

constexpr std::uint64_t kIntermediateAlignment = 256;  // bytes
std::uint64_t aligned(std::uint64_t bytes);            // up to that

// The same shape, dense.
Tensor channels_last(Tensor tensor);
Tensor channels_first(Tensor tensor);

}  // namespace atc::rewrite
