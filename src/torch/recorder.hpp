// Notes each distinct convolution a running program does.
#pragma once

#include <optional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

// Throws Failure.
void start_recording(const std::string& file);
std::uint64_t stop_recording();  // how many distinct convolutions were written

// From the hooks, with any tensors: what is no convolution atc knows is not noted.
void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry);
void record_backward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const BackwardMask& mask);

}  // namespace atc_torch
