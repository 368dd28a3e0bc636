#include "conv/race/arena.hpp"

#include <algorithm>

#include "conv/race/workspace_guard.hpp"
#include "core/error.hpp"

namespace atc::conv {

namespace {

// The most bytes of all sets together. Filling more memory would cost more time than it gains.
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;

// Rounds up to 256 bytes, the largest alignment that allocators promise on any device.
constexpr std::uint64_t aligned(std::uint64_t size) { return (size + 255) / 256 * 256; }

}  // namespace

std::uint64_t count_of_sets(const SetMemory& memory) {
  const std::uint64_t size = std::max<std::uint64_t>(memory.set_bytes, 1);
  if (memory.gate_bytes > memory.available || size > memory.available - memory.gate_bytes) return 0;
  const std::uint64_t room = std::min(kMostBytes, (memory.available - memory.gate_bytes) / 4);
  return std::max<std::uint64_t>(1, std::min(memory.caches / size + 2, room / size));
}

Arena::Arena(const Problem& problem, Site& site, std::uint64_t seed, std::uint64_t most_sets)
    : site_(site) {
  const Tensor bias = problem.bias();
  const Tensor* const tensors[] = {&problem.x, &problem.w, &problem.y, &bias};
  std::uint64_t offsets[4], size = 0;
  for (int i = 0; i < 4; ++i) {
    offsets[i] = size;
    if (__builtin_add_overflow(size, aligned(tensors[i]->span_bytes()), &size))
      fail(Status::out_of_memory, "the operands of {} need more than 2^64 bytes",
           describe(problem));
  }
  // While one set is in use, the other sets fill the last-level cache: once on a CPU, three times
  // on a GPU, because the caches of a GPU evict lines by rules of their own.
  const std::uint64_t caches = site.id().type == DeviceType::cuda ? 3 : 1;
  const AvailableMemory available = site.available_memory();
  // The correctness gate needs inputs and old outputs of its own, an output between red zones, and
  // an output with which it compares others.
  const std::uint64_t gate = size + 2 * problem.output().span_bytes();
  const std::uint64_t count = std::min(
      count_of_sets({size, gate, caches * site.cache_bytes(), available.bytes}), most_sets);
  if (count == 0)
    fail(
        Status::out_of_memory,
        "the operands of {} need {} MiB for a race and its check, and {} leaves {} MiB: free some, "
        "or tune where there is more",
        describe(problem), (size + gate) >> 20, available.limit, available.bytes >> 20);
  for (std::uint64_t set = 0; set < count; ++set) {
    memory_.emplace_back(size, site.id(), site.stream());
    auto* const base = static_cast<std::byte*>(memory_.back().data());
    if (set == 0) {
      site.set(base, 0, size);  // gaps of strided tensors
      for (int i = 0; i < 4; ++i)
        site.fill(*tensors[i], base + offsets[i], Filling::normal,
                  seed_of(static_cast<Operand>(i), seed));
    } else {
      site.copy(base, memory_.front().data(), size);
    }
    Operands operands;
    operands.x = base + offsets[0];
    operands.w = base + offsets[1];
    operands.y = base + offsets[2];
    operands.bias = bias.shape[0] != 0 ? base + offsets[3] : nullptr;
    sets_.push_back(operands);
  }
}

void* Arena::workspace() const {
  if (workspace_.data() == nullptr) return nullptr;
  return static_cast<std::byte*>(workspace_.data()) + kWorkspaceGuard;
}

void Arena::reserve_workspace(std::uint64_t size) {
  std::uint64_t guarded = 0;
  if (__builtin_add_overflow(size, 2 * kWorkspaceGuard, &guarded))
    fail(Status::out_of_memory, "a workspace of {} bytes is more than there can be", size);
  if (size == 0 || guarded <= workspace_.size()) return;
  workspace_ = Allocation();  // the old buffer must be freed before the new one is allocated
  if (const AvailableMemory available = site_.available_memory(); guarded > available.bytes)
    fail(Status::out_of_memory, "{} MiB of workspace are needed, and {} leaves {} MiB",
         guarded >> 20, available.limit, available.bytes >> 20);
  workspace_ = Allocation(guarded, site_.id(), site_.stream());
}

}  // namespace atc::conv
