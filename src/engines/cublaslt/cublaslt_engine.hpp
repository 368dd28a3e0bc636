// NVIDIA's cuBLASLt, for convolutions that are products of matrices. Each algorithm that its
// heuristics propose is an offer.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_cublaslt_engine();

}  // namespace atc
