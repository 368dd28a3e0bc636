#include "engines/cublaslt/configuration.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "core/error.hpp"

namespace atc::cublaslt {

namespace {

constexpr std::string_view kTf32 = "_tf32", kBiasApart = "+bias";

bool take(std::string_view& text, std::string_view word) {
  if (text.substr(0, word.size()) != word) return false;
  text.remove_prefix(word.size());
  return true;
}

// Takes `before` and a number from the front of `text`.
template <typename Number>
bool take(std::string_view& text, std::string_view before, Number& number) {
  if (!take(text, before)) return false;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return true;
}

}  // namespace

bool operator==(const Configuration& a, const Configuration& b) {
  return to_string(a) == to_string(b);
}

std::string to_string(const Configuration& configuration) {
  return fmt::format("alg{}_t{}_s{}_k{}_r{}_w{}_c{}_i{}_g{}{}{}", configuration.algorithm,
                     configuration.tile, configuration.stages, configuration.split,
                     configuration.reduction, configuration.swizzle, configuration.custom,
                     configuration.inner_shape, configuration.cluster_shape,
                     configuration.tf32 ? kTf32 : "", configuration.bias_apart ? kBiasApart : "");
}

Configuration parse_configuration(const std::string& text) {
  Configuration configuration;
  std::string_view rest = text;
  const bool numbers =
      take(rest, "alg", configuration.algorithm) && take(rest, "_t", configuration.tile) &&
      take(rest, "_s", configuration.stages) && take(rest, "_k", configuration.split) &&
      take(rest, "_r", configuration.reduction) && take(rest, "_w", configuration.swizzle) &&
      take(rest, "_c", configuration.custom) && take(rest, "_i", configuration.inner_shape) &&
      take(rest, "_g", configuration.cluster_shape);
  configuration.tf32 = take(rest, kTf32);
  configuration.bias_apart = take(rest, kBiasApart);
  // One text per configuration: what is read must be what is written.
  if (!numbers || configuration.algorithm < 0 ||
      (configuration.split < 1 && configuration.split != kDividedByTheLibrary) ||
      to_string(configuration) != text)
    fail(Status::unsupported,
         "engine cublaslt has no configuration '{}': they look like "
         "alg66_t20_s35_k1_r0_w0_c0_i0_g3",
         text);
  return configuration;
}

}  // namespace atc::cublaslt
