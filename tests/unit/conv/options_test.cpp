// What of a call's options and the process's settings a decision is made by.
#include "conv/options.hpp"

#include <gtest/gtest.h>

#include "core/settings.hpp"
#include "fake_engine.hpp"

namespace atc::conv {
namespace {

std::size_t limit(DeviceType device, Epilogue epilogue, const PlanOptions& options = {}) {
  Problem problem = atc_test::problem_of(7);
  problem.epilogue = epilogue;
  Settings settings;
  settings.benchmark_limit_cudnn = 7;
  return resolve({device, 0}, problem, options, settings).race.max_candidates;
}

TEST(Options, TheLimitOfCandidatesIsForEachFormOfAConvolutionWithABias) {
  EXPECT_EQ(limit(DeviceType::cuda, Epilogue::none), 7u);
  EXPECT_EQ(limit(DeviceType::cuda, Epilogue::bias), 14u);
  EXPECT_EQ(limit(DeviceType::cuda, Epilogue::bias_relu), 14u);
  EXPECT_EQ(limit(DeviceType::cpu, Epilogue::bias), 0u);  // all
  PlanOptions given;
  given.max_candidates = 3;
  EXPECT_EQ(limit(DeviceType::cuda, Epilogue::bias, given), 3u);
}

}  // namespace
}  // namespace atc::conv
