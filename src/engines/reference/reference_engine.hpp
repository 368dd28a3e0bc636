// The reference engine, whose results count as correct. It computes each valid problem, with any
// strides and any combination of f32, bf16 and f16. It adds in double precision and rounds once. On
// the CPU it uses one thread, and on CUDA a simple kernel. It is slow.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns the engine. The engine has one configuration, "direct", which needs no workspace. On the
// CPU an execution allocates dense copies of the operands.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace atc
