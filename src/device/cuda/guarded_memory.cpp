#include "device/cuda/guarded_memory.hpp"

#include "core/format.hpp"
#include "core/guarded_buffer.hpp"

namespace atc::cuda {

namespace {

constexpr std::uint64_t kGuardBytes = 4096;

}  // namespace

GuardedMemory::GuardedMemory(const Tensor& tensor, const TensorWork& work, DeviceId device,
                             Stream stream)
    : tensor_(tensor), work_(work), memory_(2 * kGuardBytes + tensor.span_bytes(), device, stream) {
  fill_pattern();
}

void* GuardedMemory::data() const { return static_cast<std::byte*>(memory_.data()) + kGuardBytes; }

void GuardedMemory::fill_pattern() {
  work_.set_pattern(memory_.data(), memory_.size(), GuardedBuffer::kPattern);
}

void GuardedMemory::copy_from(const void* old) {
  fill_pattern();
  work_.copy_elements(tensor_, data(), old);
}

std::string GuardedMemory::trouble() {
  constexpr unsigned long long kNothing = ~0ull;
  const Findings findings =
      work_.take(tensor_, data(), memory_.data(), memory_.size(), GuardedBuffer::kPattern);
  std::string trouble;
  if (findings.bad_element != kNothing)
    trouble = format("element {} of the output {}", findings.bad_element / 2,
                     findings.bad_element % 2 != 0 ? "was never written" : "is not finite");
  if (findings.touched_word == kNothing) return trouble;
  fill_pattern();
  const std::uint64_t at = findings.touched_word * sizeof(GuardedBuffer::kPattern);
  const std::uint64_t end = kGuardBytes + tensor_.span_bytes();
  if (at < kGuardBytes)
    return format("wrote {} bytes before the start of the output", kGuardBytes - at);
  if (at >= end) return format("wrote {} bytes after the end of the output", at - end);
  return format("wrote into the gap between elements at element offset {}",
                (at - kGuardBytes) / size_of(tensor_.dtype));
}

}  // namespace atc::cuda
