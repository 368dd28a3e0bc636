// The requirements of own kernels' plans to a device, for devices that this machine does not have.
#include <gtest/gtest.h>

#include "engines/kernels/first/plan.hpp"
#include "engines/kernels/grouped/plan.hpp"
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

// Compute capability 8.9 has 99 KiB for a block, less than half of what a multiprocessor of 9.0
// has.
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

// The kernel has an array of biases of its own beside the memory that its launch asks for.
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
  const Capacity tight{132, static_cast<int>(asked)};
  EXPECT_EQ(first::find_plan(problem, limits, configuration, tight).kernel, "");
  const Capacity enough{132, static_cast<int>(asked + 64 * sizeof(float))};
  EXPECT_NE(first::find_plan(problem, limits, configuration, enough).kernel, "");
}

}  // namespace
}  // namespace atc
