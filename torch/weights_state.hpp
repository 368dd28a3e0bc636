// A weight tensor as it was at one moment, to tell later whether it still is.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace atc_torch {

class WeightsState {
 public:
  // Requires can_be_of(w).
  explicit WeightsState(const at::Tensor& w)
      : owner_(w.getIntrusivePtr()),
        tensor_(w.unsafeGetTensorImpl()),
        data_(w.const_data_ptr()),
        version_(static_cast<std::uint32_t>(w._version())) {}

  // An inference tensor counts no versions, so that no change of it can be seen.
  static bool can_be_of(const at::Tensor& w) { return !w.is_inference(); }

  bool is_of(const at::Tensor& w) const { return tensor_ == w.unsafeGetTensorImpl(); }
  bool is_gone() const { return owner_.expired(); }
  bool operator==(const WeightsState& other) const {
    return tensor_ == other.tensor_ && data_ == other.data_ && version_ == other.version_;
  }
  bool holds_for(const at::Tensor& w) const { return !is_gone() && *this == WeightsState(w); }

 private:
  // While it lives, no other tensor gets this address.
  c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl> owner_;
  const void *tensor_, *data_;
  std::uint32_t version_;
};

}  // namespace atc_torch
