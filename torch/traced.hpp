// Reports LibTorch's own convolutions to the trace of the process (atc/trace.h). An object of these
// classes is constructed before the convolution and destroyed after it, so that the trace can time
// the convolution. The objects do nothing if no trace is running.
#pragma once

#include <optional>

#include "atc/trace.h"
#include "problem.hpp"

namespace atc_torch {

class TracedCall {
 public:
  TracedCall(atc_direction direction, const Tensors& tensors, bool bias, const Geometry& geometry,
             const char* choice = "libtorch") noexcept;
  ~TracedCall() { atc_trace_call_end(call_); }
  TracedCall(const TracedCall&) = delete;
  TracedCall& operator=(const TracedCall&) = delete;

 private:
  atc_trace_call* call_ = nullptr;
};

// Reports a call of LibTorch that computes the gradients of x and w, or one of them. If the call
// computes both gradients, each gradient is reported with the time of the whole call, and the
// reported choice is "libtorch (both gradients)".
class TracedGradients {
 public:
  TracedGradients(const Tensors& tensors, const BackwardMask& mask, const Geometry& geometry);

 private:
  std::optional<TracedCall> data_, weight_;
};

}  // namespace atc_torch
