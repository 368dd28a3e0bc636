// A configuration identifies an engine configuration of one version of cuDNN by the global index of
// cuDNN's engine and by its knobs (the parameters of the engine). The place of the configuration in
// the list of the heuristics is not part of the identity.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace atc::cudnn {

struct Configuration {
  std::int64_t engine = 0;
  std::vector<std::pair<int, std::int64_t>> knobs;  // pairs of type and value, sorted by type
  // If true, cuDNN only computes the convolution, and a kernel of atc's own adds the bias and
  // applies the ReLU afterwards.
  bool bias_apart = false;

  bool operator<(const Configuration& other) const {
    return std::tie(engine, knobs, bias_apart) <
           std::tie(other.engine, other.knobs, other.bias_apart);
  }
};

// Returns a text such as "eng34_k2=3_k14=0". cuDNN's own tools write the same form. If a separate
// kernel adds the bias, the text ends in "+bias".
std::string to_string(const Configuration& configuration);
// Throws Error(unsupported) if the text is no configuration.
Configuration parse_configuration(const std::string& text);

}  // namespace atc::cudnn
