// The estimated time of a plan.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

struct Choice {
  double cycles;
  Plan plan;
};

// Sorts by cost, the cheapest first. Equal ones keep their order.
void sort(std::vector<Choice>& choices);

// The work of blocks whose threads go down rows, and the number of such blocks.
struct March {
  double instructions;  // instructions of a warp in a step
  double steps;
  double warps;  // of a block
  int resident;  // the number of blocks that a multiprocessor runs at the same time
  std::int64_t blocks;
};

// Returns the cycles that a multiprocessor takes, by the instructions and by how many blocks share
// it.
//
// Origin of its constants, and of the instructions that each family adds to those of its sums: set
// by hand on an NVIDIA H200 (132 multiprocessors) on 2026-11-22. The measured times were not kept.
double cycles_of(const March& march, int multiprocessors);

}  // namespace atc::depthwise
