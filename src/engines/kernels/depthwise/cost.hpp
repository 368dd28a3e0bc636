// What a plan is expected to take.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

struct Choice {
  double cycles;
  Plan plan;
};

// The cheapest first; of equal ones in their order.
void sort(std::vector<Choice>& choices);

// What blocks that march do at a time, and how many of them.
struct March {
  double instructions;  // of a step of a warp
  double steps;
  double warps;  // of a block
  int resident;  // blocks that a multiprocessor has at once
  std::int64_t blocks;
};

// Cycles that a multiprocessor takes, by instructions and by how many blocks share it.
double cycles_of(const March& march, int multiprocessors);

}  // namespace atc::depthwise
