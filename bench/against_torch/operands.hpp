// Sets of operands that are used in turn. Together they are larger than the last-level cache, so a
// set has left the cache when its turn comes again.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <vector>

#include "atc/conv.h"
#include "target.hpp"

// The operands of one call. The direction of the problem determines which of x, w and y is the
// output. Only the shape of the output is used. Constant weights are the same tensor in all sets.
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
  // The caller passes the output of the call that used the set of the last next(). This output is
  // kept (its memory is not freed) until the same set is used again. So the outputs of different
  // sets are in different memory.
  void keep(at::Tensor output) { outputs_[current_] = std::move(output); }

 private:
  std::vector<Inputs> sets_;
  std::vector<at::Tensor> outputs_;
  std::size_t current_ = 0;
};

// Returns a single set of operands, for calls that all use the same operands.
Inputs only_set(const atc_conv_problem& problem, const Target& target);

at::ScalarType scalar_type(atc_dtype dtype);

// Returns a new, uninitialized tensor for the output, from LibTorch's allocator.
at::Tensor new_output(const atc_conv_problem& problem, const Target& target);
