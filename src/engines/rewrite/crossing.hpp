// How the operands of a problem (outer) are converted to those of the rewritten problem (inner),
// and back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "engines/rewrite/move/move.hpp"

namespace atc::rewrite {

// A dimension that both operands have: place i of the inner operand is place i * step of the outer
// one. Places without a counterpart are zeros. Strides in elements.
struct SharedDim {
  std::int64_t outer_extent = 1, outer_stride = 0;
  std::int64_t inner_extent = 1, inner_stride = 0;
  std::int64_t step = 1;
};

// How one operand is moved.
struct Crossing {
  bool passed_on = false;       // the inner operand is the outer one's memory
  std::vector<SharedDim> dims;  // where not passed on
  std::vector<Move> uncovered;  // parts of the outer operand without a counterpart, set to zero
  Tensor inner;

  std::uint64_t intermediate_bytes() const { return passed_on ? 0 : inner.span_bytes(); }
  // From the outer operand to the inner one, of which every element is written.
  std::vector<Move> inward() const;
  // From the inner operand to the outer one. Places without a counterpart become zero; with `keep`
  // they are not changed.
  std::vector<Move> outward(bool keep) const;
};

// The crossing to a tensor with as many dimensions, each smaller or larger. `steps` are those of
// the spatial dimensions; the others are 1. Passed on where shapes and strides agree.
Crossing cross(const Tensor& outer, const Tensor& inner, const Extents& steps = {1, 1, 1});

// A problem rewritten in one of the ways of a rewrite.
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
std::uint64_t aligned(std::uint64_t bytes);            // rounded up to that

// The same shape with dense strides.
Tensor channels_last(Tensor tensor);
Tensor channels_first(Tensor tensor);

}  // namespace atc::rewrite
