// Lets each allocation and each call about files of a scripted session fail once. Functions of
// libatc must return documented statuses, must leak nothing, and must leave the store intact
// (docs/trust.md).
#include <execinfo.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <iterator>

#include "sweep.hpp"

namespace atc_sweep {
namespace {

std::uint64_t allocation_points = 0, file_points = 0, points_in_crashing = 0;

class Figures : public testing::Environment {
 public:
  void SetUp() override {
    // The first call of backtrace() loads a library. The test program calls backtrace() here once,
    // so that the loading does not happen during a test.
    std::array<void*, 4> frames{};
    backtrace(frames.data(), static_cast<int>(frames.size()));
    // Files are kept in memory if possible, so that no test waits for a disk.
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);
  }
  void TearDown() override {
    const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
    std::printf("swept: %llu allocations, %llu faults of calls about files\n",
                number(allocation_points), number(file_points));
    std::printf("not survived: %llu allocations within dnnl_engine_create, which crashes\n",
                number(points_in_crashing));
  }
};
[[maybe_unused]] const auto* const figures = testing::AddGlobalTestEnvironment(new Figures);

class Sweep : public testing::TestWithParam<Step> {};

void sweep_allocations(const Step& step, Manner manner, Start start) {
  const Swept swept = sweep(step, Kind::allocation, manner, start);
  EXPECT_GT(swept.points, 0U) << "the step allocates nothing, or nothing that this program sees";
  allocation_points += swept.points;
  points_in_crashing += swept.known_to_crash;
}

TEST_P(Sweep, EachAllocationFails) { sweep_allocations(GetParam(), Manner::once, Start::warm); }
TEST_P(Sweep, NoMemoryIsLeftFromEachAllocationOn) {
  sweep_allocations(GetParam(), Manner::from_then_on, Start::warm);
}
TEST_P(Sweep, EachCallAboutFilesFails) {
  for (const Kind kind : {Kind::eio, Kind::enospc, Kind::eintr, Kind::half})
    file_points += sweep(GetParam(), kind, Manner::once, Start::warm).points;
  for (const Kind kind : {Kind::eio, Kind::enospc, Kind::half})
    file_points += sweep(GetParam(), kind, Manner::from_then_on, Start::warm).points;
}

// Tests allocations that are only made when a function of libatc is first used. So each failing
// allocation is tried in a new process, which runs the step as its first call of libatc.
class FirstUse : public testing::TestWithParam<Step> {};

TEST_P(FirstUse, EachAllocationFails) { sweep_allocations(GetParam(), Manner::once, Start::cold); }

// Returns the steps of the session that need no preparation.
std::vector<Step> first_steps() {
  std::vector<Step> steps;
  for (const auto* const all : {&store_steps(), &convolution_steps()})
    std::copy_if(all->begin(), all->end(), std::back_inserter(steps),
                 [](const Step& step) { return !step.arrange; });
  return steps;
}

std::string name_of_step(const testing::TestParamInfo<Step>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(Stores, Sweep, testing::ValuesIn(store_steps()), name_of_step);
INSTANTIATE_TEST_SUITE_P(Convolutions, Sweep, testing::ValuesIn(convolution_steps()), name_of_step);

INSTANTIATE_TEST_SUITE_P(Steps, FirstUse, testing::ValuesIn(first_steps()), name_of_step);

}  // namespace
}  // namespace atc_sweep
