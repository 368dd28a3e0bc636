// The reference engine, whose results count as correct. On the CPU it computes each valid problem,
// with any strides and any combination of f32, bf16 and f16. On CUDA it computes each valid problem
// without post-ops. It adds in double precision and rounds once. It is slow: on the CPU it uses one
// thread, and on CUDA a simple kernel.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

// Returns the engine. It has one configuration, "direct", which needs no workspace. If an operand
// on the CPU is not dense fp32 with channels first, each execution allocates such a copy of it.
std::unique_ptr<Engine> make_reference_engine();

}  // namespace atc
