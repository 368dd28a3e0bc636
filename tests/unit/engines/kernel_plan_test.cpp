// Tests the texts of configurations of atc's own kernels, and the resources of a device that their
// plans need. The test needs no device, because plans only use descriptions of devices.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "engines/kernels/dense/backward_weight_plan.hpp"
#include "engines/kernels/dense/configuration.hpp"
#include "engines/kernels/dense/pointwise_plan.hpp"
#include "engines/kernels/dense/pointwise_shape.hpp"
#include "engines/kernels/dense/pointwise_weight_plan.hpp"
#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/grouped/plan.hpp"
#include "engines/kernels/implicit/configuration.hpp"
#include "engines/kernels/launch_plan.hpp"
#include "support/problems.hpp"

namespace atc {
namespace {

using kernels::Capacity;
using test::Memory;
using test::Spec;

constexpr Capacity kAda{128, 99 << 10}, kHopper{132, 227 << 10};

Limits usual_limits() {
  Limits limits;
  limits.alignment = 16;
  limits.workspace = 1 << 30;
  limits.allow_tf32 = true;
  return limits;
}

// On devices of compute capability 8.9 a block can have at most 99 KiB of shared memory.
// Configurations that were chosen for devices of compute capability 9.0, whose multiprocessors have
// more than twice as much, must not be offered there.
TEST(GroupedPlan, AsksForNoMoreSharedMemoryThanABlockMayHave) {
  const Limits limits = usual_limits();
  for (const Direction direction :
       {Direction::forward, Direction::backward_data, Direction::backward_weight})
    for (const Dtype dtype : {Dtype::f16, Dtype::f32})
      for (const std::int64_t channels : {8, 32})
        for (const std::int64_t extent : {14, 28, 56})
          for (const std::int64_t stride : {1, 2}) {
            Spec spec;
            spec.direction = direction;
            spec.x = spec.w = spec.y = dtype;
            spec.batch = spec.groups = 32;
            spec.channels_in = spec.channels_out = 32 * channels;
            spec.in = {extent, extent, 1};
            spec.kernel = {3, 3, 1};
            spec.stride = {stride, stride, 1};
            spec.pad_low = spec.pad_high = {1, 1, 0};
            const Problem problem = test::build(spec);
            SCOPED_TRACE(test::label(problem));
            ASSERT_EQ(grouped::objection(problem, limits), "");
            const auto found = grouped::configurations(problem, limits, kAda);
            EXPECT_FALSE(found.empty());
            for (const auto& one : found)
              EXPECT_LE(grouped::find_plan(problem, limits, one, kAda).shared_bytes,
                        static_cast<unsigned>(kAda.most_shared));
          }
}

// The kernel has an array of biases in static shared memory. The dynamic shared memory of the
// launch follows it, at a multiple of 1,024 bytes. So the plan must count the biases and the gap
// behind them.
TEST(FirstPlan, LeavesRoomForTheBiases) {
  Spec spec;
  spec.x = spec.w = spec.y = Dtype::f16;
  spec.batch = 32;
  spec.channels_in = 2;
  spec.channels_out = 96;
  spec.in = {224, 224, 1};
  spec.kernel = {7, 7, 1};
  spec.stride = {2, 2, 1};
  spec.pad_low = spec.pad_high = {3, 3, 0};
  spec.x_memory = spec.w_memory = spec.y_memory = Memory::last;
  const Problem problem = test::build(spec);
  const Limits limits = usual_limits();
  ASSERT_EQ(first::objection(problem), "");
  const auto configuration = first::parse_configuration("c64_p512_s2");
  const unsigned asked = first::find_plan(problem, limits, configuration, kHopper).shared_bytes;
  ASSERT_GT(asked, 0u);
  const Capacity tight{132, static_cast<int>(asked + 1023)};
  EXPECT_EQ(first::find_plan(problem, limits, configuration, tight).kernel, "");
  const Capacity enough{132, static_cast<int>(asked + 1024)};
  EXPECT_NE(first::find_plan(problem, limits, configuration, enough).kernel, "");
}

Spec pointwise_spec(Direction direction, Dtype dtype, std::int64_t extent) {
  Spec spec;
  spec.direction = direction;
  spec.x = spec.w = spec.y = dtype;
  spec.batch = 64;
  spec.channels_in = 1024;
  spec.channels_out = 256;
  spec.in = {extent, extent, 1};
  spec.kernel = {1, 1, 1};
  return spec;
}

// Kernels that use tensor maps need rows of a multiple of 16 bytes. The rows in this test have 196
// and 392 bytes, which are no multiples. So other kernels must be offered.
TEST(PointwisePlan, ServesRowsOfManyLengths) {
  const Limits limits = usual_limits();
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32})
    for (const std::int64_t extent : {1, 7, 14, 28, 56}) {
      if (dtype != Dtype::f32 && extent % 2 != 0) continue;
      const Problem problem =
          test::build(pointwise_spec(Direction::backward_weight, dtype, extent));
      SCOPED_TRACE(test::label(problem));
      ASSERT_EQ(dense::pointwise_weight_objection(problem, limits), "");
      const auto found =
          dense::pointwise_weight_configurations(problem, limits, kHopper.multiprocessors);
      ASSERT_FALSE(found.empty());
      for (const auto& one : found) {
        const auto plan = dense::pointwise_weight_launch_plan(problem, limits, one);
        ASSERT_EQ(plan.launches.size(), 2u);
        const std::size_t row_bytes = static_cast<std::size_t>(extent * extent) * size_of(dtype);
        EXPECT_EQ(plan.launches[0].kernel.find("_by") == std::string::npos, row_bytes % 16 == 0);
        EXPECT_LE(plan.launches[0].shape.shared_bytes, static_cast<unsigned>(kHopper.most_shared));
        EXPECT_LE(plan.workspace, limits.workspace);
      }
    }
}

