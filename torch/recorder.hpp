// Records each distinct convolution of a running program.
#pragma once

#include <optional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

// Start and stop throw Failure. If the file cannot be written, the recording is still running.
void start_recording(const std::string& file);
std::uint64_t stop_recording();  // returns how many distinct convolutions were written
// Ends the recording, if there is one, at the end of the process. Writes its file, or says on
// standard error why it is lost.
void finish_recording();

// Called after each convolution with its results, because LibTorch chooses their layout. Any
// tensors may be passed. Does nothing if nothing is recorded or if atc does not know the
// convolution. `gradient`: the caller needs a gradient, so the weights are not to be packed.
void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const at::Tensor& y, bool gradient);
void record_backward(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const Gradients& gradients);

}  // namespace atc_torch
