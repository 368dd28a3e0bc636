// The oracle: any valid problem on the CPU, any strides, f32 / bf16 / f16 in any mixture. Sums in
// double, rounds once. One thread, and no faster than a test needs it to be.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Offers one configuration, "direct". It keeps dense copies of its operands inside; no workspace.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace atc
