// Base classes of prepared own kernels. They make the device's context current and keep the weights
// that were set.
#pragma once

#include <cstdint>

#include "device/cuda/kept_memory.hpp"
#include "engines/engine.hpp"

namespace atc::kernels {

// For forward and backward-data.
class ConvolutionPrepared : public Prepared {
 public:
  std::uint64_t workspace_size() const final { return workspace_; }
  void set_weights(const void* w) final;
  void execute(const Operands& operands, void* workspace, Stream stream) final;

 protected:
  struct Addresses {
    const void* in;
    const void* filters;
    const void* bias;  // null where the problem has none
    void* out;
  };

  // `packed_bytes`: size of the filters in the kernel's own order, which `pack` writes to the
  // beginning of the workspace. 0: the kernel reads filters in the problem's order.
  ConvolutionPrepared(const Problem& problem, const Limits& limits, std::uint64_t workspace,
                      std::uint64_t packed_bytes);

 private:
  // Both are called with a context of the device current.
  virtual void launch(const Addresses& addresses, void* workspace, Stream stream) const = 0;
  virtual void pack(const void* /*w*/, void* /*to*/, Stream /*stream*/) const {}

  DeviceId device_;
  bool forward_, has_bias_;
  std::uint64_t weight_bytes_, packed_bytes_, workspace_;
  cuda::KeptMemory kept_;  // weights that were set; packed unless packed_bytes_ is 0
};

// For backward-weight, which writes the weights.
class GradientPrepared : public Prepared {
 public:
  std::uint64_t workspace_size() const final { return workspace_; }
  void set_weights(const void* /*w*/) final {}
  void execute(const Operands& operands, void* workspace, Stream stream) final;

 protected:
  GradientPrepared(const Limits& limits, std::uint64_t workspace);

 private:
  // Called with a context of the device current.
  virtual void launch(const Operands& operands, void* workspace, Stream stream) const = 0;

  DeviceId device_;
  std::uint64_t workspace_;
};

}  // namespace atc::kernels
