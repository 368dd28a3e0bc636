#include "conv/race/arena.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "conv/race/workspace_guard.hpp"
#include "core/error.hpp"

namespace atc::conv {

namespace {

// The largest number of bytes of all operand sets of a race together. Further sets would take time
// to fill, and would improve the timing only a little.
constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;

constexpr std::size_t kOperands = static_cast<std::size_t>(Operand::residual) + 1;

// An upper bound, in bytes, of some small buffers together: the red zones and samples of the
// correctness gate, and the buffers that read clocks.
constexpr std::uint64_t kSmallBuffers = std::uint64_t{256} << 10;

// Rounds up to a multiple of 256 bytes, the largest alignment that allocators promise on any
// device.
constexpr std::uint64_t aligned(std::uint64_t size) { return (size + 255) / 256 * 256; }

// Returns the bytes of a workspace together with its two guards. If the sum exceeds 64 bits,
// returns the largest number.
constexpr std::uint64_t guarded(std::uint64_t workspace) {
  std::uint64_t bytes = 0;
  if (__builtin_add_overflow(workspace, 2 * kWorkspaceGuard, &bytes))
    return std::numeric_limits<std::uint64_t>::max();
  return bytes;
}

}  // namespace

std::uint64_t count_of_sets(const SetMemory& memory) {
  const std::uint64_t size = std::max<std::uint64_t>(memory.set_bytes, 1);
  if (memory.gate_bytes > memory.available || size > memory.available - memory.gate_bytes) return 0;
  const std::uint64_t left = memory.available - memory.gate_bytes;
  std::uint64_t reserved = 0;
  for (const std::uint64_t workspace : memory.workspaces)
    if (workspace <= left - size) reserved = std::max(reserved, workspace);
  const std::uint64_t room = std::min(kMostBytes, left - reserved);
  return std::max<std::uint64_t>(1, std::min(memory.caches / size + 2, room / size));
}

Arena::Arena(const Problem& problem, Site& site, std::uint64_t seed, const ArenaTerms& terms)
    : site_(site) {
  const Tensor bias = problem.bias(), scale = problem.scale(), residual = problem.residual();
  const std::array<const Tensor*, kOperands> tensors = {&problem.x, &problem.w, &problem.y,
                                                        &bias,      &scale,     &residual};
  std::array<std::uint64_t, kOperands> sizes{};
  std::array<void*, kOperands> first{};  // the addresses of the operands of the first set
  std::uint64_t size = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sizes[i] = aligned(tensors[i]->span_bytes());
    if (__builtin_add_overflow(size, sizes[i], &size))
      fail(Status::out_of_memory, "the operands of {} need more than 2^64 bytes",
           describe(problem));
  }
  // A race uses several sets of operands in turn. While one set is in use, the other sets have to
  // displace it from the last-level cache. On a CPU the other sets have to fill the cache once. On
  // a GPU they have to fill it three times, because the replacement policy of the cache is not
  // known.
  const std::uint64_t caches = site.id().type == DeviceType::cuda ? 3 : 1;
  const AvailableMemory available = terms.room ? *terms.room : site.available_memory();
  // The memory, in bytes, that the correctness gate needs: for inputs of its own, one output
  // between red zones, and two outputs with which it compares other outputs. If the problem adds to
  // its output, also for two copies of the old output.
  const std::uint64_t output = problem.output().span_bytes();
  const std::uint64_t gate = kSmallBuffers + size + (problem.accumulate ? 4 : 2) * output;
  std::vector<std::uint64_t> workspaces;
  workspaces.reserve(terms.workspaces.size());
  for (const std::uint64_t workspace : terms.workspaces) workspaces.push_back(guarded(workspace));
  const std::uint64_t count = std::min(
      count_of_sets({size, gate, caches * site.cache_bytes(), available.bytes, workspaces}),
      terms.most_sets);
  if (count == 0)
    fail(
        Status::out_of_memory,
        "the operands of {} need {} MiB for a race and its check, and {} leaves {} MiB: free some, "
        "or tune where there is more",
        describe(problem), (size + gate) >> 20, available.limit, available.bytes >> 20);
  for (std::uint64_t set = 0; set < count; ++set) {
    const Operands& lent = set == 1 ? terms.lent : Operands{};
    const std::array<const void*, kOperands> given = {lent.x,    lent.w,     lent.y,
                                                      lent.bias, lent.scale, lent.residual};
    std::uint64_t own = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) own += given[i] == nullptr ? sizes[i] : 0;
    memory_.emplace_back(own, site.id(), site.stream());
    auto* free = static_cast<std::byte*>(memory_.back().data());
    // also gives values to the gaps between the elements of strided tensors
    if (set == 0) site.set(free, 0, own);
    std::array<void*, kOperands> places{};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (given[i] != nullptr) {
        places[i] = const_cast<void*>(given[i]);  // an input, which is never written
        continue;
      }
      places[i] = std::exchange(free, free + sizes[i]);
      if (set == 0)
        site.fill(*tensors[i], places[i], Filling::normal, seed_of(static_cast<Operand>(i), seed));
      else
        site.copy(places[i], first[i], sizes[i]);
    }
    if (set == 0) first = places;
    const auto place_of = [&](Operand operand) {
      const auto i = static_cast<std::size_t>(operand);
      return tensors[i]->shape[0] != 0 ? places[i] : nullptr;
    };
    sets_.push_back({places[0], places[1], place_of(Operand::bias), places[2],
                     place_of(Operand::scale), place_of(Operand::residual)});
  }
}

void* Arena::workspace() const {
  if (workspace_.data() == nullptr) return nullptr;
  return static_cast<std::byte*>(workspace_.data()) + kWorkspaceGuard;
}

void Arena::reserve_workspace(std::uint64_t size) {
  const std::uint64_t needed = guarded(size);
  if (needed == std::numeric_limits<std::uint64_t>::max())
    fail(Status::out_of_memory, "a workspace of {} bytes is more than there can be", size);
  if (size == 0 || needed <= workspace_.size()) return;
  // the old workspace must be freed before the new workspace is allocated
  workspace_ = Allocation();
  workspace_ = Allocation(needed, site_.id(), site_.stream());
}

}  // namespace atc::conv
