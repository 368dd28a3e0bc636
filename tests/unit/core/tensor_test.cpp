// Tests how elements of a tensor are found by number, by index, and by offset in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "core/walk.hpp"

namespace atc {
namespace {

Tensor tensor_of(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides) {
  Tensor tensor;
  for (const std::int64_t extent : shape) tensor.shape[tensor.rank++] = extent;
  std::copy(strides.begin(), strides.end(), tensor.strides.begin());
  return tensor;
}

// A dense tensor, a tensor with channels last, a tensor with gaps and an unusual order of
// dimensions, and a tensor of one dimension.
const Tensor kTensors[] = {tensor_of({2, 3, 4}, {12, 4, 1}),
                           tensor_of({2, 3, 4, 5}, {60, 1, 15, 3}),
                           tensor_of({3, 1, 2, 2, 4}, {2, 7, 100, 1000, 11}), tensor_of({6}, {1})};

TEST(TensorTest, ElementsLieWhereAWalkFindsThem) {
  for (const Tensor& tensor : kTensors) {
    std::int64_t walked = 0;
    for_each_offset(tensor, [&](std::int64_t number, std::int64_t offset) {
      EXPECT_EQ(tensor.offset_of(tensor.index_of(number)), offset) << number;
      ++walked;
    });
    EXPECT_EQ(walked, tensor.elements());
  }
}

TEST(TensorTest, AnIndexHasItsNumberBack) {
  for (const Tensor& tensor : kTensors)
    for (std::int64_t number = 0; number < tensor.elements(); ++number)
      EXPECT_EQ(tensor.number_of(tensor.index_of(number)), number);
  EXPECT_EQ(kTensors[0].index_of(17), (Tensor::Index{1, 1, 1}));
  EXPECT_EQ(kTensors[0].number_of({1, 1, 1}), 17);
}

}  // namespace
}  // namespace atc
