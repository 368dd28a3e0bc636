// Checks the number of spatial dimensions of a convolution.
#pragma once

#include <cstdint>
#include <string>

#include "failure.hpp"

namespace atc_torch {

inline int checked_dims(std::int32_t dims) {
  if (dims < 1 || dims > 3)
    throw Failure(ATC_ERROR_INVALID_ARGUMENT,
                  "spatial_dims is " + std::to_string(dims) + ": use 1 to 3");
  return dims;
}

}  // namespace atc_torch
