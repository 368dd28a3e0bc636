#include "engines/cudnn/configuration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/error.hpp"

namespace atc::cudnn {

namespace {

constexpr std::string_view kBiasApart = "+bias";

// Takes `before` and a number from the front of what is left.
template <typename Number>
bool take(const char*& at, const char* end, const std::string& before, Number& number) {
  if (static_cast<std::size_t>(end - at) < before.size() ||
      !std::equal(before.begin(), before.end(), at))
    return false;
  const auto [stop, error] = std::from_chars(at + before.size(), end, number);
  if (error != std::errc()) return false;
  at = stop;
  return true;
}

}  // namespace

std::string to_string(const Configuration& configuration) {
  std::string text = fmt::format("eng{}", configuration.engine);
  for (const auto& [type, value] : configuration.knobs) text += fmt::format("_k{}={}", type, value);
  if (configuration.bias_apart) text += kBiasApart;
  return text;
}

Configuration parse_configuration(const std::string& text) {
  Configuration configuration;
  const char* at = text.data();
  const char* end = at + text.size();
  if (const std::string_view view = text;
      view.substr(view.size() - std::min(view.size(), kBiasApart.size())) == kBiasApart) {
    configuration.bias_apart = true;
    end -= kBiasApart.size();
  }
  bool good = take(at, end, "eng", configuration.engine) && configuration.engine >= 0;
  while (good && at != end) {
    std::pair<int, std::int64_t> knob;
    good = take(at, end, "_k", knob.first) && take(at, end, "=", knob.second);
    configuration.knobs.push_back(knob);
  }
  // One text per configuration: what is read must be what is written.
  std::sort(configuration.knobs.begin(), configuration.knobs.end());
  if (!good || to_string(configuration) != text)
    fail(atc::Status::unsupported,
         "engine cudnn has no configuration '{}': they look like eng34_k2=3_k14=0", text);
  return configuration;
}

}  // namespace atc::cudnn
