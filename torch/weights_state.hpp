// The memory of a weight tensor as it was at one moment, to tell later whether it still is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace atc_torch {

class WeightsState {
 public:
  // Requires can_be_of(w).
  explicit WeightsState(const at::Tensor& w);

  // An inference tensor counts no versions, so that no change of it can be seen.
  static bool can_be_of(const at::Tensor& w) { return !w.is_inference(); }

  // Whether `w` lies at the same place of the same storage.
  bool is_of(const at::Tensor& w) const;
  bool is_gone() const { return owner_.expired(); }
  bool operator==(const WeightsState& other) const;
  bool holds_for(const at::Tensor& w) const { return !is_gone() && *this == WeightsState(w); }

 private:
  // The storage, not the tensor: LibTorch refuses to swap tensors to which there are weak
  // references. While it lives, no other storage gets its address.
  c10::weak_intrusive_ptr<c10::StorageImpl> owner_;
  const c10::StorageImpl* storage_;
  std::int64_t offset_;
  const void* data_;
  // Tensors that share a storage may have a counter each (`.data`).
  c10::VariableVersion counter_;
  std::uint32_t version_;
  std::uint64_t sample_;  // of the values: LibTorch does not count every write
};

}  // namespace atc_torch
