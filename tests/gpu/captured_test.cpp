// Tests calls that are captured into a CUDA graph and whose plan needs a workspace. No node of the
// graph may allocate memory. The workspace must exist as long as the graph, or an executable that
// was made from the graph, exists.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "atc/atc.h"
#include "cuda_test.hpp"
#include "layer.hpp"
#include "support/streams.hpp"

namespace atc {
namespace {

#define OK(call) ASSERT_EQ(call, ATC_OK) << atc_last_error()

using test::Capture;
using test::CaptureMode;
using test::Executable;

constexpr int kCalls = 4, kReplays = 20;

struct DestroyPlan {
  void operator()(atc_conv_plan* plan) const { atc_conv_plan_destroy(plan); }
};

// Races the layer, and returns the choice of the timed candidate that has the largest workspace.
std::string choice_with_workspace(const test::Layer& layer) {
  atc_conv_options options{};
  options.struct_size = sizeof(options);
  options.tune = ATC_ON;
  options.technique = ATC_TECHNIQUE_ONCE;
  // the test compares the bits of repeated calls, so the choice must be deterministic
  options.deterministic = ATC_ON;
  atc_conv_plan* made = nullptr;
  EXPECT_EQ(atc_conv_plan_create(&made, layer.device(), &layer.problem(), &options), ATC_OK)
      << atc_last_error();
  const std::unique_ptr<atc_conv_plan, DestroyPlan> plan(made);
  std::size_t count = 0;
  EXPECT_EQ(atc_conv_plan_candidate_count(&count, made), ATC_OK);
  std::string choice;
  std::uint64_t largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    atc_candidate candidate{};
    candidate.struct_size = sizeof(candidate);
    EXPECT_EQ(atc_conv_plan_candidate(&candidate, made, i), ATC_OK);
    if (candidate.samples == 0 || candidate.workspace <= largest) continue;
    largest = candidate.workspace;
    choice =
        std::string(candidate.engine) + "@" + candidate.version + ":" + candidate.configuration;
  }
  return choice;
}

// A layer with a plan that needs a workspace, and the output bits of an eager call of the plan.
class Worked {
 public:
  Worked(Direction direction, std::int64_t channels, std::int64_t side)
      : layer_(spec(direction, channels, side)), choice_(choice_with_workspace(layer_)) {
    EXPECT_NE(choice_, "") << "no candidate has a workspace";
    atc_conv_plan* plan = nullptr;
    EXPECT_EQ(atc_conv_plan_create_with_choice(&plan, layer_.device(), &layer_.problem(), nullptr,
                                               choice_.c_str()),
              ATC_OK)
        << atc_last_error();
    plan_.reset(plan);
    EXPECT_EQ(atc_conv_plan_workspace_size(&workspace_, plan), ATC_OK);
    EXPECT_GT(workspace_, 0u) << choice_;
    run(nullptr);
    expected_ = layer_.bits();
  }

  void run(Stream stream) {
    EXPECT_EQ(layer_.run(plan_.get(), stream), ATC_OK) << atc_last_error();
  }
  void unwrite() {
    layer_.unwrite();
    EXPECT_EQ(atc_synchronize(0), ATC_OK);
  }
  void expect_right() { EXPECT_EQ(layer_.bits() == expected_, true) << choice_; }
  std::uint64_t workspace() const { return workspace_; }

 private:
  static test::Spec spec(Direction direction, std::int64_t channels, std::int64_t side) {
    test::Spec spec = test::same_3x3(channels, side);
    spec.direction = direction;
    return spec;
  }

  test::Layer layer_;
  std::string choice_;
  std::unique_ptr<atc_conv_plan, DestroyPlan> plan_;
  std::uint64_t workspace_ = 0;
  std::vector<unsigned char> expected_;
};

class Captured : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    OK(atc_set_benchmark_cudnn(0));
    OK(atc_cache_clear());
  }
};

void replay_and_compare(Capture& capture, const std::vector<Worked*>& layers) {
  for (int i = 0; i < kReplays; ++i) {
    for (Worked* const layer : layers) layer->unwrite();
    ASSERT_TRUE(capture.replay());
    for (Worked* const layer : layers) layer->expect_right();
  }
}

TEST_F(Captured, CallsShareMemoryBesideTheGraph) {
  Worked one(Direction::backward_weight, 64, 56), other(Direction::backward_weight, 96, 28);
  const cuda::OwnStream stream;
  const std::uint64_t before = test::pool_bytes_in_use();
  Capture capture(stream, CaptureMode::global);
  for (int i = 0; i < kCalls; ++i) {
    one.run(stream);
    other.run(stream);
  }
  ASSERT_TRUE(capture.end());
  EXPECT_EQ(capture.memory_nodes(), 0u);
  EXPECT_GE(capture.nodes(), 2u * kCalls);
  // The pool of device memory rounds requests up. So up to 4 MiB more than the requested bytes may
  // be in use.
  EXPECT_LE(test::pool_bytes_in_use() - before,
            4 * std::max(one.workspace(), other.workspace()) + (std::uint64_t{4} << 20));
  OK(atc_cache_clear());
  // The memory of this layer may be memory that was freed before.
  const Worked eager(Direction::backward_weight, 80, 28);
  replay_and_compare(capture, {&one, &other});
}

