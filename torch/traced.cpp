#include "traced.hpp"

#include <c10/util/strides.h>

#include <algorithm>
#include <vector>

#include "cuda.hpp"

namespace atc_torch {

namespace {

bool is_running() {
  std::int32_t running = 0;
  return atc_trace_is_running(&running) == ATC_OK && running != 0;
}

// Sets the output strides of the problem. LibTorch has not made the output yet, so the strides are
// a guess: LibTorch usually uses the memory format of the input.
void guess_output_strides(atc_conv_problem& problem, at::MemoryFormat format) {
  const std::vector<std::int64_t> shape = output_shape(problem);
  std::vector<std::int64_t> strides;
  if (format == at::MemoryFormat::ChannelsLast && shape.size() == 4)
    strides = c10::get_channels_last_strides_2d(shape);
  else if (format == at::MemoryFormat::ChannelsLast3d && shape.size() == 5)
    strides = c10::get_channels_last_strides_3d(shape);
  else
    for (const std::int64_t stride : c10::contiguous_strides(shape)) strides.push_back(stride);
  std::copy(strides.begin(), strides.end(), output_strides(problem));
}

}  // namespace

TracedCall::TracedCall(atc_direction direction, const Tensors& tensors, bool bias,
                       const Geometry& geometry, const char* choice) noexcept {
  try {
    const bool cuda = tensors.x.is_cuda();
    if (!is_running() || (!cuda && !tensors.x.is_cpu())) return;
    atc_conv_problem problem;
    const bool described = !describe(problem, direction, tensors, geometry);
    if (described) {
      guess_output_strides(problem, tensors.x.suggest_memory_format());
      if (bias) problem.epilogue = ATC_EPILOGUE_BIAS;
    }
    const atc_device device = device_of(tensors.x);
    void* const stream = cuda ? current_stream(tensors.x.device()) : nullptr;
    atc_trace_call_begin(&call_, device, described ? &problem : nullptr, choice,
                         static_cast<atc_stream>(stream));
  } catch (const std::exception&) {
    // LibTorch has thrown this exception. It is ignored here, because LibTorch's convolution will
    // fail with the same error.
  }
}

TracedGradients::TracedGradients(const Tensors& tensors, const BackwardMask& mask,
                                 const Geometry& geometry) {
  const char* const choice = mask[0] && mask[1] ? "libtorch (both gradients)" : "libtorch";
  if (mask[0]) data_.emplace(ATC_BACKWARD_DATA, tensors, false, geometry, choice);
  if (mask[1]) weight_.emplace(ATC_BACKWARD_WEIGHT, tensors, false, geometry, choice);
}

}  // namespace atc_torch
