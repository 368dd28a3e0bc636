// Winograd's method for one problem, ready to run.
#pragma once

#include <cstdint>
#include <vector>

#include "engines/engine.hpp"
#include "engines/winograd/geometry.hpp"
#include "engines/winograd/kernels.hpp"

namespace atc::winograd {

class WinogradPrepared final : public Prepared {
 public:
  // `m` is the number of rows and columns of a tile.
  WinogradPrepared(const Problem& problem, const Kernels& kernels, int m);

  // The workspace that such an object needs, in bytes. The transformed filters have their place in
  // it, although they are elsewhere after set_weights: a call may pass weights all the same.
  static std::uint64_t workspace_bytes(const Tiling& tiling);

  std::uint64_t workspace_size() const override;
  void set_weights(const void* w) override;
  void execute(const Operands& operands, void* workspace, Stream stream) override;

 private:
  Filters filters_of(const void* w, std::int64_t group) const;

  const Kernels& kernels_;
  const Problem problem_;
  const Geometry geometry_;
  const int threads_;  // the team for which the work is divided
  const Tiling tiling_;
  std::vector<float> weights_, packed_;  // those of set_weights, and the same transformed
};

}  // namespace atc::winograd
