#include "core/fill.hpp"

#include "core/half.hpp"
#include "core/walk.hpp"

namespace atc {

std::uint64_t mix(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

void fill_ternary(const Tensor& tensor, void* data, std::uint64_t seed) {
  for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
    const std::uint64_t random = mix(seed, static_cast<std::uint64_t>(logical));
    store_element(data, tensor.dtype, offset, static_cast<double>((random >> 32) % 3) - 1);
  });
}

void fill_normal(const Tensor& tensor, void* data, std::uint64_t seed) {
  // Four uniform numbers have variance 1/3 in sum (Irwin-Hall); sqrt(3) brings it to 1.
  constexpr double kScale = 1.7320508075688772 / 65536;
  for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
    const std::uint64_t random = mix(seed, static_cast<std::uint64_t>(logical));
    const auto part = [&](int shift) { return static_cast<double>((random >> shift) & 0xffff); };
    const double sum = part(0) + part(16) + part(32) + part(48) - 2 * 65535;
    store_element(data, tensor.dtype, offset, sum * kScale);
  });
}

}  // namespace atc
