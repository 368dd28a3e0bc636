// Tests threads that convolve, forward and backward, while another thread changes switches, stores
// and hooks. Each result must be right, whatever the other thread has changed. The test does not
// run with ThreadSanitizer, because LibTorch is not built for it.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>

#include "atc/settings.h"
#include "support/bridge.hpp"
#include "support/derivatives.hpp"
#include "support/records.hpp"

namespace {

using namespace atc_torch_test;

constexpr int kThreads = 4;
constexpr int kRounds = 150;

struct Work {
  Case c;
  Operands operands;
  Derivatives plain;
  std::unique_ptr<Exact> exact;

  explicit Work(const Case& of)
      : c(of),
        operands(make_operands(of)),
        plain(derive(of, operands, of_libtorch)),
        exact(std::make_unique<Exact>(of, operands)) {}

  // Returns the first error that a thread has found, or "" if there is none.
  std::string check(const Derivatives& got) const {
    for (int i = 0; i < kSecondGradient; ++i) {
      const at::Tensor& is = got[static_cast<std::size_t>(i)];
      if (is_same(is, plain[static_cast<std::size_t>(i)])) continue;
      std::string reason = exact->compare(i, is);
      if (reason.empty()) reason = compare_layout(is, plain[static_cast<std::size_t>(i)]);
      if (!reason.empty()) return std::string(kNames[i]) + " of " + describe(c) + ": " + reason;
    }
    return "";
  }
};

std::vector<Work> some_work() {
  std::vector<Work> work;
  for (const Case& c : make_cases(2))
    if (c.dtype == at::kFloat && c.wants_x && c.wants_w && work.size() < 8) work.emplace_back(c);
  return work;
}

Derivatives by_own_function(const Work& work) {
  return derive(work.c, work.operands,
                [](const Case& c, const at::Tensor& x, const at::Tensor& w,
                   const std::optional<at::Tensor>& bias) { return of_atc(c, x, w, bias, false); });
}

// Makes one change that a program may make while convolutions run: of a switch, of the store or of
// the hooks. The number of the round determines which change.
void turn(int round, const Records& records) {
  switch (round % 10) {
    case 0:
      return install(false);
    case 1:
      EXPECT_DONE(atc_set_deterministic_cudnn(round / 10 % 2));
      return;
    case 2:
      EXPECT_DONE(atc_cache_clear());
      return;
    case 3:
      EXPECT_DONE(atc_store_use(nullptr));
      return;
    case 4:
      EXPECT_DONE(atc_set_benchmark_cudnn(round / 10 % 2));
      return;
    case 5:
      return records.use(ATC_STORE_READ);
    case 6:
      EXPECT_DONE(atc_torch_uninstall());
      return;
    case 7:
      EXPECT_DONE(atc_set_allow_tf32_cudnn(round / 10 % 2));
      return;
    case 8: {
      atc_torch_options options{};
      options.struct_size = sizeof(options);
      options.constant_weights = ATC_ON;
      EXPECT_DONE(atc_torch_install(&options));
      return;
    }
    default:
      EXPECT_DONE(atc_torch_forget_weights());
      EXPECT_DONE(atc_torch_statistics_reset());
  }
}

TEST(Threads, ConvolveRightlyWhileAllIsTurned) {
  ASSERT_DONE(atc_torch_init());
  ASSERT_DONE(atc_set_benchmark_technique(ATC_TECHNIQUE_ONCE));
  const Records records;
  const std::vector<Work> work = some_work();
  ASSERT_EQ(work.size(), 8u);
  install(true);
  for (const Work& each : work) derive(each.c, each.operands, of_libtorch);
  ASSERT_GT(records.prefer("onednn"), 0u);
  records.use(ATC_STORE_READ);

  std::atomic<int> running{kThreads};
  std::atomic<std::uint64_t> done{0};
  std::vector<std::string> wrong(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      std::string& first = wrong[static_cast<std::size_t>(t)];
      for (int round = 0; round < kRounds && first.empty(); ++round) {
        const Work& each = work[static_cast<std::size_t>(round + t) % work.size()];
        try {
          // In every second round LibTorch's convolution is called, and in the other rounds atc's
          // own function.
          first = each.check(round % 2 == 0 ? derive(each.c, each.operands, of_libtorch)
                                            : by_own_function(each));
        } catch (const std::exception& error) {
          first = error.what();
        }
        ++done;
      }
      --running;
    });
  std::uint64_t taken = 0;
  int turns = 0;
  for (; running > 0; ++turns) {
    if (turns % 10 == 9) taken += counted().taken;
    turn(turns, records);
    std::this_thread::yield();
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& first : wrong) EXPECT_EQ(first, "");
  EXPECT_EQ(done, std::uint64_t{kThreads * kRounds});
  EXPECT_GT(turns, 10);
  EXPECT_GT(taken, 0u) << "atc computed nothing while it was looked at";
  EXPECT_DONE(atc_torch_uninstall());
  EXPECT_DONE(atc_set_deterministic_cudnn(0));
}

}  // namespace
