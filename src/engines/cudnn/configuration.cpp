#include "engines/cudnn/configuration.hpp"

#include <algorithm>
#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::cudnn {

namespace {

constexpr std::string_view kBiasApart = "+bias";

}  // namespace

std::string to_string(const Configuration& configuration) {
  std::string text = format("eng{}", configuration.engine);
  for (const auto& [type, value] : configuration.knobs) text += format("_k{}={}", type, value);
  if (configuration.bias_apart) text += kBiasApart;
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration configuration;
  std::string_view left = text;
  if (left.substr(left.size() - std::min(left.size(), kBiasApart.size())) == kBiasApart) {
    configuration.bias_apart = true;
    left.remove_suffix(kBiasApart.size());
  }
  bool good = take_number(left, "eng", configuration.engine) && configuration.engine >= 0;
  while (good && !left.empty()) {
    std::pair<int, std::int64_t> knob;
    good = take_number(left, "_k", knob.first) && take_number(left, "=", knob.second);
    configuration.knobs.push_back(knob);
  }
  // A configuration has exactly one valid text: the one that to_string() writes. Another text with
  // the same numbers, such as one with leading zeros, is refused.
  std::sort(configuration.knobs.begin(), configuration.knobs.end());
  if (!good || to_string(configuration) != text)
    fail(atc::Status::unsupported,
         "engine cudnn has no configuration '{}': they look like eng34_k2=3_k14=0", text);
  return configuration;
}

}  // namespace atc::cudnn
