// Tests a process that has convolved with several threads, forks, and then convolves in the child.
// The child has none of the parent's OpenMP threads and must not wait for them.
#include <dlfcn.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "conv_call.hpp"
#include "status.hpp"
#include "support/child.hpp"

namespace {

using atc::test::in_child;
using atc_test::Call;
using atc_test::kCpu;
using atc_test::PlanDeleter;
using Plan = std::unique_ptr<atc_conv_plan, PlanDeleter>;

// Returns a number of threads that is above 1 and differs from OpenMP's default, so that the tests
// can recognise this number in the child.
int other_than_default() {
  atc_device_info info{};
  info.struct_size = sizeof(info);
  EXPECT_DONE(atc_device_describe(&info, kCpu));
  return info.compute_units == 2 ? 3 : 2;
}

// Sets the number of threads of the OpenMP regions of the calling thread. The function is looked up
// at run time, because oneDNN loads the OpenMP runtime.
void use_threads(int count) {
  using SetNumThreads = void (*)(int);
  const auto set = reinterpret_cast<SetNumThreads>(dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) set(count);
}

int threads_of_this_process() {
  const std::filesystem::directory_iterator tasks("/proc/self/task");
  return static_cast<int>(std::distance(begin(tasks), end(tasks)));
}

// Returns a problem that is large enough to be shared by a few threads.
atc_conv_problem problem() {
  atc_conv_problem problem = atc_test::small_problem();
  problem.batch = 4;
  problem.in_channels = problem.out_channels = 32;
  problem.input[0] = problem.input[1] = 24;
  return problem;
}

using Bits = std::vector<float>;

// Compares the bytes and not the numbers, because -0 and 0 would compare as equal numbers.
void expect_equal(const Bits& bits, const Bits& expected, const char* what) {
  ASSERT_EQ(bits.size(), expected.size());
  EXPECT_EQ(std::memcmp(bits.data(), expected.data(), bits.size() * sizeof(float)), 0) << what;
}

Plan make_plan(const Call& call) {
  atc_conv_plan* plan = nullptr;
  EXPECT_DONE(atc_conv_plan_create(&plan, kCpu, &call.problem, nullptr));
  return Plan(plan);
}

Bits by_eager_call() {
  Call call(problem());
  EXPECT_DONE(call.eager());
  return call.y.data;
}

Bits by_plan() {
  Call call(problem());
  const Plan plan = make_plan(call);
  EXPECT_DONE(call.run(plan.get()));
  return call.y.data;
}

Bits by_packed_weights() {
  Call call(problem());
  const Plan plan = make_plan(call);
  EXPECT_DONE(atc_conv_plan_set_weights(plan.get(), &call.w.view));
  EXPECT_DONE(atc_conv_plan_execute(plan.get(), &call.x.view, nullptr, nullptr, &call.y.view,
                                    nullptr, 0, nullptr));
  return call.y.data;
}

void tune() {
  const atc_conv_problem small = atc_test::small_problem();
  atc_tune_options options{};
  options.struct_size = sizeof(options);
  options.problem_budget_seconds = 0.5;
  options.retune = ATC_ON;
  atc_tune_report* report = nullptr;
  ASSERT_DONE(atc_tune(&report, kCpu, &small, 1, &options, nullptr, nullptr));
  atc_tuned_problem tuned{};
  tuned.struct_size = sizeof(tuned);
  EXPECT_DONE(atc_tune_report_problem(&tuned, report, 0));
  EXPECT_EQ(tuned.status, ATC_OK) << tuned.why;
#ifdef ATC_TEST_ONEDNN_BUILD
  EXPECT_EQ(tuned.source, ATC_SOURCE_TUNED);
  EXPECT_GT(tuned.executions, 0U);
#endif
  atc_tune_report_destroy(report);
}

void expect_to_convolve(const Bits& expected) {
  expect_equal(by_plan(), expected, "by plan");
  expect_equal(by_eager_call(), expected, "by eager call");
  expect_equal(by_packed_weights(), expected, "with weights packed in the child");
  tune();
}

// Computes with `count` OpenMP threads on the calling thread. A child that this thread forks
// afterwards does not have the OpenMP threads. If the child's first thread entered an OpenMP
// region, it would wait for them for ever.
Bits with_several_threads(int count) {
  use_threads(count);
  Bits bits = by_eager_call();
#ifdef ATC_TEST_ONEDNN_BUILD
  EXPECT_GE(threads_of_this_process(), count);
#endif
  return bits;
}

// If a program has only one thread, a fork loses no thread. So the child may enter OpenMP regions
// on its first thread, and no further thread has to compute for it.
TEST(Fork, AProgramWithOneThreadConvolvesInItsChildAsEver) {
  if (threads_of_this_process() > 1)
    GTEST_SKIP() << "tests before this one have given the process threads: run it alone";
  in_child([] {
    const int count = other_than_default();
    with_several_threads(count);
    EXPECT_LE(threads_of_this_process(), count);
  });
}

TEST(Fork, TheChildConvolvesAsItsParentDid) {
  const int count = other_than_default();
  const Bits expected = with_several_threads(count);
  Call call(problem());
  const Plan plan = make_plan(call);
  in_child([&] {
    EXPECT_DONE(call.run(plan.get()));
    expect_equal(call.y.data, expected, "by a plan of the parent");
#ifdef ATC_TEST_ONEDNN_BUILD
    // The child has its first thread, and a team of `count` OpenMP threads that computes for the
    // first thread.
    EXPECT_EQ(threads_of_this_process(), 1 + count);
#endif
    expect_to_convolve(expected);
  });
  expect_equal(by_plan(), expected, "in the parent, afterwards");
}

TEST(Fork, TheChildsOwnThreadsConvolveToo) {
  const int count = other_than_default();
  const Bits expected = with_several_threads(count);
  in_child([&] {
    std::thread([&] {
      use_threads(count);
      expect_to_convolve(expected);
    }).join();
    expect_to_convolve(expected);
  });
}

TEST(Fork, AnyThreadMayFork) {
  std::thread([] {
    const Bits expected = with_several_threads(other_than_default());
    in_child([&] { expect_to_convolve(expected); });
  }).join();
}

TEST(Fork, AChildMayForkWhateverItDidBefore) {
  const Bits expected = with_several_threads(other_than_default());
  in_child([&] { in_child([&] { expect_to_convolve(expected); }); });
  in_child([&] {
    expect_to_convolve(expected);
    in_child([&] {
      expect_to_convolve(expected);
      in_child([&] { expect_to_convolve(expected); });
    });
    expect_to_convolve(expected);
  });
}

}  // namespace