TEST(PointwisePlan, HasNoSplitsWithoutPixels) {
  const Problem problem =
      test::build(pointwise_spec(Direction::backward_weight, Dtype::f16, 4));  // 64 chunks
  const Limits limits = usual_limits();
  auto configuration = dense::parse_pointwise_weight_configuration("pointwise_bw_256x128_c2_s64");
  EXPECT_EQ(dense::pointwise_weight_launch_plan(problem, limits, configuration).launches.size(),
            2u);
  configuration.splits = 65;
  EXPECT_TRUE(dense::pointwise_weight_launch_plan(problem, limits, configuration).launches.empty());
}

TEST(PointwisePlan, ObjectsToOtherProblems) {
  const Limits limits = usual_limits();
  const auto weights = [&](const Spec& spec) {
    return dense::pointwise_weight_objection(test::build(spec), limits);
  };
  Spec spec = pointwise_spec(Direction::backward_weight, Dtype::f16, 7);
  EXPECT_EQ(weights(spec), "its tensors are of 16 bits and its pixels are no multiple of 4");
  spec = pointwise_spec(Direction::backward_weight, Dtype::f32, 14);
  spec.channels_in = 60;
  EXPECT_EQ(weights(spec), "");
  spec.x_memory = Memory::last;
  EXPECT_EQ(weights(spec), "x and y must be dense, channels first");
  spec = pointwise_spec(Direction::forward, Dtype::f32, 7);
  EXPECT_EQ(dense::pointwise_objection(test::build(spec), limits),
            "its pixels are no multiple of 4");
  spec = pointwise_spec(Direction::forward, Dtype::f32, 14);
  EXPECT_EQ(dense::pointwise_objection(test::build(spec), limits), "");
  spec.pad_low = {1, 1, 0};
  EXPECT_FALSE(dense::is_pointwise(test::build(spec)));
  spec = pointwise_spec(Direction::forward, Dtype::f32, 14);
  spec.stride = {2, 2, 1};
  EXPECT_FALSE(dense::is_pointwise(test::build(spec)));
}

// A function that parses the text of a configuration, and writes the parsed configuration as a text
// again.
using Again = std::function<std::string(const std::string&)>;

void expect_read(const Again& again, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) EXPECT_EQ(again(text), text);
}
void expect_refused(const Again& again, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) EXPECT_THROW(again(text), Error) << text;
}

const Again kDense = [](const std::string& text) {
  return to_string(dense::parse_configuration(text));
};
const Again kDenseWeight = [](const std::string& text) {
  return to_string(dense::parse_weight_configuration(text));
};
const Again kPointwise = [](const std::string& text) {
  return to_string(dense::parse_pointwise_configuration(text));
};
const Again kPointwiseWeight = [](const std::string& text) {
  return to_string(dense::parse_pointwise_weight_configuration(text));
};
const Again kFirst = [](const std::string& text) {
  return to_string(first::parse_configuration(text));
};
const Again kGrouped = [](const std::string& text) {
  return to_string(grouped::parse_configuration(text));
};
const Again kImplicit = [](const std::string& text) {
  return to_string(implicit::parse_configuration(text));
};

