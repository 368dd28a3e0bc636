// oneDNN divides a convolution for the number of OpenMP threads at the time of its preparation.
// Tests that each configuration that the engine offers nevertheless gives right results, with the
// same bits, if it is executed with another number of threads.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "device/cpu/cpu_description.hpp"
#include "engines/onednn/onednn_engine.hpp"
#include "support/expected.hpp"
#include "support/openmp.hpp"
#include "support/problems.hpp"
#include "support/tensors.hpp"

namespace atc {
namespace {

using test::Fill;
using test::in_region;
using test::Memory;
using test::Spec;
using test::use_threads;

constexpr int kThreads = 4;        // the number of threads for which the convolutions are prepared
constexpr unsigned kInRegion = 3;  // the number of threads that run the convolutions side by side
constexpr std::uint64_t kSeed = 7;
// the number of seconds after which a hanging test case is killed
constexpr unsigned kSeconds = 300;

std::vector<Spec> layers() {
  std::vector<Spec> layers(7);
  Spec& dense = layers[0];
  dense.batch = 8, dense.channels_in = dense.channels_out = 64;
  dense.in = {14, 14, 1}, dense.pad_low = dense.pad_high = {1, 1, 0};
  Spec& pointwise = layers[1];
  pointwise.batch = 4, pointwise.channels_in = 48, pointwise.channels_out = 96;
  pointwise.in = {14, 14, 1}, pointwise.kernel = {1, 1, 1};
  Spec& strided = layers[2];
  strided.batch = 4, strided.channels_in = 32, strided.channels_out = 64;
  strided.in = {16, 16, 1}, strided.kernel = {1, 1, 1}, strided.stride = {2, 2, 1};
  Spec& depthwise = layers[3];
  depthwise.batch = 4, depthwise.channels_in = depthwise.channels_out = depthwise.groups = 32;
  depthwise.in = {14, 14, 1}, depthwise.pad_low = depthwise.pad_high = {1, 1, 0};
  Spec& first = layers[4];
  first.batch = 2, first.channels_in = 3, first.channels_out = 32;
  first.in = {32, 32, 1}, first.kernel = {7, 7, 1}, first.stride = {2, 2, 1};
  first.pad_low = first.pad_high = {3, 3, 0};
  Spec& volume = layers[5];
  volume.spatial = 3, volume.batch = 2, volume.channels_in = volume.channels_out = 16;
  volume.in = {8, 9, 10}, volume.pad_low = volume.pad_high = {1, 1, 1};
  Spec& signal = layers[6];
  signal.spatial = 1, signal.batch = 4, signal.channels_in = 16, signal.channels_out = 32;
  signal.in = {256, 1, 1}, signal.kernel = {5, 1, 1}, signal.groups = 2;
  return layers;
}

// Calls `visit(problem, offer, expected)` for each configuration that the engine offers for the
// layers, in all directions. The problems have channels first and channels last in turn.
template <typename Visit>
void for_each_offer(const Engine& engine, const Visit& visit) {
  bool last = false;
  for (Spec spec : layers())
    for (const Direction direction :
         {Direction::forward, Direction::backward_data, Direction::backward_weight}) {
      spec.direction = direction;
      spec.x_memory = spec.w_memory = spec.y_memory = last ? Memory::last : Memory::first;
      last = !last;
      const Problem problem = test::build(spec);
      SCOPED_TRACE(test::label(problem));
      std::string why_not;
      const std::vector<Offer> offers = engine.offers(problem, {}, why_not);
      ASSERT_FALSE(offers.empty()) << why_not;
      test::Inputs inputs(problem, Fill::normal, kSeed);
      const test::Expected expected(problem, inputs, Fill::normal);
      for (const Offer& offer : offers) {
        SCOPED_TRACE(offer.configuration);
        visit(problem, offer, expected);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
}

// A prepared convolution with its own operands.
class Convolution {
 public:
  Convolution(const Engine& engine, const Problem& problem, const Offer& offer)
      : prepared_(engine.prepare(problem, {}, offer.configuration)),
        inputs_(problem, Fill::normal, kSeed),
        workspace_(prepared_->workspace_size()),
        output_(problem.output()),
        output_bytes_(problem.output().span_bytes()) {}

  void run() {
    inputs_.reset(output_);
    prepared_->execute(inputs_.with_output(output_.data()), workspace_.data(), nullptr);
  }
  const GuardedBuffer& output() const { return output_; }
  bool equals(const Convolution& other) const {
    return std::memcmp(output_.data(), other.output_.data(), output_bytes_) == 0;
  }

 private:
  std::unique_ptr<Prepared> prepared_;
  test::Inputs inputs_;
  test::Workspace workspace_;
  GuardedBuffer output_;
  std::size_t output_bytes_;
};

class OnednnTeams : public testing::Test {
 protected:
  void SetUp() override {
    if (test::openmp<int()>("omp_get_thread_num") == nullptr || !in_region(1, [](unsigned) {}))
      GTEST_SKIP() << "oneDNN runs on another threading runtime than OpenMP";
    alarm(kSeconds);
    use_threads(kThreads);
  }
  void TearDown() override { alarm(0); }

  const std::unique_ptr<Engine> engine_ = make_onednn_engine();
};

TEST_F(OnednnTeams, WhatWasPreparedOutsideARegionIsRightInside) {
  for_each_offer(*engine_,
                 [&](const Problem& problem, const Offer& offer, const test::Expected& expected) {
                   Convolution outside(*engine_, problem, offer);
                   outside.run();
                   ASSERT_EQ(expected.compare(outside.output()), "");
                   std::vector<std::unique_ptr<Convolution>> inside;
                   for (unsigned i = 0; i < kInRegion; ++i)
                     inside.push_back(std::make_unique<Convolution>(*engine_, problem, offer));
                   in_region(kInRegion, [&](unsigned thread) { inside[thread]->run(); });
                   for (const auto& convolution : inside) EXPECT_TRUE(convolution->equals(outside));
                 });
}

TEST_F(OnednnTeams, WhatIsPreparedInsideARegionIsWhatOneThreadComputes) {
  use_threads(1);  // the engine then offers the configurations for a single thread
  for_each_offer(*engine_,
                 [&](const Problem& problem, const Offer& offer, const test::Expected& expected) {
                   Convolution alone(*engine_, problem, offer);
                   alone.run();
                   std::vector<std::unique_ptr<Convolution>> convolutions(kInRegion);
                   use_threads(kThreads);
                   in_region(kInRegion, [&](unsigned thread) {
                     convolutions[thread] = std::make_unique<Convolution>(*engine_, problem, offer);
                     convolutions[thread]->run();
                   });
                   use_threads(1);
                   for (const auto& convolution : convolutions) {
                     ASSERT_EQ(expected.compare(convolution->output()), "");
                     EXPECT_TRUE(convolution->equals(alone));
                   }
                 });
}

TEST_F(OnednnTeams, OtherNumbersOfThreadsChangeNoBit) {
  for_each_offer(*engine_,
                 [&](const Problem& problem, const Offer& offer, const test::Expected& expected) {
                   use_threads(kThreads);
                   Convolution before(*engine_, problem, offer), after(*engine_, problem, offer);
                   before.run();
                   ASSERT_EQ(expected.compare(before.output()), "");
                   for (const int threads : {1, 3, 2 * kThreads}) {
                     use_threads(threads);
                     after.run();
                     EXPECT_TRUE(after.equals(before)) << threads << " threads";
                     EXPECT_EQ(cpu_threads(), threads) << "the caller's setting has changed";
                   }
                 });
}

TEST_F(OnednnTeams, ARuntimeThatMayUseFewerThreadsChangesNoBit) {
  auto* const set_dynamic = test::openmp<void(int)>("omp_set_dynamic");
  auto* const dynamic = test::openmp<int()>("omp_get_dynamic");
  for_each_offer(*engine_,
                 [&](const Problem& problem, const Offer& offer, const test::Expected& expected) {
                   set_dynamic(0);
                   Convolution before(*engine_, problem, offer);
                   before.run();
                   set_dynamic(1);
                   Convolution after(*engine_, problem, offer);
                   after.run();
                   ASSERT_EQ(expected.compare(after.output()), "");
                   EXPECT_TRUE(after.equals(before));
                   EXPECT_EQ(dynamic(), 1) << "the caller's setting has changed";
                 });
  set_dynamic(0);
}

TEST_F(OnednnTeams, CountsOneThreadInsideARegion) {
  EXPECT_EQ(cpu_threads(), kThreads);
  std::vector<int> counts(kInRegion);
  in_region(kInRegion, [&](unsigned thread) { counts[thread] = cpu_threads(); });
  EXPECT_EQ(counts, std::vector<int>(kInRegion, 1));
  in_region(1, [&](unsigned) { counts[0] = cpu_threads(); });
  EXPECT_EQ(counts[0], kThreads) << "a region of one thread is none";
}

// The OpenMP runtime reads OMP_THREAD_LIMIT when it is loaded. So the test sets the variable and
// starts this case again in a new process.
TEST_F(OnednnTeams, ALimitOfThreadsBelowTheNumberInForceIsObeyed) {
  constexpr const char* kLimit = "OMP_THREAD_LIMIT";
  if (std::getenv(kLimit) == nullptr) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      setenv(kLimit, "2", 1);
      const std::string filter = std::string("--gtest_filter=OnednnTeams.") +
                                 testing::UnitTest::GetInstance()->current_test_info()->name();
      execl("/proc/self/exe", "test_onednn_teams", filter.c_str(), nullptr);
      _exit(127);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "failed, or hung, in the process with a limit";
    return;
  }
  EXPECT_EQ(cpu_threads(), 2);
  for_each_offer(*engine_,
                 [&](const Problem& problem, const Offer& offer, const test::Expected& expected) {
                   Convolution limited(*engine_, problem, offer);
                   limited.run();
                   ASSERT_EQ(expected.compare(limited.output()), "");
                 });
}

}  // namespace
}  // namespace atc
