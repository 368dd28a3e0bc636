#include "at_convolution.hpp"

#include <ATen/Context.h>
#include <ATen/core/Tensor.h>
#include <ATen/ops/convolution.h>
#include <ATen/ops/from_blob.h>
#include <fmt/format.h>

#include <cstdlib>

#include "against_torch/check.hpp"
#include "atc/torch.h"

namespace atc::bench {

namespace {

at::Tensor tensor_of(const atc_tensor_view& view) {
  const auto rank = static_cast<std::size_t>(view.ndim);
  return at::from_blob(view.data, at::IntArrayRef(view.shape, rank),
                       at::IntArrayRef(view.strides, rank),
                       at::device(at::kCUDA).dtype(view.dtype.bits == 16 ? at::kHalf : at::kFloat));
}

void load() {
  static const bool loaded = [] {
    check(atc_torch_load_cuda());
    check(atc_torch_init());
    if (at::hasCUDA()) return true;
    fmt::print(stderr, "bench_cuda_host_cost: LibTorch sees no CUDA device\n");
    std::exit(1);
  }();
  static_cast<void>(loaded);
}

}  // namespace

std::vector<Way> at_convolution(const atc_tensor_view& x, const atc_tensor_view& w) {
  load();
  const auto call = [x = tensor_of(x), w = tensor_of(w)] {
    at::convolution(x, w, std::nullopt, {1, 1}, {1, 1}, {1, 1}, false, {0, 0}, 1);
  };
  return {{"at::convolution", call},
          {"at::convolution, atc installed", call, [] { check(atc_torch_install(nullptr)); },
           [] { check(atc_torch_uninstall()); }}};
}

}  // namespace atc::bench
