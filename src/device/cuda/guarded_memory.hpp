// A tensor in device memory with a guard region before and after it. All memory is first filled
// with a fixed bit pattern. So writes outside of the tensor and elements that were not written are
// found later. core/guarded_buffer.hpp does the same for host memory.
#pragma once

#include <string>

#include "core/allocator.hpp"
#include "core/problem.hpp"
#include "device/cuda/tensor_work.hpp"

namespace atc::cuda {

class GuardedMemory {
 public:
  GuardedMemory(const Tensor& tensor, const TensorWork& work, DeviceId device, Stream stream);

  void* data() const;  // the address of element 0; aligned to 256 bytes
  void fill_pattern();
  void copy_from(const void* old);
  // Returns a text about the first error that is found, or "". If a place outside of the tensor was
  // written, the text names this place. Otherwise the text names the first element that is not
  // finite or was never written. Afterwards the whole buffer, guard regions included, holds the
  // fixed pattern again.
  std::string trouble();

 private:
  Tensor tensor_;
  TensorWork work_;
  Allocation memory_;
};

}  // namespace atc::cuda
