#include "core/fill.hpp"

#include "core/half.hpp"
#include "core/walk.hpp"

namespace atc {

void fill_ternary(const Tensor& tensor, void* data, std::uint64_t seed) {
  for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
    store_element(data, tensor.dtype, offset,
                  ternary(mix(seed, static_cast<std::uint64_t>(logical))));
  });
}

void fill_normal(const Tensor& tensor, void* data, std::uint64_t seed) {
  for_each_offset(tensor, [&](std::int64_t logical, std::int64_t offset) {
    store_element(data, tensor.dtype, offset,
                  normal(mix(seed, static_cast<std::uint64_t>(logical))));
  });
}

}  // namespace atc
