// A configuration of the engine `cublaslt`: the number of an algorithm of cuBLASLt and its
// settings. With the version of cuBLASLt, it identifies the algorithm. The position of the
// algorithm in the list that cuBLASLt's heuristics propose is not part of the configuration.
#pragma once

#include <cstdint>
#include <string>

namespace atc::cublaslt {

// A special value of Configuration::split: cuBLASLt itself chooses into how many parts the sum is
// divided, depending on the sizes of the product.
constexpr std::int32_t kDividedByTheLibrary = -1;

struct Configuration {
  std::int32_t algorithm = 0;
  std::uint32_t tile = 0, stages = 0;  // cuBLASLt's ids of the tile size and of the stages
  std::int32_t split = 1;              // the number of parts into which a sum is divided (split-K)
  std::uint32_t reduction = 0;         // cuBLASLt's id of the way to add these parts
  std::uint32_t swizzle = 0, custom = 0;
  std::uint16_t inner_shape = 0, cluster_shape = 0;
  bool tf32 = false;  // true if fp32 inputs are multiplied in TF32
  // If true, cuBLASLt only computes the product, and a kernel of atc's own adds the bias and
  // applies the ReLU afterwards.
  bool bias_apart = false;
};

bool operator==(const Configuration& a, const Configuration& b);

// Returns a text such as "alg66_t20_s35_k1_r0_w0_c0_i0_g3". "_tf32" follows if fp32 inputs are
// multiplied in TF32. "+bias" follows if a separate kernel adds the bias.
std::string to_string(const Configuration& configuration);
// Throws Error(unsupported) if the text is no configuration.
Configuration parse_configuration(const std::string& text);

}  // namespace atc::cublaslt
