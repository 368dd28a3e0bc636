// Records each distinct convolution of a running program, and writes the recording to a file.
#pragma once

#include <optional>
#include <string>

#include "geometry.hpp"

namespace atc_torch {

// start_recording and stop_recording throw Failure. If stop_recording throws because the file
// cannot be written, the recording goes on.
void start_recording(const std::string& file);
// returns the number of distinct convolutions that were written to the file
std::uint64_t stop_recording();
// Is called at the end of the process. If a recording runs, ends it and writes its file. If the
// file cannot be written, prints the reason to standard error.
void finish_recording();

// record_forward and record_backward record one convolution. They are called after the convolution,
// because only its results show which layout LibTorch has chosen. Any tensors may be passed: if
// there is no recording, or if atc cannot describe the convolution, the functions do nothing.
// `gradient` is true if the caller needs a gradient. In this case the weights are not recorded as
// constant.
void record_forward(const at::Tensor& x, const at::Tensor& w, const std::optional<at::Tensor>& bias,
                    const Geometry& geometry, const at::Tensor& y, bool gradient);
void record_backward(const at::Tensor& given, const at::Tensor& x, const at::Tensor& w,
                     const Geometry& geometry, const Gradients& gradients);

}  // namespace atc_torch
