#pragma once

#include <nlohmann/json.hpp>
#include <random>
#include <string>

#include "atc/conv.h"
#include "target.hpp"

struct CellOptions {
  double seconds;         // the time for tuning and measuring one cell
  double longest_call;    // a cell is skipped if one call takes more seconds than this
  std::uint64_t largest;  // a cell is skipped if the operands of a call have more bytes than this
  bool constant_weights;
};

// Returns the measured fields of one cell (a measured problem), or {"skipped": reason}.
nlohmann::json measure_cell(const atc_conv_problem& problem, const Target& target,
                            const CellOptions& options, std::mt19937& random);