// Stored records contain texts of these forms, so later versions must be able to read them.
TEST(ConfigurationText, IsReadAndWrittenUnchanged) {
  expect_read(kDense, {"tile_128x256_s1", "tile_64x128_s2_c4", "tile_128x256_s1_r8"});
  expect_read(kDenseWeight, {"wgmma_bw_u14_g2_d3_s33"});
  expect_read(kPointwise, {"pointwise_256x128"});
  expect_read(kPointwiseWeight, {"pointwise_bw_256x128_c2_s16", "pointwise_bw_128x64_c1_x_s33"});
  expect_read(kFirst, {"c64_p512_s2", "c64_t8x32_s1", "c64_t8x32_s1_o", "c64_p256_s2_n264",
                       "c64_t28x64_s2_w"});
  expect_read(kGrouped, {"stream_4x1_g8_4x28_b3", "gradient_5x1_g8_4x28_s66"});
  expect_read(kImplicit, {"tile_8x1_g8_4x28", "tile_5x2_g4_4x28_s33", "raster_2x112_t2_4x28",
                          "raster_3x112_t1_7x28_s11"});
}

// Each configuration must have only one text, because records identify a configuration by its text.
TEST(ConfigurationText, HasOneTextForEachConfiguration) {
  expect_refused(kDense, {"", "tile_128x256", "tile_0128x256_s1", "tile_128x256_s1_c1",
                          "tile_128x256_s1_r1", "tile_128x256_s1_r2_c2", "tile_128x256_s1 "});
  expect_refused(kDenseWeight, {"wgmma_bw_u14_g2_d3", "wgmma_bw_u14_g2_d3_s033"});
  expect_refused(kPointwise, {"pointwise_256", "pointwise_256x0128", "pointwise_bw_256x128"});
  expect_refused(kPointwiseWeight, {"pointwise_bw_256x128_s16", "pointwise_bw_256x128_c2_s016",
                                    "pointwise_bw_256x128_x_c2_s16", "pointwise_bw_256x128_c2_x"});
  expect_refused(kFirst, {"c64_s2", "c64_p512_t8x32_s2", "c64_p512_s2_n0", "c64_p0_s2",
                          "c64_p512_s2_w_o", "c64_p512_s2_oo", "c64_t8_s2"});
  expect_refused(kGrouped,
                 {"stream_4x1_g8_4x28", "stream_4x1_g8_4x28_s3", "gradient_5x1_g8_4x28_b3",
                  "stream_4x1_g8_4x28_b3_s3", "stream_gradient_4x1_g8_4x28_b3"});
  expect_refused(kImplicit, {"tile_8x1_t2_4x28", "raster_2x112_g2_4x28", "tile_8x1_g8_4x28_s0",
                             "raster_0x112_t2_4x28", "raster_2x112_t2_tile_8x1_g8_4x28"});
}

// The suffix "_w" of a text means a kernel that computes strips. There is no such kernel for
// gradients of weights, so a configuration with strips must have no kernel.
TEST(FirstPlan, HasNoGradientInStrips) {
  Spec spec;
  spec.direction = Direction::backward_weight;
  spec.x = spec.w = spec.y = Dtype::f16;
  spec.batch = 32;
  spec.channels_in = 3;
  spec.channels_out = 64;
  spec.in = {56, 56, 1};
  spec.kernel = {3, 3, 1};
  const Problem problem = test::build(spec);
  const Limits limits = usual_limits();
  auto configuration = first::parse_configuration("c64_p256_s1_n4");
  EXPECT_NE(first::find_plan(problem, limits, configuration, kHopper).kernel, "");
  configuration.strips = true;
  EXPECT_EQ(first::find_plan(problem, limits, configuration, kHopper).kernel, "");
}

// A kernel launch needs the address of each argument's value. If the argument is a structure or a
// number, its value lies in a copy that the plan keeps. If it is the address of an operand, its
// value lies in a table of addresses that each execution passes.
TEST(LaunchPlan, HasTheValueOfEachArgument) {
  struct Shape {
    int rows, columns;
  };
  Shape shape{3, 4};
  auto arguments = kernels::arguments(kernels::Pointer::in_to_out, shape, 7, kernels::Pointer::out);
  shape.rows = 0;
  ASSERT_EQ(arguments.size(), 4u);
  std::vector<void*> pointers(static_cast<std::size_t>(kernels::Pointer::count));
  EXPECT_EQ(arguments[0].address(pointers.data()), pointers.data());
  EXPECT_EQ(static_cast<const Shape*>(arguments[1].address(pointers.data()))->rows, 3);
  EXPECT_EQ(static_cast<const Shape*>(arguments[1].address(pointers.data()))->columns, 4);
  EXPECT_EQ(*static_cast<const int*>(arguments[2].address(pointers.data())), 7);
  EXPECT_EQ(arguments[3].address(pointers.data()), pointers.data() + 3);
}

}  // namespace
}  // namespace atc
