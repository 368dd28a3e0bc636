// What own kernels share once they are prepared: the context that they run in, the weights that
// were set.
#pragma once

#include <cstdint>

#include "core/allocator.hpp"
#include "engines/engine.hpp"

namespace atc::kernels {

// Of forward or backward-data.
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

  // A kernel that takes filters in an order of its own has `packed_bytes` of them, with which the
  // workspace begins; 0: it takes the problem's own.
  ConvolutionPrepared(const Problem& problem, const Limits& limits, std::uint64_t workspace,
                      std::uint64_t packed_bytes);

 private:
  // Both in a context of the device.
  virtual void launch(const Addresses& addresses, void* workspace, Stream stream) const = 0;
  virtual void pack(const void* /*w*/, void* /*to*/, Stream /*stream*/) const {}

  DeviceId device_;
  bool forward_, has_bias_;
  std::uint64_t weight_bytes_, packed_bytes_, workspace_;
  Allocation kept_;  // weights that were set, packed where the kernel wants them so
};

// Of backward-weight: it writes the weights.
class GradientPrepared : public Prepared {
 public:
  std::uint64_t workspace_size() const final { return workspace_; }
  void set_weights(const void* /*w*/) final {}
  void execute(const Operands& operands, void* workspace, Stream stream) final;

 protected:
  GradientPrepared(const Limits& limits, std::uint64_t workspace);

 private:
  // In a context of the device.
  virtual void launch(const Operands& operands, void* workspace, Stream stream) const = 0;

  DeviceId device_;
  std::uint64_t workspace_;
};

}  // namespace atc::kernels
