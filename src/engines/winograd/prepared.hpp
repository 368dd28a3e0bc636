// Executes a problem by Winograd's method on the CPU.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/engine.hpp"
#include "engines/winograd/geometry.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

class WinogradPrepared final : public Prepared {
 public:
  // `m` is the size of a tile: it has m rows and m columns of outputs.
  WinogradPrepared(const Problem& problem, const Kernels& kernels, int m);

  // Returns the bytes of workspace that an execution needs. This always includes room for the
  // transformed filters: set_weights() keeps them elsewhere, but even after set_weights() a call
  // may pass other weights, which are transformed into the workspace.
  static std::uint64_t workspace_bytes(const Tiling& tiling);

  std::uint64_t workspace_size() const override;
  void set_weights(const void* w) override;
  void execute(const Operands& operands, void* workspace, Stream stream) override;

 private:
  Filters filters_of(const void* w, std::int64_t group) const;

  const Kernels& kernels_;
  const Problem problem_;
  const Geometry geometry_;
  const int threads_;  // the number of threads between which the work is divided
  const Tiling tiling_;
  // The weights that set_weights received, and the same weights transformed.
  std::vector<float> weights_, packed_;
};

}  // namespace atc::winograd
