// Access to LibTorch's CUDA streams, devices and memory. The bridge is not linked to libtorch_cuda.
// It calls LibTorch's CUDA code through interfaces of libc10, which libtorch_cuda implements when
// it is loaded.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>

#include <optional>

#include "atc/base.h"

namespace atc_torch {

atc_device device_of(const at::Tensor& tensor);
// Converts a device of atc into a device of LibTorch. A CUDA device keeps its index. The CPU gets
// no index.
c10::Device to_libtorch(atc_device device);

// Returns LibTorch's current stream for the device on this thread, as a stream of the CUDA driver
// (CUstream).
void* current_stream(c10::Device device);
// Returns whether the stream is being captured into a graph. Returns true if the driver returns an
// error.
bool is_captured(void* stream);

// As long as an object of this class exists, `device` and `stream` are LibTorch's current device
// and stream on this thread. A stream that LibTorch has not made may be used, too. For the CPU the
// class does nothing.
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

// Frees the CUDA memory that LibTorch's allocator keeps for reuse.
void empty_cache() noexcept;

}  // namespace atc_torch
