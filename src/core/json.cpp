#include "core/json.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <mutex>

namespace atc {
namespace {

// The size, in bytes, of the reserve (the memory for destroying JSON values when no other memory is
// left). It suffices for the JSON of one entry of a store, which has at most 64 KiB of text. The
// system provides the pages of the reserve only when they are used.
constexpr std::size_t kBytes = std::size_t{1} << 20;

struct Reserve {
  std::mutex mutex;
  std::size_t used = 0, pieces = 0;
  alignas(std::max_align_t) std::array<unsigned char, kBytes> bytes;
};

Reserve& reserve() {
  static Reserve reserve;
  return reserve;
}

}  // namespace

void* take_reserve(std::size_t bytes) noexcept {
  Reserve& here = reserve();
  const std::lock_guard lock(here.mutex);
  constexpr std::size_t kAlignment = alignof(std::max_align_t);
  if (bytes > kBytes - here.used) return nullptr;
  void* const memory = here.bytes.data() + here.used;
  here.used = std::min(kBytes, (here.used + bytes + kAlignment - 1) / kAlignment * kAlignment);
  ++here.pieces;
  return memory;
}

bool give_back_reserve(void* memory) noexcept {
  Reserve& here = reserve();
  const std::less<> before;
  if (before(memory, here.bytes.data()) || !before(memory, here.bytes.data() + kBytes))
    return false;
  const std::lock_guard lock(here.mutex);
  if (--here.pieces == 0) here.used = 0;
  return true;
}

}  // namespace atc
