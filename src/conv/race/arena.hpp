// The memory of a race: several equal sets of operands, which are used in turn, and one workspace
// for all contestants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "conv/race/site.hpp"
#include "core/allocator.hpp"
#include "core/problem.hpp"
#include "core/random.hpp"
#include "device/available_memory.hpp"

namespace atc::conv {

// The operands of a set, in the order in which they lie in the memory of the set.
enum class Operand : std::uint64_t { x, w, y, bias, scale, residual };

// The seed of one operand's values, in an arena with the seed `seed`.
constexpr std::uint64_t seed_of(Operand operand, std::uint64_t seed) {
  return mix(seed, static_cast<std::uint64_t>(operand));
}

// The number of bytes in which operand sets of `set_bytes` each may be made.
struct SetMemory {
  std::uint64_t set_bytes;
  std::uint64_t gate_bytes;  // allocated by the gate
  std::uint64_t caches;      // bytes of cache that the unused sets of operands must be able to fill
  std::uint64_t available;   // bytes
  // The workspaces of the candidates, in bytes. The sets leave room for the largest one that fits
  // beside one set.
  std::vector<std::uint64_t> workspaces = {};
};

// The number of sets: so many that together they exceed the caches. They take at most 512 MiB, and
// at most the available memory that the gate and the workspaces leave. So sets shrink before a
// candidate has to go for lack of memory. 0 if there is no memory for one set and the gate.
std::uint64_t count_of_sets(const SetMemory& memory);

// The conditions under which an Arena makes its sets.
struct ArenaTerms {
  std::uint64_t most_sets = 64;
  std::vector<std::uint64_t> workspaces = {};  // of the candidates, each in bytes
  // Inputs of the caller, with which the second set is timed in place of copies. Null: a copy.
  // Candidates only read them, and only after the gate has passed them on operands of the arena.
  Operands lent = {};
  // The memory that the arena and the gate may take. Empty: what the site has.
  std::optional<AvailableMemory> room = std::nullopt;
};

class Arena {
 public:
  // Makes count_of_sets() sets. Values are drawn from about N(0, 1), because zeros would run faster
  // than real data. Throws Error(out_of_memory). If it can be known beforehand that memory does not
  // suffice, nothing is allocated.
  Arena(const Problem& problem, Site& site, std::uint64_t seed, const ArenaTerms& terms = {});

  std::size_t sets() const { return sets_.size(); }
  const Operands& operands(std::size_t set) const { return sets_[set]; }
  // The workspace, which lies between two guards of kWorkspaceGuard bytes; null before the first
  // reservation.
  void* workspace() const;
  void reserve_workspace(std::uint64_t size);  // throws Error(out_of_memory)

 private:
  Site& site_;
  std::vector<Allocation> memory_;
  std::vector<Operands> sets_;
  Allocation workspace_;  // with its guards
};

}  // namespace atc::conv
