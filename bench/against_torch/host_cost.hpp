#pragma once

#include "atc/conv.h"
#include "target.hpp"

// Microseconds of host work per call. A CPU's host is its device: there it is what a call costs
// whose arithmetic is next to nothing: one thread, batch 1, one output element per channel, 8
// channels.
struct HostCost {
  double torch, eager, plan;
  double engine;  // the plan's, less what the plan costs around an engine that does nothing
};

HostCost measure_host_cost(const atc_conv_problem& problem, const Target& target,
                           bool constant_weights);
