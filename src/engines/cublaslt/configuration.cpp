#include "engines/cublaslt/configuration.hpp"

#include <string_view>

#include "core/error.hpp"
#include "core/format.hpp"
#include "engines/configuration_text.hpp"

namespace atc::cublaslt {

namespace {

constexpr std::string_view kTf32 = "_tf32", kBiasApart = "+bias";

}  // namespace

bool operator==(const Configuration& a, const Configuration& b) {
  return to_string(a) == to_string(b);
}

std::string to_string(const Configuration& configuration) {
  return format("alg{}_t{}_s{}_k{}_r{}_w{}_c{}_i{}_g{}{}{}", configuration.algorithm,
                configuration.tile, configuration.stages, configuration.split,
                configuration.reduction, configuration.swizzle, configuration.custom,
                configuration.inner_shape, configuration.cluster_shape,
                configuration.tf32 ? kTf32 : "", configuration.bias_apart ? kBiasApart : "");
}

Configuration parse_configuration(const std::string& text) {
  Configuration configuration;
  std::string_view rest = text;
  const bool numbers = take_number(rest, "alg", configuration.algorithm) &&
                       take_number(rest, "_t", configuration.tile) &&
                       take_number(rest, "_s", configuration.stages) &&
                       take_number(rest, "_k", configuration.split) &&
                       take_number(rest, "_r", configuration.reduction) &&
                       take_number(rest, "_w", configuration.swizzle) &&
                       take_number(rest, "_c", configuration.custom) &&
                       take_number(rest, "_i", configuration.inner_shape) &&
                       take_number(rest, "_g", configuration.cluster_shape);
  configuration.tf32 = take_word(rest, kTf32);
  configuration.bias_apart = take_word(rest, kBiasApart);
  // A configuration has exactly one valid text: the one that to_string() writes. Another text with
  // the same numbers, such as one with leading zeros, is refused.
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
