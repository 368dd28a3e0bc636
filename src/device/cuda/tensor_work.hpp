// What a race does with tensors on a device: fill, copy, look through. Work is queued on the stream
// unless a function returns something from the device. A context must be current.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem.hpp"
#include "device/cuda/driver_api.hpp"
#include "device/cuda/kernels/layout.hpp"

namespace atc::cuda {

class TensorWork {
 public:
  TensorWork(DeviceId device, Context context, Stream stream)
      : device_(device), context_(context), stream_(stream) {}

  void fill(const Tensor& tensor, void* data, FillKind kind, std::uint64_t seed) const;
  void copy_elements(const Tensor& tensor, void* to, const void* from) const;
  // Equal for equal bytes; for others equal with a chance of 2^-64.
  std::uint64_t fingerprint(const void* data, std::uint64_t bytes) const;
  std::vector<double> gather(const Tensor& tensor, const void* data,
                             const std::vector<std::int64_t>& offsets) const;
  // Judges the tensor at `data` and what surrounds it in a buffer that was full of the pattern;
  // all of the buffer holds the pattern afterwards.
  Findings take(const Tensor& tensor, void* data, void* buffer, std::uint64_t buffer_bytes,
                std::uint16_t pattern) const;
  // The number of an element that is further from the expected one than absolute + relative x its
  // size, if there is one.
  std::optional<std::int64_t> difference(const Tensor& tensor, const void* data,
                                         const void* expected, double absolute,
                                         double relative) const;
  void set_pattern(void* buffer, std::uint64_t bytes, std::uint16_t pattern) const;

 private:
  DeviceId device_;
  Context context_;
  Stream stream_;
};

}  // namespace atc::cuda
