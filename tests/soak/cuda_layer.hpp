// A layer in device memory, and its expected result, which the reference has computed on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/allocator.hpp"
#include "layer.hpp"
#include "support/tensors.hpp"

namespace soak {

constexpr atc_device kCuda = {ATC_DEVICE_CUDA, 0};

class CudaLayer {
 public:
  CudaLayer(const atc::Problem& known, std::uint64_t seed);

  const atc_conv_problem& problem() const { return problem_; }
  const atc::Problem& known() const { return known_; }
  const std::string& name() const { return name_; }
  const atc::Operands& on_device() const { return on_device_; }
  // Returns "" if each element is right and the gaps between the elements are unchanged. Otherwise
  // returns a sentence that describes the fault.
  std::string compare(const atc::GuardedBuffer& output) const;

 private:
  const atc::Problem known_;
  const atc_conv_problem problem_;
  const std::string name_;
  std::vector<atc::Allocation> memory_;
  atc::Operands on_device_;
  std::vector<double> expected_;
  // the largest error that an element may have, for each element
  double absolute_ = 0, relative_ = 0;
};

// An output of a layer in device memory. Each thread has an output of its own.
class CudaOutput {
 public:
  explicit CudaOutput(const CudaLayer& layer);
  const CudaLayer& layer() const { return layer_; }
  const Views& views() const { return *views_; }
  // queues a call that clears the output, and does not wait for the call
  void unwrite(atc::Stream stream);
  std::string compare(atc::Stream stream);  // waits for the stream

 private:
  const CudaLayer& layer_;
  atc::Allocation memory_;
  atc::GuardedBuffer host_;
  std::unique_ptr<Views> views_;
};

// Returns small layers. Each execution takes a few microseconds on the device.
std::vector<std::unique_ptr<CudaLayer>> cuda_layers(std::uint64_t seed);

}  // namespace soak
