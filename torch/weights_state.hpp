// The state of a weight tensor at one moment. Comparing it with a later state shows whether the
// weights have changed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace atc_torch {

class WeightsState {
 public:
  // Requires can_be_of(w).
  explicit WeightsState(const at::Tensor& w);

  // A tensor made in inference mode counts no versions, so its changes could not be seen.
  static bool can_be_of(const at::Tensor& w) { return !w.is_inference(); }

  // Whether `w` is at the same place in the same storage.
  bool is_of(const at::Tensor& w) const;
  bool is_gone() const { return owner_.expired(); }
  bool operator==(const WeightsState& other) const;
  bool holds_for(const at::Tensor& w) const { return !is_gone() && *this == WeightsState(w); }

 private:
  // The reference is to the storage and not to the tensor, because LibTorch refuses to swap tensors
  // to which there are weak references. As long as it exists, no other storage gets the same
  // address.
  c10::weak_intrusive_ptr<c10::StorageImpl> owner_;
  const c10::StorageImpl* storage_;
  std::int64_t offset_;
  const void* data_;
  // Tensors that share a storage may have a counter each (`.data`).
  c10::VariableVersion counter_;
  std::uint32_t version_;
  std::uint64_t sample_;  // a hash of some of the weights' values, because LibTorch does not count
                          // every write
};

}  // namespace atc_torch
