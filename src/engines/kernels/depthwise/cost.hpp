// Estimates the time of a plan of a depthwise kernel.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/kernels/depthwise/plan.hpp"

namespace atc::depthwise {

// A plan of a depthwise kernel and its estimated time, in cycles.
struct Choice {
  double cycles;
  Plan plan;
};

// Sorts the plans by their estimated time, the fastest first. Plans with equal times keep their
// order.
void sort(std::vector<Choice>& choices);

// The work of a launch of a kernel whose threads go down rows, one step after the other.
struct March {
  double instructions;  // the number of instructions of a warp in one step
  double steps;
  double warps;  // warps of a block
  // The number of blocks that a multiprocessor runs at the same time.
  int resident;
  // The number of blocks of the whole launch.
  std::int64_t blocks;
};

// Returns the estimated time of a launch, in cycles. The estimate follows from the instructions,
// and from the number of blocks that share a multiprocessor.
//
// The constants of the estimate were set by hand on an NVIDIA H200 (132 multiprocessors) on
// 2026-11-22, and so were the constants with which each family of kernels computes
// March::instructions. The measured times were not kept.
double cycles_of(const March& march, int multiprocessors);

}  // namespace atc::depthwise
