// LibTorch's CUDA streams, devices and memory, without linking libtorch_cuda: libtorch_cuda
// registers interfaces for them with libc10.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include <optional>

#include "atc/base.h"

namespace atc_torch {

atc_device device_of(const at::Tensor& tensor);
// Converts a device of atc into a device of LibTorch. A CUDA device keeps its index, the CPU has
// none.
c10::Device to_libtorch(atc_device device);

// LibTorch's current stream of a CUDA device on this thread.
void* current_stream(c10::Device device);
// Whether a graph is being captured from the stream. Returns true if the driver cannot tell.
bool is_captured(void* stream);

// While an object lives, LibTorch works on `device` and on `stream`, which need not be one of
// LibTorch's own streams. Does nothing for the CPU.
class OnStream {
 public:
  OnStream(atc_device device, void* stream);
  ~OnStream();
  OnStream(const OnStream&) = delete;
  OnStream& operator=(const OnStream&) = delete;

 private:
  std::optional<c10::Device> device_before_;
  std::optional<c10::Stream> stream_before_;
};

// Empties LibTorch's cache of free memory.
void empty_cache() noexcept;

}  // namespace atc_torch
