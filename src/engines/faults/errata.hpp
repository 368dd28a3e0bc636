// Reads the errata file of cuDNN's frontend: a list of rules, each of which forbids to use one of
// cuDNN's engines. The environment variable CUDNN_ERRATA_JSON_FILE names the file. The README of
// cudnn-frontend describes its format.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "engines/faults/fault.hpp"

namespace atc::faults {

struct ErrataRule {
  std::string id;  // "": the rule has no id
  // The operation to which the rule applies: "ConvFwd", "ConvBwdData", "ConvBwdFilter", or a longer
  // name for a convolution that is followed by other operations.
  std::string operation;
  std::int64_t engine = 0;
  // The knobs (parameters of a cuDNN engine) that a configuration must have, with their values.
  std::vector<std::pair<int, std::int64_t>> knobs;
  std::uint64_t first = 0;  // the first version of cuDNN with the fault, as cuDNN's version number
  // The first version of cuDNN without the fault.
  std::uint64_t fixed = std::numeric_limits<std::uint64_t>::max();
  ComputeCapability device = {};
  // The rule applies only to an x with these extents (in the order N, C, spatial). -1 stands for
  // any extent, and an empty list for any tensor. `filter` is the same for w.
  std::vector<std::int64_t> input;
  std::vector<std::int64_t> filter;
};

struct Errata {
  // The path of the errata file; "" if the variable CUDNN_ERRATA_JSON_FILE is not set.
  std::string file;
  std::string trouble;  // why the errata file cannot be used, or ""
  std::vector<ErrataRule> rules;
};

// Returns the rules in the text of an errata file. Throws Error(invalid_argument) if the text is
// not valid. The text of the error names the rule and the wrong member.
std::vector<ErrataRule> parse_errata(const std::string& text);

// Returns the errata file that CUDNN_ERRATA_JSON_FILE names. The first call in the process reads
// the file. If the file cannot be read or parsed, the first call logs a warning, and the result has
// no rules.
const Errata& errata();

bool concerns(const ErrataRule& rule, std::size_t cudnn_version, const Use& use);
// Returns a sentence about the first rule of the errata file that forbids this implementation for
// this problem. Returns "" if no rule forbids it.
std::string blocked(const Errata& errata, std::size_t cudnn_version, const Use& use);

}  // namespace atc::faults
