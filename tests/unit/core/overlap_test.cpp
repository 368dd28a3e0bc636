// Tests share_memory(), which says whether two tensors have a byte of memory in common. The
// expected answers come from the sets of the addresses of all their bytes.
#include "core/overlap.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>
#include <set>
#include <vector>

#include "core/walk.hpp"

namespace atc {
namespace {

Tensor tensor(Dtype dtype, std::vector<std::int64_t> shape, std::vector<std::int64_t> strides) {
  Tensor made;
  made.dtype = dtype;
  made.rank = static_cast<int>(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    made.shape[i] = shape[i];
    made.strides[i] = strides[i];
  }
  return made;
}

std::set<std::int64_t> bytes_of(const Tensor& tensor, std::int64_t start) {
  std::set<std::int64_t> bytes;
  const auto size = static_cast<std::int64_t>(size_of(tensor.dtype));
  for_each_offset(tensor, [&](std::int64_t, std::int64_t offset) {
    for (std::int64_t i = 0; i < size; ++i) bytes.insert(start + offset * size + i);
  });
  return bytes;
}

TEST(Overlap, IsThatOfTheBytes) {
  std::mt19937 random(5);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random);
  };
  std::vector<std::byte> memory(4096);
  std::size_t shared = 0;
  for (int i = 0; i < 3000; ++i) {
    Tensor tensors[2];
    std::int64_t starts[2];
    for (int j = 0; j < 2; ++j) {
      tensors[j] =
          tensor(draw(0, 1) ? Dtype::f32 : Dtype::f16, {draw(1, 3), draw(1, 4), draw(1, 4)},
                 {draw(0, 40), draw(1, 12), draw(1, 6)});
      starts[j] = draw(0, 200);
    }
    bool expected = false;
    const std::set<std::int64_t> others = bytes_of(tensors[1], starts[1]);
    for (const std::int64_t byte : bytes_of(tensors[0], starts[0]))
      expected = expected || others.count(byte) != 0;
    shared += expected ? 1 : 0;
    EXPECT_EQ(
        share_memory(tensors[0], memory.data() + starts[0], tensors[1], memory.data() + starts[1]),
        expected)
        << i;
  }
  EXPECT_GT(shared, 500U);
  EXPECT_LT(shared, 2500U);
}

TEST(Overlap, SlicesOfOneTensorBesideEachOtherAreApart) {
  // Two views of the same images in f32 with channels last: channels 0 to 3, and channels 4 to 7
  // (16 bytes further).
  const Tensor half = tensor(Dtype::f32, {2, 4, 1000, 1000}, {8000000, 1, 8000, 8});
  alignas(4) static std::byte memory[64];
  EXPECT_FALSE(share_memory(half, memory, half, memory + 16));
  EXPECT_TRUE(share_memory(half, memory, half, memory + 12));
  EXPECT_TRUE(share_memory(half, memory, half, memory));
  EXPECT_FALSE(share_memory(half, memory + 16, half, memory));
}

TEST(Overlap, EmptyTensorsShareNothing) {
  const Tensor some = tensor(Dtype::f32, {4}, {1}), none = tensor(Dtype::f32, {0}, {1});
  std::byte memory[16];
  EXPECT_FALSE(share_memory(some, memory, none, memory));
  EXPECT_FALSE(share_memory(none, memory, some, memory));
}

}  // namespace
}  // namespace atc
