// Records each distinct convolution of a running program.
#pragma once

#include <optional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

// start_recording and stop_recording throw Failure. If stop_recording throws because the file
// cannot be written, the recording goes on.
void start_recording(const std::string& file);
std::uint64_t stop_recording();  // returns how many distinct convolutions were written
// Called at the end of the process. Ends the recording, if there is one, and writes its file. If
// the file cannot be written, the reason is printed to standard error.
void finish_recording();

// record_forward and record_backward record one convolution. They are called after the convolution,
// with its results, because only the results show which layout LibTorch has chosen for them. They
// do nothing if there is no recording or if atc cannot describe the convolution, so any tensors may
// be passed. `gradient` is true if the caller needs a gradient. In this case the weights are not
// recorded as constant.
void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const at::Tensor& y, bool gradient);
void record_backward(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const Gradients& gradients);

}  // namespace atc_torch
