// The device's reference against the host's, element for element.
#include <cmath>

#include "core/walk.hpp"
#include "cuda_test.hpp"
#include "engines/reference/cuda/device_values.hpp"
#include "support/grid.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using DeviceReference = test::CudaTest;

TEST_F(DeviceReference, GivesTheHostsValues) {
  std::size_t compared = 0;
  for (const Problem& problem : test::make_grid(1, 5).problems) {
    if (problem.batch() == 0) continue;
    test::Inputs inputs(problem, test::Fill::normal, 11);
    const Operands host = inputs.with_old();
    const test::DeviceInputs device(problem, host);
    std::vector<reference::Index> indices;
    const Tensor& output = problem.output();
    for (std::int64_t logical = 0; logical < output.elements(); logical += 5)
      indices.push_back(output.index_of(logical));
    const auto values =
        reference::device_values(problem, device.operands(), indices, kDevice, context(), nullptr);
    ASSERT_EQ(values.size(), indices.size());
    // Both sum in double, in another order: a summand is touched by one rounding per addition.
    const double terms = static_cast<double>(problem.reduction_length()) + 2;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const auto expected = reference::value_at(problem, host, indices[i]);
      const double bound = 2 * terms * 0x1p-53;
      ASSERT_NEAR(values[i].value, expected.value, bound * expected.magnitude)
          << test::label(problem);
      ASSERT_NEAR(values[i].magnitude, expected.magnitude, bound * expected.magnitude);
      ASSERT_NEAR(values[i].energy, expected.energy, bound * expected.energy);
      ++compared;
    }
  }
  EXPECT_GT(compared, 20000u);
}

}  // namespace
}  // namespace atc
