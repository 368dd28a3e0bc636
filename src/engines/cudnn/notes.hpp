// The properties of an engine configuration that cuDNN reports without compiling it, and whether
// the limits allow the configuration.
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
  std::uint64_t workspace = 0;  // bytes
  bool tensor_core = false, down_convert = false, reduced_reduction = false;
  bool nondeterministic = false;
  bool transform = false;  // Winograd or FFT
  bool compiles_at_run_time = false;
  bool reorders = false;  // true if the engine requires operands whose elements are in a special
                          // order
  bool cublaslt = false;

  std::string text() const;  // for people
};

Notes read_notes(const Descriptor& config);

// Returns the reason why a configuration must not run under these limits, or "".
std::string refusal(const Notes& notes, const Problem& problem, const Limits& limits);

}  // namespace atc::cudnn
