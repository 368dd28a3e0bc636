// Tests a function that computes gradients by a private path of LibTorch. For one small example the
// function must compute the same bits as LibTorch's public function.
#pragma once

#include <functional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

using BackwardFunction =
    std::function<Gradients(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                            const Geometry& geometry, const BackwardMask& mask)>;

// Compares the gradients of x and w of a convolution and of a transposed convolution. Returns "" if
// `candidate` computes the same bits as `libtorch`. Otherwise returns a description of the
// difference. Waits for the device.
std::string objection_to(const BackwardFunction& candidate, const BackwardFunction& libtorch,
                         c10::Device device);

}  // namespace atc_torch
