#include "core/guarded_buffer.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "core/format.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"

namespace atc {

namespace {

constexpr std::size_t kGuardBytes = 4096, kAlignment = 64, kWord = sizeof(std::uint16_t);

// Whether all `count` words are finite floating-point numbers. `exponent` has the bits of the
// exponent: a word in which all of them are set is Inf or NaN.
template <typename Word>
bool are_finite(const void* data, Word exponent, std::int64_t count) {
  const auto* const bytes = static_cast<const std::byte*>(data);
  std::int64_t found = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    Word word;
    std::memcpy(&word, bytes + i * static_cast<std::int64_t>(sizeof word), sizeof word);
    found += (word & exponent) == exponent ? 1 : 0;
  }
  return found == 0;
}

bool are_finite(const void* data, Dtype dtype, std::int64_t count) {
  switch (dtype) {
    case Dtype::f32:
      return are_finite<std::uint32_t>(data, 0x7f800000, count);
    case Dtype::f16:
      return are_finite<std::uint16_t>(data, 0x7c00, count);
    case Dtype::bf16:
      break;
  }
  return are_finite<std::uint16_t>(data, 0x7f80, count);
}

}  // namespace

GuardedBuffer::GuardedBuffer(const Tensor& tensor)
    : tensor_(tensor), storage_(2 * kGuardBytes + kAlignment + tensor.span_bytes()) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  first_ = (address + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment - address;
  fill_pattern();
}

void GuardedBuffer::fill_pattern() {
  // In each step the filled part is copied behind itself, which doubles it. So nearly all bytes are
  // copied by a few large calls of memcpy, which are as fast as the memory allows.
  const std::size_t size = storage_.size() / kWord * kWord;
  std::memcpy(storage_.data(), &kPattern, kWord);
  for (std::size_t filled = kWord; filled < size;) {
    const std::size_t more = std::min(filled, size - filled);
    std::memcpy(storage_.data() + filled, storage_.data(), more);
    filled += more;
  }
}

void GuardedBuffer::copy_from(const void* old) {
  fill_pattern();
  if (is_dense()) {
    std::memcpy(data(), old, tensor_.span_bytes());
    return;
  }
  const std::size_t size = size_of(tensor_.dtype);
  for_each_offset(tensor_, [&](std::int64_t, std::int64_t offset) {
    const std::size_t at = static_cast<std::size_t>(offset) * size;
    std::memcpy(storage_.data() + first_ + at, static_cast<const std::byte*>(old) + at, size);
  });
}

std::size_t GuardedBuffer::first_touched(std::size_t from, std::size_t to) const {
  for (std::size_t at = from; at + kWord <= to; at += kWord)
    if (std::memcmp(storage_.data() + at, &kPattern, kWord) != 0) return at;
  return to;
}

std::string GuardedBuffer::violation() const {
  const std::size_t end = first_ + tensor_.span_bytes();
  if (const std::size_t at = first_touched(0, first_); at != first_)
    return format("wrote {} bytes before the start of the output", first_ - at);
  if (const std::size_t at = first_touched(end, storage_.size()); at != storage_.size())
    return format("wrote {} bytes after the end of the output", at - end);
  if (is_dense()) return {};
  std::vector<bool> owned(static_cast<std::size_t>(tensor_.span()));
  for_each_offset(tensor_, [&](std::int64_t, std::int64_t offset) {
    owned[static_cast<std::size_t>(offset)] = true;
  });
  const std::size_t size = size_of(tensor_.dtype);
  for (std::size_t i = 0; i < owned.size(); ++i) {
    const std::size_t at = first_ + i * size;
    if (!owned[i] && first_touched(at, at + size) != at + size)
      return format("wrote into the gap between elements at element offset {}", i);
  }
  return {};
}

std::string GuardedBuffer::bad_element() const {
  if (is_dense() && are_finite(data(), tensor_.dtype, tensor_.span())) return {};
  std::string text;
  const std::size_t size = size_of(tensor_.dtype);
  for_each_offset(tensor_, [&](std::int64_t logical, std::int64_t offset) {
    const double value = load_element(data(), tensor_.dtype, offset);
    if (std::isfinite(value) || !text.empty()) return;
    const std::size_t at = first_ + static_cast<std::size_t>(offset) * size;
    text = format("element {} of the output {}", logical,
                  first_touched(at, at + size) == at + size ? "was never written"
                  : std::isnan(value)                       ? "is NaN"
                                                            : "is infinite");
  });
  return text;
}

}  // namespace atc
