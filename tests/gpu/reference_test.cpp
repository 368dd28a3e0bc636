// Compares the reference's results on the device with its results on the host, element by element.
#include <cmath>

#include "core/fill.hpp"
#include "core/half.hpp"
#include "cuda_test.hpp"
#include "engines/reference/cuda/arguments.hpp"
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
    // Host and device add the terms in double, but in different orders. So each of the two sums may
    // have an error of one rounding for each addition.
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

// Each problem is a gradient of weights whose sums are long, so that several blocks compute parts
// of one sum.
TEST_F(DeviceReference, GivesTheHostsValuesOfLongSums) {
  for (const test::Memory memory : {test::Memory::first, test::Memory::last}) {
    test::Spec spec;
    spec.direction = Direction::backward_weight;
    spec.batch = 16;
    spec.in = {66, 66, 1};
    spec.x = spec.w = spec.y = Dtype::bf16;
    spec.x_memory = spec.y_memory = memory;
    const Problem problem = test::build(spec);
    ASSERT_GT(reference::splits_of(problem), 1u);
    test::Inputs inputs(problem, test::Fill::normal, 11);
    const Operands host = inputs.with_old();
    const test::DeviceInputs device(problem, host);
    std::vector<reference::Index> indices;
    for (std::int64_t number = 0; number < problem.w.elements(); number += 5)
      indices.push_back(problem.w.index_of(number));
    const auto found =
        reference::device_values(problem, device.operands(), indices, kDevice, context(), nullptr);
    const auto expected = reference::values_at(problem, host, indices);
    const double bound = 2 * (static_cast<double>(problem.reduction_length()) + 2) * 0x1p-53;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      ASSERT_NEAR(found[i].value, expected[i].value, bound * expected[i].magnitude);
      ASSERT_NEAR(found[i].magnitude, expected[i].magnitude, bound * expected[i].magnitude);
      ASSERT_NEAR(found[i].energy, expected[i].energy, bound * expected[i].energy);
    }
  }
}

// Compares every third element of the device's output with the sum of the host in double, rounded
// once to the output's dtype. Returns the number of compared elements.
std::size_t compare_whole(const Problem& problem, const Operands& host, const void* there,
                          const cuda::TensorWork& work) {
  const Tensor& output = problem.output();
  std::vector<std::int64_t> offsets;
  for (std::int64_t number = 0; number < output.elements(); ++number)
    offsets.push_back(output.offset_of(output.index_of(number)));
  const std::vector<double> values = work.gather(output, there, offsets);
  std::size_t compared = 0;
  for (std::int64_t number = 0; number < output.elements(); number += 3) {
    const double exact = reference::value_at(problem, host, output.index_of(number)).value;
    EXPECT_EQ(values[static_cast<std::size_t>(number)], round_to(output.dtype, exact))
        << test::label(problem) << " element " << number;
    ++compared;
    if (testing::Test::HasFailure()) break;
  }
  return compared;
}

// The operands are integers, so the sums are exact. Each element must equal the host's sum, rounded
// once.
TEST_F(DeviceReference, GivesTheHostsOutputAsAWhole) {
  std::size_t compared = 0;
  for (const Problem& problem : test::make_grid(1, 5).problems) {
    if (problem.batch() == 0) continue;
    test::Inputs inputs(problem, test::Fill::ternary, 11);
    const Operands host = inputs.with_old();
    const test::DeviceInputs device(problem, host);
    const void* const there = output_of(problem, device.operands());
    reference::convolve_on_device(problem, device.operands(), context(), nullptr);
    compared += compare_whole(problem, host, there, work());
    if (HasFailure()) return;
  }
  EXPECT_GT(compared, 20000u);
}

