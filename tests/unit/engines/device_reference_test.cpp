// Tests the reference's CUDA kernels that compute single output elements. In this test the kernels
// are compiled for the host, and their results are compared with those of the host's reference.
#include "fault/driver/host_kernels.hpp"

#include "engines/reference/cuda/values.cu"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "engines/reference/cuda/arguments.hpp"
#include "engines/reference/position.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using reference::DevicePosition;
using reference::DeviceValue;

template <auto kernel, typename... Arguments>
void launch(std::size_t blocks, Arguments... arguments) {
  void* addresses[] = {&arguments...};
  fault::run<kernel>(static_cast<unsigned>(blocks), addresses);
}

std::vector<DeviceValue> values(const Problem& problem, const Operands& operands,
                                const std::vector<DevicePosition>& positions, unsigned splits) {
  const auto geometry = reference::device_geometry(problem);
  const auto given = reference::device_operands(problem, operands);
  std::vector<DeviceValue> parts(positions.size() * splits), found(positions.size());
  launch<reference::atc_reference_parts>(parts.size(), geometry, given, positions.data(), splits,
                                         parts.data());
  launch<reference::atc_reference_values>(
      3, geometry, given, positions.data(), static_cast<long long>(positions.size()), splits,
      static_cast<const DeviceValue*>(parts.data()), found.data());
  return found;
}

TEST(DeviceReference, GivesTheHostsValuesInAnyNumberOfParts) {
  std::size_t compared = 0;
  for (const Problem& problem : test::make_grid(1, 9).problems) {
    if (problem.batch() == 0 || problem.flops() > 200000) continue;
    SCOPED_TRACE(test::label(problem));
    test::Inputs inputs(problem, test::Fill::normal, 11);
    const Operands operands = inputs.with_old();
    const Tensor& output = problem.output();
    std::vector<reference::Index> indices;
    std::vector<DevicePosition> positions;
    for (std::int64_t number = 0; number < output.elements(); number += 7) {
      indices.push_back(output.index_of(number));
      positions.push_back(reference::device_position(indices.back(), problem.spatial));
    }
    const auto expected = reference::values_at(problem, operands, indices);
    // The two references add the same terms in double, but in different orders. So each of the two
    // sums may have an error of one rounding for each addition.
    const double bound = 2 * (static_cast<double>(problem.reduction_length()) + 2) * 0x1p-53;
    for (const unsigned splits : {1U, 4U, 64U}) {
      const auto found = values(problem, operands, positions, splits);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const double error = bound * expected[i].magnitude;
        ASSERT_NEAR(found[i].value, expected[i].value, error);
        ASSERT_NEAR(found[i].magnitude, expected[i].magnitude, error);
        ASSERT_NEAR(found[i].energy, expected[i].energy, bound * expected[i].energy);
        ASSERT_NEAR(found[i].fresh, expected[i].fresh, error);
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10000u);
}

TEST(DeviceReference, DividesLongSumsAlone) {
  test::Spec spec;
  spec.direction = Direction::backward_weight;
  EXPECT_EQ(reference::splits_of(test::build(spec)), 1u);
  spec.batch = 128;
  spec.in = {58, 58, 1};
  const Problem problem = test::build(spec);
  EXPECT_EQ(problem.reduction_length(), 128 * 56 * 56);
  EXPECT_EQ(reference::splits_of(problem), 32u);
  spec.batch = 1 << 20;
  EXPECT_EQ(reference::splits_of(test::build(spec)), 64u);
  spec.direction = Direction::forward;
  EXPECT_EQ(reference::splits_of(test::build(spec)), 1u);
}

}  // namespace
}  // namespace atc
