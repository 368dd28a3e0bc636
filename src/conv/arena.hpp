// The memory of a race: equal sets of operands to rotate over, and one workspace that all
// contestants share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "conv/site.hpp"
#include "core/allocator.hpp"
#include "core/problem.hpp"
#include "core/random.hpp"

namespace atc::conv {

// The operands of a set, in the order of its memory.
enum class Operand : std::uint64_t { x, w, y, bias };

// What an arena with `seed` fills the operand by.
constexpr std::uint64_t seed_of(Operand operand, std::uint64_t seed) {
  return mix(seed, static_cast<std::uint64_t>(operand));
}

class Arena {
 public:
  static constexpr std::uint64_t kMostSets = 64;

  // Makes as many sets as exceed the last-level cache together, within a bound on memory. Values
  // are drawn from about N(0, 1): zeros would run faster than real data. Throws
  // Error(out_of_memory).
  Arena(const Problem& problem, Site& site, std::uint64_t seed,
        std::uint64_t most_sets = kMostSets);

  std::size_t sets() const { return sets_.size(); }
  const Operands& operands(std::size_t set) const { return sets_[set]; }
  // Memory between guards of kWorkspaceGuard bytes; null before the first reservation.
  void* workspace() const;
  void reserve_workspace(std::uint64_t size);

 private:
  Site& site_;
  std::vector<Allocation> memory_;
  std::vector<Operands> sets_;
  Allocation workspace_;  // with its guards
};

}  // namespace atc::conv