// The device's reference computes a group of 8 or more channels in tiles of one of two sizes. The
// problems of forward and backward-data use both sizes.
TEST_F(DeviceReference, GivesTheHostsOutputInTiles) {
  std::size_t compared = 0;
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const auto memory : {test::Memory::first, test::Memory::last, test::Memory::strided})
      for (const std::int64_t groups : {1, 3})
        for (const std::int64_t in : {9, 35})
          for (const bool accumulate : {false, true}) {
            test::Spec spec;
            spec.direction = direction;
            spec.batch = 3;
            spec.groups = groups;
            spec.channels_in = groups * 17;
            spec.channels_out = groups * 70;
            spec.in = {in, in + 2, 1};
            spec.kernel = {3, 2, 1};
            spec.stride = {2, 1, 1};
            spec.dilation = {1, 3, 1};
            spec.pad_low = {1, 2, 0};
            spec.pad_high = {0, 1, 0};
            spec.x_memory = spec.y_memory = memory;
            spec.accumulate = accumulate;
            const Problem problem = test::build(spec);
            test::Inputs inputs(problem, test::Fill::ternary, 11);
            const Operands host = inputs.with_old();
            const test::DeviceInputs device(problem, host);
            reference::convolve_finite_on_device(problem, device.operands(), kDevice, context(),
                                                 nullptr);
            compared += compare_whole(problem, host, output_of(problem, device.operands()), work());
            if (HasFailure()) return;
          }
  EXPECT_GT(compared, 20000u);
}

// An element of this gradient has 3 * 61 * 59 * 5 = 53,985 summands, which several blocks share.
// The blocks' parts begin and end within images.
TEST_F(DeviceReference, GivesTheHostsGradientOfManyPositions) {
  std::size_t compared = 0;
  for (const bool accumulate : {false, true})
    for (const std::int64_t channels : {5, 240}) {
      test::Spec spec;
      spec.direction = Direction::backward_weight;
      spec.batch = 3;
      spec.groups = 2;
      spec.channels_in = 2 * channels;
      spec.channels_out = 2 * 9;
      spec.spatial = 3;
      spec.in = {61, 59, 5};
      spec.kernel = {3, 1, 2};
      spec.pad_low = {1, 0, 1};
      spec.pad_high = {1, 0, 0};
      spec.accumulate = accumulate;
      const Problem problem = test::build(spec);
      test::Inputs inputs(problem, test::Fill::ternary, 11);
      const Operands host = inputs.with_old();
      const test::DeviceInputs device(problem, host);
      reference::convolve_finite_on_device(problem, device.operands(), kDevice, context(), nullptr);
      compared += compare_whole(problem, host, output_of(problem, device.operands()), work());
      if (HasFailure()) return;
    }
  EXPECT_EQ(compared, 2u * 18 * (5 + 240) * 6 / 3);  // every third of the gradient's elements
}

// One element of a copy of the tensor is changed by 2. The comparison on the device must return the
// number of this element. If the margin is 2, it must find no difference.
TEST_F(DeviceReference, FindsOneWrongElement) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f16, Dtype::bf16})
    for (const auto memory : {test::Memory::first, test::Memory::last, test::Memory::strided}) {
      const Tensor tensor = test::make_tensor(dtype, 4, {4, 37, 29, 31}, memory);
      std::vector<unsigned char> host(tensor.span_bytes());
      fill_ternary(tensor, host.data(), 3);
      const test::OnDevice right(host.data(), host.size());
      const std::int64_t number = tensor.elements() * 5 / 7;
      const std::int64_t place = tensor.offset_of(tensor.index_of(number));
      store_element(host.data(), dtype, place, load_element(host.data(), dtype, place) + 2);
      const test::OnDevice wrong(host.data(), host.size());
      const auto difference = [&](const test::OnDevice& output, double margin) {
        return work().difference(tensor, output.data(), right.data(), margin, 0);
      };
      EXPECT_EQ(difference(right, 0), std::nullopt);
      EXPECT_EQ(difference(wrong, 0), number);
      EXPECT_EQ(difference(wrong, 1.9), number);
      EXPECT_EQ(difference(wrong, 2), std::nullopt);
    }
}

}  // namespace
}  // namespace atc
