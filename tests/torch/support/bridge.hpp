// Helpers for tests that call the LibTorch bridge.
#pragma once

#include <c10/core/DeviceType.h>
#include <gtest/gtest.h>

#include <numeric>

#include "atc/torch.h"

#define EXPECT_DONE(call) EXPECT_EQ((call), ATC_OK) << atc_last_error()
#define ASSERT_DONE(call) ASSERT_EQ((call), ATC_OK) << atc_last_error()

namespace atc_torch_test {

inline atc_torch_statistics counted() {
  atc_torch_statistics counts{};
  counts.struct_size = sizeof(counts);
  EXPECT_DONE(atc_torch_statistics_get(&counts));
  return counts;
}

inline std::uint64_t passed_in_all(const atc_torch_statistics& counts) {
  return std::accumulate(std::begin(counts.passed), std::end(counts.passed), std::uint64_t{0});
}

// Returns the budget of a race (the timing of the candidates), in seconds. On the CPU the budget is
// so long that no race with one sample per candidate reaches it. On CUDA the budget is short,
// because preparing all candidates would take too long.
inline double budget_on(c10::DeviceType device) { return device == c10::DeviceType::CUDA ? 2 : 60; }

inline void install(bool tune, c10::DeviceType device = c10::DeviceType::CPU,
                    bool strict_precision = false) {
  atc_torch_options options{};
  options.struct_size = sizeof(options);
  options.tune = tune ? ATC_ON : ATC_OFF;
  options.budget_seconds = budget_on(device);
  options.strict_precision = strict_precision ? ATC_ON : ATC_OFF;
  EXPECT_DONE(atc_torch_install(&options));
}

inline atc_torch_info described() {
  atc_torch_info info{};
  info.struct_size = sizeof(info);
  EXPECT_DONE(atc_torch_describe(&info));
  return info;
}

}  // namespace atc_torch_test
