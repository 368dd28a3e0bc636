// Tests on which alignment of the operands a plan on CUDA relies: the default alignment, and the
// error if an operand is less aligned.
#include <cstring>
#include <memory>

#include "capi/entry_points.hpp"
#include "fault/support.hpp"

namespace atc::fault {
namespace {

using OwnPlan = std::unique_ptr<atc_conv_plan, atc_test::PlanDeleter>;

OwnPlan plan_of(const atc_conv_problem& problem, const atc_conv_options* options = nullptr) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_create(&plan, kCuda, &problem, options));
  return OwnPlan(plan);
}

atc_conv_options aligned_to(std::uint32_t bytes) {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.alignment = bytes;
  return options;
}

// Moves the operand to an address that is a multiple of 8, but not of 16.
void misalign(atc_test::Operand& operand) {
  ASSERT_EQ(reinterpret_cast<std::uintptr_t>(operand.data.data()) % 16, 0u);
  operand.data.insert(operand.data.begin(), 2, 0.0F);
  operand.view.data = operand.data.data();
  operand.view.byte_offset = 8;
}

TEST(Alignment, WhatIsTunedWithDefaultsIsFoundWithDefaults) {
  on_machine(usual_script(), [] {
    // Each test uses another width, because the process remembers its decisions.
    std::int64_t width = 4;
    for (const auto& entry : atc_test::entry_points(kCuda)) {
      SCOPED_TRACE(entry.name);
      atc_conv_problem problem = tiny_problem();
      problem.input[1] = ++width;
      Layer layer(problem);
      const OpenStore store;
      entry.tune(layer.call);
      EXPECT_EQ(store.entries(), 1u);
      atc_store* replayed = nullptr;
      ASSERT_DONE(atc_store_open(&replayed, store.folder().c_str(), ATC_STORE_REPLAY_ONLY));
      ASSERT_DONE(atc_store_use(replayed));
      atc_test::expect_found_by_all(replayed, layer.call);
      layer.expect_right();
      atc_store_close(replayed);
    }
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(Alignment, APlanWithDefaultsRefusesOperandsWithLess) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    const OwnPlan plan = plan_of(layer.call.problem);
    misalign(layer.call.x);
    EXPECT_REFUSED(layer.call.run(plan.get()), ATC_ERROR_INVALID_ARGUMENT, "x starts at address 0x",
                   "8, which is no multiple of 16", "options.alignment");
    misalign(layer.call.w);
    EXPECT_REFUSED(atc_conv_plan_set_weights(plan.get(), &layer.call.w.view),
                   ATC_ERROR_INVALID_ARGUMENT, "w starts at address 0x", "options.alignment");
    atc_conv_plan* acquired = nullptr;
    ASSERT_DONE(atc_conv_plan_acquire(&acquired, kCuda, &layer.call.problem, nullptr, nullptr));
    EXPECT_REFUSED(layer.call.run(acquired), ATC_ERROR_INVALID_ARGUMENT, "x starts at address 0x",
                   "options.alignment 8");
    atc_conv_plan_release(acquired);
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(Alignment, WithLessAskedForSuchOperandsRun) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    misalign(layer.call.x);
    for (const std::uint32_t bytes : {1u, 4u, 8u}) {
      const atc_conv_options options = aligned_to(bytes);
      layer.unwrite();
      EXPECT_DONE(layer.call.run(plan_of(layer.call.problem, &options).get()));
      layer.expect_right();
    }
    layer.unwrite();
    // An eager call (a call without a plan of the caller) makes its plan for the alignment that its
    // operands have. So it succeeds.
    EXPECT_DONE(layer.eager());
    layer.expect_right();
    EXPECT_DONE(atc_cache_clear());
  });
}

TEST(Alignment, MoreThanSixteenBytesCountAsSixteen) {
  on_machine(usual_script(), [] {
    Layer layer(tiny_problem());
    layer.call.x.data.insert(layer.call.x.data.begin(), 4, 0.0F);
    layer.call.x.view.data = layer.call.x.data.data();
    layer.call.x.view.byte_offset = 16;
    for (const std::uint32_t bytes : {64u, 4096u}) {
      const atc_conv_options options = aligned_to(bytes);
      const OwnPlan plan = plan_of(layer.call.problem, &options);
      layer.unwrite();
      EXPECT_DONE(layer.call.run(plan.get()));
      layer.expect_right();
    }
  });
}

TEST(Alignment, OperandsOfAnEmptyBatchMayLieAnywhere) {
  on_machine(usual_script(), [] {
    atc_conv_problem problem = tiny_problem();
    problem.direction = ATC_BACKWARD_WEIGHT;
    Layer layer(problem);
    problem.batch = 0;
    atc_test::Call empty(problem);
    for (atc_test::Operand* const operand : {&empty.x, &empty.w, &empty.y})
      operand->view.device = kCuda;
    misalign(empty.w);
    EXPECT_DONE(empty.run(plan_of(problem).get()));
  });
}

}  // namespace
}  // namespace atc::fault
