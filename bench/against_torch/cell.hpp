#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "atc/conv.h"
#include "target.hpp"

struct CellOptions {
  double seconds;         // for tuning and measuring
  double longest_call;    // seconds
  std::uint64_t largest;  // bytes of a call's operands
  bool constant_weights;
};

// Returns the measured fields of one cell, or {"skipped": reason}.
nlohmann::json measure_cell(const atc_conv_problem& problem, const Target& target,
                            const CellOptions& options, std::mt19937& random);
