// The state of a weight tensor at one moment. Comparing it with a later state shows whether the
// weights have changed.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace atc_torch {

class WeightsState {
 public:
  // Makes the present state of the weights `w`. can_be_of(w) must be true.
  explicit WeightsState(const at::Tensor& w);

  // Returns whether a state can be made of `w`. A tensor that was made in inference mode has no
  // version counter, so a change of its values would not be noticed.
  static bool can_be_of(const at::Tensor& w) { return !w.is_inference(); }

  // Returns whether `w` is at the place in memory for which this state was made: the same offset in
  // the same storage.
  bool is_of(const at::Tensor& w) const;
  bool is_gone() const { return owner_.expired(); }
  bool operator==(const WeightsState& other) const;
  bool holds_for(const at::Tensor& w) const { return !is_gone() && *this == WeightsState(w); }

 private:
  // A weak reference to the storage of the weights. As long as this reference exists, no other
  // storage gets the same address. The state has no weak reference to the tensor itself, because
  // LibTorch refuses to swap a tensor that has weak references.
  c10::weak_intrusive_ptr<c10::StorageImpl> owner_;
  const c10::StorageImpl* storage_;
  std::int64_t offset_;
  const void* data_;
  // The version counter of the weights. The comparison of two states also compares which counter it
  // is, and not only the counter's value, because two tensors with the same storage may have
  // different counters (such as `w` and `w.data`).
  c10::VariableVersion counter_;
  std::uint32_t version_;
  // A hash of some values of the weights, because not each write raises the version counter.
  std::uint64_t sample_;
};

}  // namespace atc_torch
