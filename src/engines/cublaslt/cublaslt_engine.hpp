// NVIDIA's cuBLASLt: convolutions that are products of matrices, each algorithm that its heuristics
// propose an offer.
#pragma once

#include <memory>

#include "engines/engine.hpp"

namespace atc {

std::unique_ptr<Engine> make_cublaslt_engine();

}  // namespace atc
