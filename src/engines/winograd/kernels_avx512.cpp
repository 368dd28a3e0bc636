#include "engines/winograd/kernels_for.hpp"

namespace atc::winograd {

namespace {

struct Avx512 {
  using Vector __attribute__((vector_size(64))) = float;
  static constexpr int kTiles = 14;  // 28 of the 32 vector registers contain accumulators
};

}  // namespace

const Kernels kAvx512 = KernelsFor<Avx512>::table();

}  // namespace atc::winograd
