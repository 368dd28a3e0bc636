// Fills, copies and checks tensors in device memory, while candidates are measured and checked. The
// work is queued on the stream. A function that returns a result of the device waits for this
// result. The CUDA context must be current.
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
  // Returns a hash of the bytes. Different bytes have the same hash with a probability of 2^-64.
  std::uint64_t fingerprint(const void* data, std::uint64_t bytes) const;
  std::vector<double> gather(const Tensor& tensor, const void* data,
                             const std::vector<std::int64_t>& offsets) const;
  // The buffer around the tensor at `data` must have been filled with `pattern` before the tensor
  // was written. Checks the elements of the tensor, and then looks for words in the rest of the
  // buffer that differ from the pattern. Afterwards the elements of the tensor hold the pattern.
  Findings take(const Tensor& tensor, void* data, void* buffer, std::uint64_t buffer_bytes,
                std::uint16_t pattern) const;
  // Returns the logical number of an element that is NaN, or that differs from the expected value
  // by more than absolute + relative x |expected value|. Returns nothing if there is no such
  // element.
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
