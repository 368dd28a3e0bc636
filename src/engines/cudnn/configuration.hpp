// A configuration of the engine `cudnn`: the global index of one of cuDNN's engines and the knobs
// (parameters) of this engine. With the version of cuDNN, it identifies what cuDNN calls an engine
// configuration. The position in the list that cuDNN's heuristics propose is not part of the
// configuration.
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

// Returns a text such as "eng34_k2=3_k14=0", the form that cuDNN's own tools write. If a separate
// kernel adds the bias, the text ends in "+bias".
std::string to_string(const Configuration& configuration);
// Throws Error(unsupported) if the text is no configuration.
Configuration parse_configuration(const std::string& text);

}  // namespace atc::cudnn
