// The identity of an algorithm within one version of cuBLASLt: its number and its settings. Its
// place in the heuristics' list is not part of it.
#pragma once

#include <cstdint>
#include <string>

namespace atc::cublaslt {

// If `split` has this value, cuBLASLt itself chooses the number of parts, by the sizes of the
// product.
constexpr std::int32_t kDividedByTheLibrary = -1;

struct Configuration {
  std::int32_t algorithm = 0;
  std::uint32_t tile = 0, stages = 0;  // as cuBLASLt numbers them
  std::int32_t split = 1;              // the number of parts into which the sum over the depth is
                                       // divided (split-K)
  std::uint32_t reduction = 0;         // how the partial sums of the parts are added up
  std::uint32_t swizzle = 0, custom = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
  bool tf32 = false;  // fp32 inputs are multiplied as TF32
  // If set, cuBLASLt only multiplies, and a kernel of atc's adds bias and relu afterwards.
  bool bias_apart = false;
};

bool operator==(const Configuration& a, const Configuration& b);

// Returns "alg66_t20_s35_k1_r0_w0_c0_i0_g3", followed by "_tf32" for TF32, and by "+bias" if the
// bias is added by a separate kernel.
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);  // throws Error(unsupported)

}  // namespace atc::cublaslt
