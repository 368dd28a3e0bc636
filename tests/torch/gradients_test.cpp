// Compares outputs, gradients and second derivatives of generated convolutions with LibTorch's
// results and with exact values. The compared results are computed in two ways: by LibTorch with
// atc installed, and by atc_torch_convolution.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <memory>

#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/cases.hpp"
#include "support/derivatives.hpp"
#include "support/device.hpp"
#include "support/records.hpp"

namespace {

using namespace atc_torch_test;

struct Known {
  Case c;
  Operands operands;
  Derivatives plain;
  std::unique_ptr<Exact> exact;
};

std::vector<Known> compute_plain(const std::vector<Case>& cases, bool with_exact) {
  std::vector<Known> all;
  for (const Case& c : cases) {
    Known known{c, make_operands(c), {}, nullptr};
    known.plain = derive(c, known.operands, of_libtorch);
    if (with_exact) known.exact = std::make_unique<Exact>(c, known.operands);
    all.push_back(std::move(known));
  }
  return all;
}

// Expects that each result has the same bits as LibTorch's result, or is within the error bound of
// its dtype around the exact value. The first `laid_out` results must have the layout of LibTorch's
// result.
void expect_right(const Known& known, const Derivatives& got, int laid_out) {
  for (int i = 0; i < kDerivatives; ++i) {
    const at::Tensor &is = got[static_cast<std::size_t>(i)],
                     &plain = known.plain[static_cast<std::size_t>(i)];
    if (is_same(is, plain)) continue;
    EXPECT_EQ(known.exact->compare(i, is), "")
        << kNames[i] << " of " << describe(known.c)
        << "; LibTorch's: " << known.exact->compare(i, plain);
    if (i >= laid_out) continue;
    EXPECT_EQ(compare_layout(is, plain), "") << kNames[i] << " of " << describe(known.c);
  }
}

void expect_same(const Known& known, const Derivatives& got, int count) {
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    EXPECT_TRUE(is_same(got[at], known.plain[at])) << kNames[i] << " of " << describe(known.c);
  }
}

// Expects results with the same bits as LibTorch's, unless atc has computed one of them. With
// strict precision this may happen for f16: the gate (the check of a candidate) refuses LibTorch's
// kernels that round intermediate results to f16, and so another candidate runs.
void expect_same_or_refused(const Known& known, const std::function<Derivatives()>& derived,
                            int count) {
  const std::uint64_t before = counted().taken;
  const Derivatives got = derived();
  if (counted().taken == before) return expect_same(known, got, count);
  EXPECT_EQ(known.c.dtype, at::kHalf) << describe(known.c);
  expect_right(known, got, count);
}

Derivatives by_own_function(const Known& known, bool tune) {
  return derive(
      known.c, known.operands,
      [tune](const Case& c, const at::Tensor& x, const at::Tensor& w,
             const std::optional<at::Tensor>& bias) { return of_atc(c, x, w, bias, tune); });
}

// Returns whether the CPU has AVX-512. Without AVX-512, oneDNN computes some layers only by a
// matrix product. The gate (the check of a candidate) refuses the matrix product if it spreads Inf
// and NaN to further outputs. Then LibTorch's kernels for 16 bits run, which round partial sums.
bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") != 0;
#else
  return false;
#endif
}

// Returns whether atc must compute the convolution. On a CPU with AVX-512 there are always
// candidates for fp32. atc leaves a convolution to LibTorch if x is expanded, or if the gradient is
// expanded and is an operand of a second derivative.
bool must_be_taken(const Case& c) {
  return has_avx512() && c.device == c10::DeviceType::CPU && c.dtype == at::kFloat &&
         c.x != Memory::expanded && c.gradient != Memory::expanded && !c.pads_beyond_stride();
}

// With strict precision, candidates that round partial sums to f16 are refused, as LibTorch's own
// are. The test needs this, because it compares the results with exact values.
constexpr bool kStrictly = true;

// The number of results before the second derivatives: the output of the forward pass and the first
// gradients.
constexpr int kFirstOrder = kSecondGradient;

// the number of spatial dimensions, and the device, of a test
using Param = std::tuple<int, c10::DeviceType>;

class Gradients : public testing::TestWithParam<Param> {
 protected:
  void SetUp() override {
    ATC_SKIP_WITHOUT(device());
    ASSERT_DONE(atc_torch_init());
    // The technique takes one sample of each candidate, because this test does not need the fastest
    // one.
    ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
    // Without this setting, LibTorch's own results on CUDA may differ between two runs.
    ASSERT_DONE(atc_set_deterministic_cudnn(device() == c10::DeviceType::CUDA ? 1 : 0));
  }
  void TearDown() override {
    EXPECT_DONE(atc_torch_uninstall());
    EXPECT_DONE(atc_set_deterministic_cudnn(0));
  }

