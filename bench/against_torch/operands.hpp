// Sets of operands that are used in turn. Together they are larger than the last-level cache, so a
// set has left the cache when its turn comes again.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "atc/conv.h"
#include "target.hpp"

// The operands of one call. The tensor of the direction's output is there only for its shape.
// Weights that do not change are the same in all sets.
struct Inputs {
  at::Tensor x, w, y, bias;
};

class Operands {
 public:
  Operands(const atc_conv_problem& problem, bool constant_weights, const Target& target);

  std::size_t sets() const { return sets_.size(); }
  // Returns the bytes that one call reads and writes.
  static std::uint64_t size(const atc_conv_problem& problem);

  const Inputs& first() const { return sets_.front(); }
  const Inputs& next();
  // Returns the output of the set that next() returned last. It is valid until that set is used
  // again. Each set has an output of its own, so each execution writes other memory.
  void keep(at::Tensor output) { outputs_[current_] = std::move(output); }

 private:
  std::vector<Inputs> sets_;
  std::vector<at::Tensor> outputs_;
  std::size_t current_ = 0;
};

// One set, outside any rotation.
Inputs only_set(const atc_conv_problem& problem, const Target& target);

at::ScalarType scalar_type(atc_dtype dtype);

// Returns a new, uninitialized tensor for the output, from LibTorch's allocator.
at::Tensor new_output(const atc_conv_problem& problem, const Target& target);
