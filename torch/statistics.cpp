#include "statistics.hpp"

#include <atomic>

namespace atc_torch {

namespace {

static_assert(static_cast<int>(Reason::not_recorded) + 1 == ATC_TORCH_PASSED_REASONS);

std::atomic<std::uint64_t> taken{0};
std::atomic<std::uint64_t> passed[ATC_TORCH_PASSED_REASONS]{};

}  // namespace

void count_taken() noexcept { taken.fetch_add(1, std::memory_order_relaxed); }

void count_passed(Reason reason) noexcept {
  passed[static_cast<int>(reason)].fetch_add(1, std::memory_order_relaxed);
}

atc_torch_statistics statistics() noexcept {
  atc_torch_statistics counts{};
  counts.struct_size = sizeof(counts);
  counts.taken = taken.load(std::memory_order_relaxed);
  for (int i = 0; i < ATC_TORCH_PASSED_REASONS; ++i)
    counts.passed[i] = passed[i].load(std::memory_order_relaxed);
  return counts;
}

void reset_statistics() noexcept {
  taken.store(0, std::memory_order_relaxed);
  for (auto& count : passed) count.store(0, std::memory_order_relaxed);
}

}  // namespace atc_torch
