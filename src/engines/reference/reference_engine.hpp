// The oracle: any valid problem, any strides, f32 / bf16 / f16 in any mixture. Sums in double,
// rounds once. On the CPU one thread, on CUDA a plain kernel: no faster than a test needs it to be.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Offers one configuration, "direct". It keeps dense copies of its operands inside; no workspace.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace atc
