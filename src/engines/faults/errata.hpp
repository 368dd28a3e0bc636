// The errata file of cuDNN's frontend, which the environment variable CUDNN_ERRATA_JSON_FILE names:
// rules that bar engines of cuDNN. Its format is described in cudnn-frontend's README.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engines/faults/fault.hpp"

namespace atc::faults {

struct ErrataRule {
  std::string id;         // "": it has none
  std::string operation;  // "ConvFwd", "ConvBwdData", "ConvBwdFilter", or longer
  std::int64_t engine = 0;
  // The knobs (parameters of a cuDNN engine) that a configuration must have, with their values.
  std::vector<std::pair<int, std::int64_t>> knobs;
  std::uint64_t first = 0;  // the first version of cuDNN that has the fault, as cuDNN numbers it
  std::uint64_t fixed = std::numeric_limits<std::uint64_t>::max();  // the version that ends it
  ComputeCapability device = {};
  std::vector<std::int64_t> input;  // extents in the order N, C, spatial; -1 stands for any extent;
                                    // empty: any tensor
  std::vector<std::int64_t> filter;
};

struct Errata {
  std::string file;     // "": the variable is not set
  std::string trouble;  // why the file cannot be used, or ""
  std::vector<ErrataRule> rules;
};

// Throws Error(invalid_argument), with the rule and the member that is wrong, for a text that is no
// errata file.
std::vector<ErrataRule> parse_errata(const std::string& text);

// Returns the errata file that CUDNN_ERRATA_JSON_FILE names. The first call in the process reads
// it. If the file cannot be read or parsed, the first call logs a warning, and there are no rules.
const Errata& errata();

bool concerns(const ErrataRule& rule, std::size_t cudnn_version, const Use& use);
// Returns why a rule bars the use (the first rule that does), or "".
std::string blocked(const Errata& errata, std::size_t cudnn_version, const Use& use);

}  // namespace atc::faults
