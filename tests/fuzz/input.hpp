// Turns a fuzzer's bytes into values that are likely to find faults. After the last byte, each read
// gives zeros.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

namespace fuzz {

class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}

  template <typename T>
  T raw() {
    T value{};
    const std::size_t take = sizeof(T) < size_ ? sizeof(T) : size_;
    if (take > 0) std::memcpy(&value, data_, take);
    data_ += take;
    size_ -= take;
    return value;
  }

  std::size_t below(std::size_t limit) { return raw<std::uint8_t>() % limit; }

  // Returns a small number, a number near the limits of an integer type, or an arbitrary number.
  std::int64_t number() {
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    constexpr std::array<std::int64_t, 16> kEdges = {
        0,         -1,        -2,        kMost,     -kMost - 1,      kMost - 1,
        kMost / 2, kMost / 4, 1LL << 31, 1LL << 32, (1LL << 31) - 1, -(1LL << 31),
        1LL << 40, 1LL << 20, 65537,     3037000500};
    const std::uint8_t kind = raw<std::uint8_t>();
    if (kind < 128) return kind % 8;
    if (kind < 224) return kEdges[kind % kEdges.size()];
    return raw<std::int64_t>();
  }
  std::int32_t number32() { return static_cast<std::int32_t>(number()); }

  std::string text(std::size_t most) {
    std::string out(below(most), ' ');
    for (char& c : out) c = raw<char>();
    return out;
  }

  bool empty() const { return size_ == 0; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
};

}  // namespace fuzz
