// The engine whose results count as correct. It computes any valid problem, with any strides and
// any mixture of f32, bf16 and f16. It sums in double precision and rounds once. On the CPU it uses
// one thread, and on CUDA a plain kernel. It is only as fast as tests need.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Makes the engine. It offers one configuration, "direct". On the CPU it allocates dense copies of
// its operands. It needs no workspace.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace atc
