// A cell to be raced: a layer, an operation, a number format and a layout.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/problem.hpp"
#include "rows.hpp"

namespace atc::lab {

inline const std::vector<std::string> kOps = {"forward", "forward-bias", "backward-data",
                                              "backward-weight"};
// f32 tensors that may be multiplied as TF32 are "tf32".
inline const std::vector<std::string> kSets = {"tf32-first", "fp16-last", "tf32-last",
                                               "fp16-first", "bf16-last", "bf16-first",
                                               "fp32-first", "fp32-last"};

struct Cell {
  std::string layer, family, op, format, layout;
  Problem problem;
  bool allow_tf32 = false;
};

// The class of each layer, by its name: lines "name class". Exits with a message when the file
// cannot be read.
std::map<std::string, std::string> read_families(const std::string& file);

// Transposed rows, too: each is the convolution whose backward-data it is.
Cell make_cell(const Row& row, const std::string& family, const std::string& op,
               const std::string& set);

}  // namespace atc::lab
