// The memory of a race: equal sets of operands to rotate over, and one workspace that all
// contestants share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conv/race/site.hpp"
#include "core/allocator.hpp"
#include "core/problem.hpp"
#include "core/random.hpp"

namespace atc::conv {

// The operands of a set, in the order of its memory.
enum class Operand : std::uint64_t { x, w, y, bias };

// The seed of an operand's values in an arena with `seed`.
constexpr std::uint64_t seed_of(Operand operand, std::uint64_t seed) {
  return mix(seed, static_cast<std::uint64_t>(operand));
}

// The memory that operand sets of `set_bytes` each may be made in.
struct SetMemory {
  std::uint64_t set_bytes;
  std::uint64_t gate_bytes;  // allocated by the gate
  std::uint64_t caches;      // bytes of cache that the sets not in use are to fill
  std::uint64_t available;   // bytes
};

// As many sets as exceed the caches together, in at most 512 MiB and at most a quarter of what is
// available beside the gate's memory, which leaves the rest to the candidates' workspaces and to
// other programs. 0: there is no memory for one set and the gate.
std::uint64_t count_of_sets(const SetMemory& memory);

class Arena {
 public:
  static constexpr std::uint64_t kMostSets = 64;

  // Makes count_of_sets() sets. Values are drawn from about N(0, 1): zeros would run faster than
  // real data. Throws Error(out_of_memory), before anything is allocated if that can be known.
  Arena(const Problem& problem, Site& site, std::uint64_t seed,
        std::uint64_t most_sets = kMostSets);

  std::size_t sets() const { return sets_.size(); }
  const Operands& operands(std::size_t set) const { return sets_[set]; }
  // Memory between guards of kWorkspaceGuard bytes; null before the first reservation.
  void* workspace() const;
  void reserve_workspace(std::uint64_t size);  // throws Error(out_of_memory)

 private:
  Site& site_;
  std::vector<Allocation> memory_;
  std::vector<Operands> sets_;
  Allocation workspace_;  // with its guards
};

}  // namespace atc::conv
