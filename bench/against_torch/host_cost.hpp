#pragma once

#include "atc/conv.h"
#include "target.hpp"

// The host's work for a call, in microseconds. On the CPU host and device are the same, so this is
// the time of a call with very little arithmetic: one thread, batch 1, one output element per
// channel, 8 channels.
struct HostCost {
  double torch, eager, plan;
  double engine;  // `plan`, minus the time of a plan whose engine does nothing
};

HostCost measure_host_cost(const atc_conv_problem& problem, const Target& target,
                           bool constant_weights);
