// Tests that switches take effect at once, that equal runs give equal bits, and that all processes
// make the same choices.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <thread>

#include "atc/atc.h"
#include "layer.hpp"
#include "support/temp_folder.hpp"

namespace atc {
namespace {

#define OK(call) ASSERT_EQ(call, ATC_OK) << atc_last_error()

constexpr Direction kDirections[] = {Direction::forward, Direction::backward_data,
                                     Direction::backward_weight};

// Twenty problems with different directions, formats, layouts, groups, strides and sizes.
std::vector<test::Spec> specs() {
  std::vector<test::Spec> specs;
  for (int i = 0; i < 20; ++i) {
    test::Spec spec;
    spec.direction = kDirections[i % 3];
    spec.x = spec.w = spec.y = i % 4 == 0 ? Dtype::f32 : i % 4 == 3 ? Dtype::bf16 : Dtype::f16;
    spec.x_memory = spec.w_memory = spec.y_memory =
        i % 5 < 3 ? test::Memory::last : test::Memory::first;
    spec.batch = 2 + i % 3;
    spec.channels_in = spec.channels_out = i % 7 == 6 ? 24 : 16 * (1 + i % 6);
    spec.groups = i % 7 == 6 ? 24 : 1;
    const std::int64_t kernel = 1 + 2 * (i % 3);
    spec.kernel = {kernel, kernel, 1};
    spec.in = {20 + i, 17 + i, 1};
    spec.stride = {1 + i % 2, 1 + i % 2, 1};
    spec.pad_low = spec.pad_high = {kernel / 2, kernel / 2, 0};
    specs.push_back(spec);
  }
  return specs;
}

class Repeatable : public test::CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    if (IsSkipped()) return;
    OK(atc_set_benchmark_cudnn(0));
    OK(atc_set_deterministic_cudnn(0));
    OK(atc_store_use(nullptr));
  }
  void TearDown() override {
    atc_set_benchmark_cudnn(0);
    atc_set_deterministic_cudnn(0);
    atc_store_use(nullptr);
  }
};

TEST_F(Repeatable, BenchmarkOffOnOffTakesEffectAtEachCallOfTwentyProblems) {
  std::size_t changed = 0;
  for (const test::Spec& spec : specs()) {
    SCOPED_TRACE(test::label(test::build(spec)));
    test::Layer layer(spec);
    layer.fill_normal_numbers();
    const auto before = layer.decided();
    EXPECT_EQ(before.source, ATC_SOURCE_DEFAULT);
    OK(layer.run());

    OK(atc_set_benchmark_cudnn(1));
    const auto tuned = layer.decided();
    EXPECT_EQ(tuned.source, ATC_SOURCE_TUNED);
    layer.unwrite();
    OK(layer.run());
    const auto remembered = layer.decided();
    EXPECT_EQ(remembered.source, ATC_SOURCE_MEMORY);
    EXPECT_EQ(remembered.choice, tuned.choice);

    OK(atc_set_benchmark_cudnn(0));
    const auto after = layer.decided();
    EXPECT_EQ(after.source, ATC_SOURCE_DEFAULT);
    EXPECT_EQ(after.choice, before.choice);
    changed += tuned.choice != before.choice;
  }
  // With benchmark_cudnn on, at least one of the problems must have another choice than with
  // benchmark_cudnn off.
  EXPECT_GT(changed, 0u);
}

TEST_F(Repeatable, DeterministicRunsRepeatBitForBitInAllDirections) {
  OK(atc_set_deterministic_cudnn(1));
  OK(atc_set_benchmark_cudnn(1));
  for (const Direction direction : kDirections)
    for (const Dtype dtype : {Dtype::f32, Dtype::f16}) {
      test::Spec spec;
      spec.direction = direction;
      spec.x = spec.w = spec.y = dtype;
      spec.x_memory = spec.w_memory = spec.y_memory = test::Memory::last;
      spec.batch = 16;
      spec.channels_in = spec.channels_out = 64;
      spec.in = {56, 56, 1};
      spec.pad_low = spec.pad_high = {1, 1, 0};
      SCOPED_TRACE(test::label(test::build(spec)));
      test::Layer layer(spec);
      layer.fill_normal_numbers();
      OK(layer.run());
      const std::vector<unsigned char> first = layer.bits();
      for (int run = 1; run < 50; ++run) {
        layer.unwrite();
        OK(layer.run());
        ASSERT_EQ(layer.bits() == first, true) << "run " << run;
      }
    }
}

std::set<std::string> choices_of_all() {
  std::set<std::string> choices;
  int number = 0;
  for (const test::Spec& spec : specs())
    choices.insert(std::to_string(number++) + " " + test::Layer(spec).decided().choice);
  return choices;
}

// GoogleTest does not run this test by itself (DISABLED_). The next test starts processes, each of
// which runs this test.
TEST_F(Repeatable, DISABLED_ReplaysInFourThreads) {
  const char* const folder = std::getenv("ATC_TEST_REPLAY");
  ASSERT_NE(folder, nullptr);
  atc_store* store = nullptr;
  OK(atc_store_open(&store, folder, ATC_STORE_REPLAY_ONLY));
  OK(atc_store_use(store));
  atc_store_close(store);
  std::vector<std::set<std::string>> found(4);
  std::vector<std::thread> threads;
  for (auto& one : found)
    threads.emplace_back([&one] {
      const cuda::ContextScope scope(kDevice.index);
      one = choices_of_all();
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& one : found) EXPECT_EQ(one, found.front());
  std::ofstream out(std::getenv("ATC_TEST_CHOICES"));
  for (const std::string& choice : found.front()) out << choice << '\n';
}

TEST_F(Repeatable, ReplayOnlyChoosesTheSameInFiveProcessesOfFourThreads) {
  const test::TempFolder folder;
  atc_store* store = nullptr;
  OK(atc_store_open(&store, folder.c_str(), ATC_STORE_READ_WRITE));
  OK(atc_store_use(store));
  atc_store_close(store);
  OK(atc_set_benchmark_cudnn(1));
  std::vector<atc_conv_problem> problems;
  for (const test::Spec& spec : specs()) problems.push_back(test::Layer(spec).problem());
  // With one sample per candidate no decision is provisional (made before the measurements were
  // sufficient).
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.technique = ATC_TECHNIQUE_ONCE;
  options.alignment = 16;
  options.retune = ATC_ON;
  atc_tune_report* report = nullptr;
  OK(atc_tune(&report, {ATC_DEVICE_CUDA, 0}, problems.data(), problems.size(), &options, nullptr,
              nullptr));
  atc_tune_report_destroy(report);
  const std::set<std::string> mine = choices_of_all();
  const std::string out = (folder / "choices").string();
  setenv("ATC_TEST_REPLAY", folder.c_str(), 1);
  setenv("ATC_TEST_CHOICES", out.c_str(), 1);
  for (int process = 0; process < 5; ++process) {
    const std::string command = "/proc/" + std::to_string(getpid()) +
                                "/exe --gtest_also_run_disabled_tests "
                                "--gtest_filter=Repeatable.DISABLED_ReplaysInFourThreads";
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream file(out);
    std::set<std::string> theirs;
    for (std::string line; std::getline(file, line);) theirs.insert(line);
    EXPECT_EQ(theirs, mine) << "process " << process;
    std::remove(out.c_str());
  }
}

}  // namespace
}  // namespace atc
