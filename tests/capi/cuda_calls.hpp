// Helpers for tests that call atc on CUDA devices. The tests run with stubs in place of CUDA's
// libraries.
#pragma once

#include <string>

#include "conv_call.hpp"
#include "status.hpp"

namespace atc_test {

constexpr atc_device kCuda = {ATC_DEVICE_CUDA, 0};

inline atc_library_info library(const std::string& name) {
  atc_library_info info{};
  std::size_t count = 0;
  EXPECT_DONE(atc_library_count(&count));
  for (std::size_t i = 0; i < count; ++i) {
    info.struct_size = sizeof(info);
    EXPECT_DONE(atc_library_describe(&info, i));
    if (info.name == name) return info;
  }
  ADD_FAILURE() << "no library " << name;
  return {};
}

inline void expect_the_cpu_to_convolve() {
  Call call(small_problem());
  EXPECT_DONE(call.eager());
}

// Expects that plans, eager calls and tuning for a CUDA device return `status`, with an error text
// that contains `reason`.
inline void expect_cuda_convolutions_refused(atc_status status, const char* reason,
                                             atc_device device = kCuda) {
  const std::string name = "cuda:" + std::to_string(device.index);
  const atc_conv_problem problem = small_problem();
  atc_conv_plan* plan = nullptr;
  EXPECT_REFUSED(atc_conv_plan_create(&plan, device, &problem, nullptr), status, name, reason);
  EXPECT_EQ(plan, nullptr);
  Call call(problem);
  for (Operand* const operand : {&call.x, &call.w, &call.y}) operand->view.device = device;
  EXPECT_REFUSED(call.eager(), status, name, reason);
  atc_tune_report* report = nullptr;
  ASSERT_DONE(atc_tune(&report, device, &problem, 1, nullptr, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.status, status) << atc_status_name(tuned.status);
  EXPECT_THAT(tuned.why, testing::HasSubstr(reason));
  atc_tune_report_destroy(report);
}

}  // namespace atc_test
