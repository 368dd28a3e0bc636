// Notes each distinct convolution a running program does.
#pragma once

#include <optional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

// Throw Failure. A recording that cannot be written goes on.
void start_recording(const std::string& file);
std::uint64_t stop_recording();  // how many distinct convolutions were written
// At the end of the process: stops what is still being recorded, and says on standard error why it
// cannot.
void finish_recording();

// After each convolution, with what came out: its layout is LibTorch's to choose. Any tensors may
// be given; what is no convolution atc knows is not noted, and nothing is where nothing is
// recorded. `gradient`: the caller wants one, so that the weights are none to pack.
void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const at::Tensor& y, bool gradient);
void record_backward(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const Gradients& gradients);

}  // namespace atc_torch