  static c10::DeviceType device() { return std::get<1>(GetParam()); }
  // On CUDA only one in `every_on_cuda` cases is tested, because a race takes long there: cuDNN has
  // to build each of its configurations for each problem.
  static std::vector<Case> cases(std::size_t every_on_cuda) {
    std::vector<Case> cases = make_cases(std::get<0>(GetParam()), device(),
                                         device() == c10::DeviceType::CUDA ? every_on_cuda : 1);
    if (device() == c10::DeviceType::CUDA || has_avx512()) return cases;
    const auto in_16_bits = std::stable_partition(
        cases.begin(), cases.end(), [](const Case& c) { return c.dtype == at::kFloat; });
    std::cout << cases.end() - in_16_bits << " cases in 16 bits are left out: no AVX-512\n";
    cases.erase(in_16_bits, cases.end());
    return cases;
  }

  // Makes records for all problems that the cases need.
  void tune() {
    install(true, device(), kStrictly);
    for (const Known& known : known_)
      expect_right(known, derive(known.c, known.operands, of_libtorch), kDerivatives);
    ASSERT_DONE(atc_torch_uninstall());
    for (const Known& known : known_)
      expect_right(known, by_own_function(known, true), kFirstOrder);
  }

  void replay(const char* engine) {
    const std::size_t chosen = records_.prefer(engine);
    std::cout << chosen << " records choose " << engine << "\n";
    records_.use(ATC_STORE_REPLAY_ONLY);
    ASSERT_DONE(atc_torch_statistics_reset());
  }

  std::vector<Known> known_;
  Records records_;
};

// Without a store and without tuning, each result must have the bits of LibTorch's result.
TEST_P(Gradients, AtDefaultsAreLibTorchsOwn) {
  ASSERT_DONE(atc_store_use(nullptr));
  known_ = compute_plain(cases(3), false);
  install(false);
  for (const Known& known : known_) {
    expect_same(known, derive(known.c, known.operands, of_libtorch), kDerivatives);
    expect_same(known, by_own_function(known, false), kFirstOrder);
  }
  EXPECT_EQ(counted().taken, 0u);
  EXPECT_GT(counted().passed[ATC_TORCH_PASSED_NOTHING_KNOWN], 3 * known_.size());
}

TEST_P(Gradients, AgreeWhereAtcRunsAndAreLibTorchsOwnWhereItIsChosen) {
  known_ = compute_plain(cases(19), true);
  tune();
  replay(device() == c10::DeviceType::CPU ? "onednn" : "cudnn");
  install(false, device(), kStrictly);
  for (const Known& known : known_) {
    const std::uint64_t before = passed_in_all(counted());
    expect_right(known, derive(known.c, known.operands, of_libtorch), kDerivatives);
    if (!must_be_taken(known.c)) continue;
    EXPECT_EQ(passed_in_all(counted()), before) << describe(known.c);
  }
  ASSERT_DONE(atc_torch_uninstall());
  for (const Known& known : known_) expect_right(known, by_own_function(known, false), kFirstOrder);
  const auto counts = counted();
  std::cout << counts.taken << " taken, passed for " << counts.passed[ATC_TORCH_PASSED_CHOSEN]
            << " choices, " << counts.passed[ATC_TORCH_PASSED_DTYPE] << " dtypes, "
            << counts.passed[ATC_TORCH_PASSED_LAYOUT] << " layouts\n";
  EXPECT_EQ(counts.passed[ATC_TORCH_PASSED_FAILED], 0u);
  EXPECT_GT(counts.taken, known_.size());

  replay("aten");
  install(false, device(), kStrictly);
  for (const Known& known : known_)
    expect_same_or_refused(
        known, [&] { return derive(known.c, known.operands, of_libtorch); }, kDerivatives);
  ASSERT_DONE(atc_torch_uninstall());
  for (const Known& known : known_)
    expect_same_or_refused(
        known, [&] { return by_own_function(known, false); }, kFirstOrder);
  EXPECT_GT(counted().passed[ATC_TORCH_PASSED_CHOSEN], known_.size());
  if (device() == c10::DeviceType::CUDA) {
    EXPECT_EQ(counted().taken, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Dims, Gradients,
                         testing::Combine(testing::Values(1, 2, 3), testing::ValuesIn(kDevices)),
                         [](const auto& info) {
                           return std::to_string(std::get<0>(info.param)) + "D" +
                                  name_of(std::get<1>(info.param));
                         });

TEST(Cases, AreAtLeastFiveHundred) {
  EXPECT_GE(make_cases(1).size() + make_cases(2).size() + make_cases(3).size(), 500u);
}

}  // namespace
