// Reads the properties that cuDNN reports for an engine configuration before it is compiled, and
// checks whether the caller's limits allow the configuration.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engines/cudnn/configuration.hpp"
#include "engines/cudnn/descriptor.hpp"
#include "engines/engine.hpp"

namespace atc::cudnn {

struct Notes {
  Configuration configuration;
  std::uint64_t workspace = 0;  // the bytes of workspace that an execution needs
  bool tensor_core = false, down_convert = false, reduced_reduction = false;
  bool nondeterministic = false;
  bool transform = false;  // true if the engine computes by Winograd or FFT
  bool compiles_at_run_time = false;
  bool reorders = false;  // true if the engine requires operands whose elements cuDNN has reordered
  bool cublaslt = false;

  std::string text() const;  // returns the properties as a text for people
};

Notes read_notes(const Descriptor& config);

// Returns "" if the configuration may run. Otherwise returns the reason as a text. There are three
// reasons:
// - atc never runs such a configuration: it requires reordered operands, or it converts inputs to a
//   narrower type;
// - the caller's limits forbid the configuration;
// - the configuration has a known fault.
std::string refusal(const Notes& notes, const Problem& problem, const Limits& limits);

}  // namespace atc::cudnn
