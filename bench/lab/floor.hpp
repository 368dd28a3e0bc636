// The least time that a cell can be hoped to take: what its bytes take at the rate of a copy, or
// its arithmetic at the rate of a matrix product.
#pragma once

#include <cstdint>

#include "cells.hpp"

namespace atc::lab {

struct Floor {
  std::uint64_t bytes = 0;  // of input, filter, output and bias, each once
  double flops = 0;         // of the direct method
  double seconds = 0;
  bool by_bytes = false;  // what binds
};

Floor floor_of(const Cell& cell);

}  // namespace atc::lab
