// The time that a plan is expected to take.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

struct Choice {
  double cycles;
  Plan plan;
};

// Sorts the cheapest first; equal ones keep their order.
void sort(std::vector<Choice>& choices);

// The work of blocks whose threads slide down rows, and the number of these blocks.
struct March {
  double instructions;  // of a step of a warp
  double steps;
  double warps;  // of a block
  int resident;  // blocks that a multiprocessor has at once
  std::int64_t blocks;
};

// Cycles that a multiprocessor takes, by instructions and by how many blocks share it.
//
// Origin of its constants, and of the instructions that each family adds to those of its sums: set
// by hand on an NVIDIA H200 (132 multiprocessors) on 2026-11-22. The measured times were not kept.
double cycles_of(const March& march, int multiprocessors);

}  // namespace atc::depthwise
