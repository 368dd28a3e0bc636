// Checks a function that computes gradients by a private path of LibTorch: on one small example it
// must give the bits of LibTorch's public function.
#pragma once

#include <functional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

using BackwardFunction =
    std::function<Gradients(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                            const Geometry& geometry, const BackwardMask& mask)>;

// Returns "" if `candidate` gives the bits of `libtorch` for both gradients of a convolution and of
// a transposed one; otherwise returns what differed. Waits for the device.
std::string objection_to(const BackwardFunction& candidate, const BackwardFunction& libtorch,
                         c10::Device device);

}  // namespace atc_torch
