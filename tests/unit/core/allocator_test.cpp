// Tests that each allocation is freed by the allocator that has made it.
#include "core/allocator.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <limits>
#include <map>
#include <thread>
#include <utility>

#include "core/error.hpp"

namespace atc {
namespace {

constexpr DeviceId kCpu{};

class Counting final : public Allocator {
 public:
  void* allocate(std::uint64_t size, DeviceId, Stream) noexcept override {
    void* const memory = std::aligned_alloc(64, (size + 63) / 64 * 64);
    live[memory] = size;
    return memory;
  }
  void free(void* pointer, DeviceId, Stream) noexcept override {
    EXPECT_EQ(live.erase(pointer), 1U);
    std::free(pointer);
  }
  std::map<void*, std::uint64_t> live;
};

class AllocatorTest : public testing::Test {
 protected:
  void TearDown() override { set_allocator(nullptr); }
};

TEST_F(AllocatorTest, OursIsAlignedAndHoldsWhatWasAskedFor) {
  for (const std::uint64_t size : {1U, 63U, 64U, 65U, 4097U}) {
    const Allocation memory(size, kCpu);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0U);
    EXPECT_EQ(memory.size(), size);
    auto* const bytes = static_cast<volatile char*>(memory.data());
    // if the memory were smaller than `size`, AddressSanitizer would report this write
    bytes[0] = bytes[size - 1] = 1;
  }
}

TEST_F(AllocatorTest, NothingTakesNothing) {
  const auto counting = std::make_shared<Counting>();
  set_allocator(counting);
  const Allocation memory(0, kCpu);
  EXPECT_EQ(memory.data(), nullptr);
  EXPECT_TRUE(counting->live.empty());
}

TEST_F(AllocatorTest, WhatCannotBeHadIsNamed) {
  for (const std::uint64_t size :
       {std::uint64_t{1} << 62, std::numeric_limits<std::uint64_t>::max()}) {
    try {
      const Allocation memory(size, kCpu);
      FAIL() << "allocated " << memory.size();
    } catch (const Error& error) {
      EXPECT_EQ(error.status(), Status::out_of_memory);
      EXPECT_THAT(error.what(), testing::HasSubstr(std::to_string(size)));
    }
  }
  try {
    const Allocation memory(64, DeviceId{DeviceType::cuda, 0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status(), Status::device);
  }
}

TEST_F(AllocatorTest, GoesBackToWhereItCameFrom) {
  const auto first = std::make_shared<Counting>(), second = std::make_shared<Counting>();
  set_allocator(first);
  Allocation memory(100, kCpu);
  EXPECT_TRUE(memory.is_current());
  set_allocator(second);
  EXPECT_FALSE(memory.is_current());
  Allocation other(200, kCpu);
  EXPECT_EQ(first->live.size(), 1U);
  EXPECT_EQ(second->live.size(), 1U);
  memory = std::move(other);  // the assignment frees the memory that the allocator `first` has made
  EXPECT_TRUE(first->live.empty());
  EXPECT_EQ(second->live.size(), 1U);
  EXPECT_EQ(memory.size(), 200U);
  EXPECT_TRUE(memory.is_current());
  const Allocation moved(std::move(memory));
  EXPECT_EQ(second->live.size(), 1U);
  EXPECT_EQ(moved.size(), 200U);
}

TEST_F(AllocatorTest, OneThatWasReplacedLivesAsLongAsItsMemory) {
  auto counting = std::make_shared<Counting>();
  const std::weak_ptr<Counting> watch = counting;
  set_allocator(std::move(counting));
  {
    const Allocation memory(10, kCpu);
    set_allocator(nullptr);
    EXPECT_FALSE(watch.expired());
  }
  EXPECT_TRUE(watch.expired());
}

TEST_F(AllocatorTest, AScopeHoldsForItsThreadUntilItEnds) {
  const auto set = std::make_shared<Counting>(), scoped = std::make_shared<Counting>(),
             inner = std::make_shared<Counting>();
  set_allocator(set);
  Allocation kept;
  {
    const AllocatorScope scope(scoped);
    kept = Allocation(100, kCpu);
    EXPECT_TRUE(kept.is_current());
    {
      const AllocatorScope deeper(inner);
      EXPECT_EQ(current_allocator(), inner);
      EXPECT_FALSE(kept.is_current());
      {
        const AllocatorScope the_process_s(nullptr);
        EXPECT_EQ(current_allocator(), set);
      }
      EXPECT_EQ(current_allocator(), inner);
    }
    EXPECT_EQ(current_allocator(), scoped);
    std::thread([&] { EXPECT_EQ(current_allocator(), set); }).join();
  }
  EXPECT_EQ(current_allocator(), set);
  EXPECT_FALSE(kept.is_current());
  EXPECT_EQ(scoped->live.size(), 1U);
  kept = Allocation();
  EXPECT_TRUE(scoped->live.empty());
}

}  // namespace
}  // namespace atc
