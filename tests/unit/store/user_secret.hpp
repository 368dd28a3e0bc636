// The user's secret in the tests, with which the entries of their stores are signed.
#pragma once

#include "store/seal.hpp"

namespace atc::store {

constexpr Secret kSecret{0x0123456789abcdef, 0xfedcba9876543210};

}  // namespace atc::store
