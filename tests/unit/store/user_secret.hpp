// The user's secret for all stores of the tests.
#pragma once

#include "store/seal.hpp"

namespace atc::store {

constexpr Secret kSecret{0x0123456789abcdef, 0xfedcba9876543210};

}  // namespace atc::store
