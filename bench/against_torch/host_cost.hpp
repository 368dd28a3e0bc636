#pragma once

#include "atc/conv.h"
#include "target.hpp"

// The time in microseconds that a call takes apart from its arithmetic. On the CPU the host also
// does the arithmetic, so the call is made with very little arithmetic: one thread, batch 1, one
// output element per channel, 8 channels.
struct HostCost {
  double torch, eager, plan;
  double engine;  // the time of a plan minus the time of a plan whose engine does nothing
};

HostCost measure_host_cost(const atc_conv_problem& problem, const Target& target,
                           bool constant_weights);
