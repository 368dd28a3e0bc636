// The engine `cublaslt` uses NVIDIA's cuBLASLt for convolutions that are matrix products. Its
// offers are the algorithms that cuBLASLt's heuristics propose.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_cublaslt_engine();

}  // namespace atc
