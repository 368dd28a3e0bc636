// The experience that is built into the library: results of earlier races on some devices
// (experience.hpp). bench/cuda/ship_experience.py writes the .cpp file from stores.
#pragma once

#include <string>
#include <string_view>

namespace atc::conv {

// Returns the experience for CUDA devices of this compute capability, such as "[9,0]", as a text of
// Experience::to_json; "" for other devices.
std::string shipped_experience(std::string_view compute_capability);

}  // namespace atc::conv
