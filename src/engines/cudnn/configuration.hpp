// The identity of a cuDNN engine configuration within one version of cuDNN: the engine's global
// index and its knobs, sorted. Its place in the heuristics' list is not part of the identity.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace atc::cudnn {

struct Configuration {
  std::int64_t engine = 0;
  std::vector<std::pair<int, std::int64_t>> knobs;  // type, value; sorted by type
  // If set, cuDNN only convolves, and a kernel of atc's adds bias and relu afterwards.
  bool bias_apart = false;

  bool operator<(const Configuration& other) const {
    return std::tie(engine, knobs, bias_apart) <
           std::tie(other.engine, other.knobs, other.bias_apart);
  }
};

// Returns "eng34_k2=3_k14=0", the form that cuDNN's own tools write; with "+bias" added if a
// separate kernel adds the bias.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);  // throws Error(unsupported)

}  // namespace atc::cudnn
