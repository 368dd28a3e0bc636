#include "engines/winograd/kernels_for.hpp"

namespace atc::winograd {

namespace {

struct Avx2 {
  using Vector __attribute__((vector_size(32))) = float;
  static constexpr int kTiles = 6;  // 12 of the 16 vector registers contain accumulators
};

}  // namespace

const Kernels kAvx2 = KernelsFor<Avx2>::table();

}  // namespace atc::winograd
