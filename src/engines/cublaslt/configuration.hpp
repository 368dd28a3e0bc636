// The identity of an algorithm within one version of cuBLASLt: its number and all that it is
// configured by. Never a place in a list of proposals.
#pragma once

#include <cstdint>
#include <string>

namespace atc::cublaslt {

// A split by which cuBLASLt itself chooses the number of parts, from the product alone.
constexpr std::int32_t kDividedByTheLibrary = -1;

struct Configuration {
  std::int32_t algorithm = 0;
  std::uint32_t tile = 0, stages = 0;  // cuBLASLt's numbers of them
  std::int32_t split = 1;              // parts that a sum is divided into
  std::uint32_t reduction = 0;         // how the parts are added up
  std::uint32_t swizzle = 0, custom = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
  bool tf32 = false;  // fp32 inputs are multiplied as TF32
  // cuBLASLt multiplies alone; bias and relu are a kernel of atc's behind it.
  bool bias_apart = false;
};

bool operator==(const Configuration& a, const Configuration& b);

// "alg66_t20_s35_k1_r0_w0_c0_i0_g3", in TF32 with "_tf32" behind it, then with the bias apart
// "+bias".
std::string to_string(const Configuration& configuration);
Configuration parse_configuration(const std::string& text);  // throws Error(unsupported)

}  // namespace atc::cublaslt