TEST_F(Captured, ForkedStreamsDoNotShareIt) {
  Worked one(Direction::backward_weight, 64, 56), other(Direction::backward_weight, 96, 28);
  const cuda::OwnStream origin, forked;
  Capture capture(origin, CaptureMode::global);
  test::order(origin, forked);
  for (int i = 0; i < kCalls; ++i) {
    one.run(origin);
    other.run(forked);
  }
  test::order(forked, origin);
  ASSERT_TRUE(capture.end());
  EXPECT_EQ(capture.memory_nodes(), 0u);
  replay_and_compare(capture, {&one, &other});
}

TEST_F(Captured, ExecutablesOutliveTheGraph) {
  Worked layer(Direction::backward_weight, 64, 56);
  const cuda::OwnStream stream;
  auto first = std::unique_ptr<Executable>(), second = std::unique_ptr<Executable>();
  {
    Capture capture(stream, CaptureMode::global);
    layer.run(stream);
    ASSERT_TRUE(capture.end());
    first = std::make_unique<Executable>(capture);
    second = std::make_unique<Executable>(capture);
  }
  OK(atc_cache_clear());
  Worked other(Direction::backward_weight, 96, 28);
  for (auto* const executable : {&first, &second}) {
    layer.unwrite();
    ASSERT_TRUE((*executable)->launch(stream));
    // This eager call runs while the graph runs, so it must use another workspace than the graph.
    other.run(nullptr);
    cuda::synchronize(stream);
    layer.expect_right();
    other.expect_right();
    executable->reset();
    OK(atc_cache_clear());
  }
}

// If the executable of a graph is destroyed while it runs, its workspace must not be freed before
// the run has ended.
TEST_F(Captured, WorkUnderWayKeepsIt) {
  Worked layer(Direction::backward_weight, 64, 56), other(Direction::backward_weight, 64, 56);
  const cuda::OwnStream stream, beside;
  for (int round = 0; round < kReplays; ++round) {
    layer.unwrite();
    other.unwrite();
    {
      Capture capture(stream, CaptureMode::global);
      for (int i = 0; i < 10 * kCalls; ++i) layer.run(stream);
      ASSERT_TRUE(capture.end());
      ASSERT_TRUE(Executable(capture).launch(stream));
    }
    Capture capture(beside, CaptureMode::global);
    for (int i = 0; i < kCalls; ++i) other.run(beside);
    ASSERT_TRUE(capture.end());
    ASSERT_TRUE(capture.replay());
    cuda::synchronize(stream);
    layer.expect_right();
    other.expect_right();
  }
}

TEST_F(Captured, AnUpdatedExecutableKeepsIt) {
  Worked layer(Direction::backward_weight, 64, 56);
  const cuda::OwnStream stream;
  const auto record = [&] {
    auto capture = std::make_unique<Capture>(stream, CaptureMode::global);
    layer.run(stream);
    EXPECT_TRUE(capture->end());
    return capture;
  };
  auto inner = record();
  auto executable = std::make_unique<Executable>(*inner);
  auto next = record();
  EXPECT_TRUE(executable->update(*next));
  inner.reset();
  next.reset();
  OK(atc_cache_clear());
  // The memory of this layer may be memory that was freed before.
  Worked other(Direction::backward_weight, 96, 28);
  layer.unwrite();
  ASSERT_TRUE(executable->launch(stream));
  cuda::synchronize(stream);
  layer.expect_right();
}

TEST_F(Captured, ThreadsMayCaptureAtOnce) {
  constexpr int kThreads = 3;
  std::vector<std::unique_ptr<Worked>> layers;
  for (int i = 0; i < kThreads; ++i)
    layers.push_back(std::make_unique<Worked>(Direction::backward_weight, 64 + 16 * i, 28));
  std::vector<std::thread> threads;
  for (const auto& layer : layers)
    threads.emplace_back([&layer = *layer] {
      const cuda::ContextScope scope(0);
      const cuda::OwnStream stream;
      // This eager call creates the objects that atc makes once for each thread.
      layer.run(stream);
      for (int round = 0; round < 5; ++round) {
        Capture capture(stream, CaptureMode::relaxed);
        for (int i = 0; i < kCalls; ++i) layer.run(stream);
        ASSERT_TRUE(capture.end());
        EXPECT_EQ(capture.memory_nodes(), 0u);
        for (int i = 0; i < kReplays; ++i) ASSERT_TRUE(capture.replay());
      }
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& layer : layers) layer->expect_right();
}

// The workspaces of destroyed graphs must be freed. The driver reports the end of a graph later, on
// a thread of its own. So the test waits until the memory is free.
TEST_F(Captured, MemoryOfGraphsThatAreGoneIsGivenBack) {
  Worked layer(Direction::backward_weight, 64, 56);
  const cuda::OwnStream stream;
  OK(atc_cache_clear());
  const std::uint64_t before = test::pool_bytes_in_use();
  for (int i = 0; i < 100; ++i) {
    Capture capture(stream, CaptureMode::global);
    layer.run(stream);
    ASSERT_TRUE(capture.end());
    ASSERT_TRUE(capture.replay());
  }
  layer.expect_right();
  std::uint64_t after = 0;
  for (int i = 0; i < 100; ++i) {
    OK(atc_cache_clear());
    after = test::pool_bytes_in_use();
    if (after <= before) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  EXPECT_LE(after, before);
}

}  // namespace
}  // namespace atc
