#include "core/guarded_buffer.hpp"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/format.hpp"
#include "core/half.hpp"
#include "core/walk.hpp"

namespace atc {

namespace {

constexpr std::size_t kGuardBytes = 4096, kAlignment = 64, kWord = sizeof(std::uint16_t);

}  // namespace

GuardedBuffer::GuardedBuffer(const Tensor& tensor)
    : tensor_(tensor), storage_(2 * kGuardBytes + kAlignment + tensor.span_bytes()) {
  const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
  first_ = (address + kGuardBytes + kAlignment - 1) / kAlignment * kAlignment - address;
  fill_pattern();
}

void GuardedBuffer::fill_pattern() {
  for (std::size_t at = 0; at + kWord <= storage_.size(); at += kWord)
    std::memcpy(storage_.data() + at, &kPattern, kWord);
}

void GuardedBuffer::copy_from(const void* old) {
  fill_pattern();
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
  if (tensor_.span() == tensor_.elements()) return {};
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
