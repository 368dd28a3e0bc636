// Tests the memory of a race: which allocations count as the race's, which requests for memory are
// refused, and races that use the inputs of the caller in place of inputs of their own.
#include "conv/race/race_memory.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "conv/race/arena.hpp"
#include "core/error.hpp"

namespace atc::conv {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr DeviceId kCpu{DeviceType::cpu, 0};

std::string refusal_of(std::uint64_t size) {
  try {
    const Allocation memory(size, kCpu);
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::out_of_memory);
    return error.what();
  }
  return "";
}

TEST(RaceMemory, CountsWhatIsHeldAtOnce) {
  RaceMemory memory(kCpu);
  {
    const Allocation first(3 * kMiB, kCpu), second(2 * kMiB, kCpu);
    EXPECT_EQ(memory.peak(), 5 * kMiB);
  }
  const Allocation third(4 * kMiB, kCpu);
  EXPECT_EQ(memory.peak(), 5 * kMiB);
}

TEST(RaceMemory, RefusesWhatExceedsTheLimit) {
  RaceMemory memory(kCpu);
  memory.limit_to(10 * kMiB, {100 * kMiB, "the machine"});
  const Allocation held(6 * kMiB, kCpu);
  EXPECT_EQ(memory.left().bytes, 4 * kMiB);
  EXPECT_THAT(refusal_of(4 * kMiB + 1), HasSubstr("race_memory_limit (10 MiB) leaves 4 MiB"));
  EXPECT_EQ(refusal_of(4 * kMiB), "");
  EXPECT_EQ(memory.peak(), 10 * kMiB) << "what was refused does not count";
}

TEST(RaceMemory, IsByDefaultAQuarterOfWhatIsFree) {
  RaceMemory memory(kCpu);
  memory.limit_to(std::nullopt, {100 * kMiB, "the machine"});
  EXPECT_EQ(memory.left().bytes, 25 * kMiB);
  EXPECT_THAT(refusal_of(26 * kMiB), HasSubstr("a quarter of the machine"));
}

TEST(RaceMemory, IsNeverMoreThanWhatIsFree) {
  RaceMemory memory(kCpu);
  memory.limit_to(kMiB << 20, {100 * kMiB, "the machine"});
  EXPECT_EQ(memory.left().bytes, 100 * kMiB);
  EXPECT_THAT(refusal_of(101 * kMiB), HasSubstr("the machine leaves 100 MiB"));
}

TEST(RaceMemory, HasNoLimitIfNobodyKnowsWhatIsFree) {
  RaceMemory memory(kCpu);
  memory.limit_to(std::nullopt, {std::numeric_limits<std::uint64_t>::max(), ""});
  EXPECT_EQ(memory.left().bytes, std::numeric_limits<std::uint64_t>::max());
}

// The winner of a race may keep memory that it has allocated during the race, and free it after the
// race.
TEST(RaceMemory, MayBeFreedAfterTheRace) {
  std::optional<RaceMemory> memory(std::in_place, kCpu);
  Allocation kept(kMiB, kCpu);
  memory.reset();
  EXPECT_NE(kept.data(), nullptr);
  kept = Allocation();
}

class CountingAllocator final : public Allocator {
 public:
  void* allocate(std::uint64_t size, DeviceId device, Stream stream) override {
    ++held;
    return own_allocator()->allocate(size, device, stream);
  }
  void free(void* pointer, DeviceId device, Stream stream) noexcept override {
    --held;
    own_allocator()->free(pointer, device, stream);
  }
  int held = 0;
};

TEST(RaceMemory, ComesFromTheAllocatorOfTheCallOrTheProcess) {
  const auto of_call = std::make_shared<CountingAllocator>();
  const auto of_process = std::make_shared<CountingAllocator>();
  {
    const AllocatorScope scope(of_call);
    RaceMemory memory(kCpu);
    const Allocation held(kMiB, kCpu);
    EXPECT_EQ(of_call->held, 1);
    EXPECT_EQ(memory.peak(), kMiB);
  }
  EXPECT_EQ(of_call->held, 0);
  RaceMemory memory(kCpu);
  set_allocator(of_process);  // replaces the process's allocator while the race runs
  {
    const Allocation held(kMiB, kCpu);
    EXPECT_EQ(of_process->held, 1);
    set_allocator(nullptr);
  }
  EXPECT_EQ(of_process->held, 0) << "the allocator that allocated it frees it";
}

Problem problem_of_4_kib() {
  Problem problem;
  problem.spatial = 1;
  for (Tensor* const tensor : {&problem.x, &problem.w, &problem.y}) {
    tensor->rank = 3;
    tensor->shape = {1, 1, 1024};
    tensor->strides = {1024, 1024, 1};
  }
  problem.w.shape = {1, 1, 1};
  problem.w.strides = {1, 1, 1};
  return problem;
}

TEST(Arena, TimesTheInputsThatTheCallerLendsInPlaceOfCopies) {
  const Problem problem = problem_of_4_kib();
  const auto site = make_cpu_site();
  float x[1024] = {}, w[1] = {};
  ArenaTerms terms;
  terms.most_sets = 3;
  std::uint64_t usual = 0, lent = 0;
  {
    RaceMemory memory(kCpu);
    const Arena arena(problem, *site, 1, terms);
    ASSERT_EQ(arena.sets(), 3U);
    usual = memory.peak();
  }
  terms.lent.x = x;
  terms.lent.w = w;
  RaceMemory memory(kCpu);
  const Arena arena(problem, *site, 1, terms);
  lent = memory.peak();
  EXPECT_EQ(arena.operands(1).x, x);
  EXPECT_EQ(arena.operands(1).w, w);
  for (const std::size_t other : {0, 2}) {
    EXPECT_NE(arena.operands(other).x, x) << "the gate's set and further ones are the arena's own";
    EXPECT_NE(arena.operands(other).w, w);
  }
  EXPECT_NE(arena.operands(1).y, nullptr);
  EXPECT_EQ(usual - lent, 4096U + 256U) << "x and w, each rounded up to 256 bytes";
}

}  // namespace
}  // namespace atc::conv
