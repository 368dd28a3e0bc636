// The engine whose results count as correct: for any valid problem, any strides, f32 / bf16 / f16
// in any mixture. It sums in double and rounds once. On the CPU it uses one thread, on CUDA a plain
// kernel: no faster than tests need.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Offers one configuration, "direct". On the CPU it allocates dense copies of its operands; it
// needs no workspace.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace atc
