// A guarded buffer as in core/guarded_buffer.hpp, but in device memory.
#pragma once

#include <string>

#include "core/allocator.hpp"
#include "core/problem.hpp"
#include "device/cuda/tensor_work.hpp"

namespace atc::cuda {

class GuardedMemory {
 public:
  GuardedMemory(const Tensor& tensor, const TensorWork& work, DeviceId device, Stream stream);

  void* data() const;  // element 0; aligned to 256 bytes
  void fill_pattern();
  void copy_from(const void* old);
  // Returns an error text, or "". The text names the first place outside of the tensor that was
  // written. If there is none, it names the first element that is not finite or was never written.
  // Afterwards the whole buffer holds the pattern again.
  std::string trouble();

 private:
  Tensor tensor_;
  TensorWork work_;
  Allocation memory_;
};

}  // namespace atc::cuda
