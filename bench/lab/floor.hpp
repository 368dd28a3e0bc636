// The floor of a cell's time: the larger of the time for its bytes at the rate of a copy, and for
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
