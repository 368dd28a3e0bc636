// Records each distinct convolution of a running program.
#pragma once

#include <optional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

// Both throw Failure. A recording that cannot be written goes on.
void start_recording(const std::string& file);
std::uint64_t stop_recording();  // how many distinct convolutions were written
// At the end of the process: writes and ends the recording, if there is one, or says on standard
// error why it is lost.
void finish_recording();

// Called after each convolution with its results, whose layout LibTorch chooses. Take any tensors;
// do nothing while nothing is recorded, or for a convolution that atc does not know. `gradient`:
// the caller wants one, so that the weights are not to be packed.
void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const at::Tensor& y, bool gradient);
void record_backward(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const Gradients& gradients);

}  // namespace atc_torch
