// Lists the functions of the C ABI that make a decision (which candidate runs a convolution) or
// look up a stored decision. Each function is called with default options.
#pragma once

#include <string>
#include <vector>

#include "conv_call.hpp"
#include "status.hpp"

namespace atc_test {

inline std::int32_t source_of(const atc_conv_plan* plan) {
  std::int32_t source = 0;
  EXPECT_DONE(atc_conv_plan_source(&source, plan));
  return source;
}

struct EntryPoint {
  const char* name;
  void (*tune)(Call& call);  // makes the decision by a race (by timing the candidates)
};

// Returns the functions that can make a decision by measuring. Eager calls are among these
// functions only on CUDA, and only if atc_set_benchmark_cudnn is on.
inline std::vector<EntryPoint> entry_points(atc_device device) {
  // The budget of a race in seconds. The budget is so long that it never ends a race, even on a
  // busy machine.
  static constexpr double kBudget = 60;
  std::vector<EntryPoint> all{
      {"atc_tune",
       [](Call& call) {
         atc_tune_options options{};
         options.struct_size = sizeof(options);
         options.problem_budget_seconds = kBudget;
         EXPECT_DONE(
             atc_tune(nullptr, call.x.view.device, &call.problem, 1, &options, nullptr, nullptr));
       }},
      {"atc_conv_plan_create",
       [](Call& call) {
         atc_conv_options options{};
         options.struct_size = sizeof(options);
         options.tune = ATC_ON;
         options.budget_seconds = kBudget;
         atc_conv_plan* plan = nullptr;
         EXPECT_DONE(atc_conv_plan_create(&plan, call.x.view.device, &call.problem, &options));
         EXPECT_EQ(source_of(plan), ATC_SOURCE_TUNED);
         atc_conv_plan_destroy(plan);
       }},
      {"atc_conv_plan_acquire", [](Call& call) {
         atc_conv_options options{};
         options.struct_size = sizeof(options);
         options.tune = ATC_ON;
         options.budget_seconds = kBudget;
         atc_conv_plan* plan = nullptr;
         EXPECT_DONE(
             atc_conv_plan_acquire(&plan, call.x.view.device, &call.problem, &options, nullptr));
         EXPECT_EQ(source_of(plan), ATC_SOURCE_TUNED);
         atc_conv_plan_release(plan);
       }}};
  if (device.type == ATC_DEVICE_CUDA)
    all.push_back({"atc_convolution", [](Call& call) {
                     EXPECT_DONE(atc_set_benchmark_cudnn(1));
                     EXPECT_DONE(call.eager());
                     EXPECT_DONE(atc_set_benchmark_cudnn(0));
                   }});
  return all;
}

// Expects that each function that makes or looks up a decision finds the decision for `call` in the
// store that is in use. `store` is a handle of the same store, opened replay-only.
inline void expect_found_by_all(const atc_store* store, Call& call) {
  const atc_device device = call.x.view.device;
  atc_bytes* entry = nullptr;
  EXPECT_DONE(atc_store_get(&entry, store, device, &call.problem, nullptr));
  atc_bytes_destroy(entry);
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_create(&plan, device, &call.problem, nullptr));
  EXPECT_EQ(source_of(plan), ATC_SOURCE_RECORD);
  EXPECT_DONE(call.run(plan));
  atc_conv_plan_destroy(plan);
  plan = nullptr;
  EXPECT_DONE(atc_conv_plan_acquire(&plan, device, &call.problem, nullptr, nullptr));
  EXPECT_EQ(source_of(plan), ATC_SOURCE_RECORD);
  EXPECT_DONE(call.run(plan));
  atc_conv_plan_release(plan);
  EXPECT_DONE(call.eager());
  atc_tune_report* report = nullptr;
  EXPECT_DONE(atc_tune(&report, device, &call.problem, 1, nullptr, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.source, ATC_SOURCE_RECORD) << tuned.why;
  EXPECT_EQ(tuned.executions, 0u);
  atc_tune_report_destroy(report);
}

}  // namespace atc_test
