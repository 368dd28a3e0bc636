#include "weights_state.hpp"

#include <algorithm>
#include <cstring>

namespace atc_torch {

namespace {

// Returns a hash of the values of up to 64 elements, spread evenly from the first to the last
// element in memory. If a program changes all elements, the hash changes. If it changes a few
// elements, the hash may remain the same.
std::uint64_t sample_of(const at::Tensor& w) {
  constexpr std::int64_t most = 64;
  std::int64_t span = 1;
  for (std::int64_t i = 0; i < w.dim(); ++i) span += (w.size(i) - 1) * w.stride(i);
  const std::int64_t count = std::min(span, most);
  const auto* const bytes = static_cast<const unsigned char*>(w.const_data_ptr());
  const std::size_t size = w.element_size();
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t at = count == 1 ? 0 : i * (span - 1) / (count - 1);
    std::uint64_t value = 0;
    std::memcpy(&value, bytes + static_cast<std::size_t>(at) * size, std::min(size, sizeof(value)));
    hash = (hash ^ value) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

// The next function compares the version counters of two objects. VariableVersion has no function
// for this comparison. But a VariableVersion consists of nothing but a pointer to the counter, so
// the function compares the bytes of the two objects.
static_assert(sizeof(c10::VariableVersion) == sizeof(void*));

bool are_one(const c10::VariableVersion& a, const c10::VariableVersion& b) {
  return std::memcmp(static_cast<const void*>(&a), static_cast<const void*>(&b), sizeof(a)) == 0;
}

}  // namespace

WeightsState::WeightsState(const at::Tensor& w)
    : owner_(w.storage().getWeakStorageImpl()),
      storage_(w.storage().unsafeGetStorageImpl()),
      offset_(w.storage_offset()),
      data_(w.const_data_ptr()),
      counter_(w.unsafeGetTensorImpl()->version_counter()),
      version_(counter_.current_version()),
      sample_(sample_of(w)) {}

bool WeightsState::is_of(const at::Tensor& w) const {
  return storage_ == w.storage().unsafeGetStorageImpl() && offset_ == w.storage_offset();
}

bool WeightsState::operator==(const WeightsState& other) const {
  return storage_ == other.storage_ && offset_ == other.offset_ && data_ == other.data_ &&
         are_one(counter_, other.counter_) && version_ == other.version_ &&
         sample_ == other.sample_;
}

}  // namespace atc_torch
