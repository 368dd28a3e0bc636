// Own kernels for convolutions on which libraries are slow: groups of several channels, and first
// layers of up to four channels. An implicit GEMM on tensor cores, by way of shared memory.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_implicit_engine();

}  // namespace atc
