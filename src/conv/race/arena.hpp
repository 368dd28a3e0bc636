// The arena: the memory of a race. It has several equal sets of operands, which are used in turn,
// so that no execution finds its operands in the cache. It has one workspace, which all contestants
// share.
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

// The operands of a set, in the order of their addresses.
enum class Operand : std::uint64_t { x, w, y, bias, scale, residual };

// Returns the seed of the values of one operand, in an arena with the seed `seed`.
constexpr std::uint64_t seed_of(Operand operand, std::uint64_t seed) {
  return mix(seed, static_cast<std::uint64_t>(operand));
}

// The sizes from which the number of operand sets follows. A set has `set_bytes` bytes.
struct SetMemory {
  std::uint64_t set_bytes;
  std::uint64_t gate_bytes;  // the bytes of memory that the gate (the check of results) allocates
  // The bytes of cache that the other operand sets have to fill while one set is in use.
  std::uint64_t caches;
  std::uint64_t available;  // the bytes of memory that a race may take
  // The sizes of the candidates' workspaces, in bytes. Memory is reserved for the largest workspace
  // that fits into memory together with one set.
  std::vector<std::uint64_t> workspaces = {};
};

// Returns the number of operand sets. There are as many as are needed to fill the caches, but all
// sets together take at most 512 MiB. They also take at most the available memory less the memory
// of the gate and of the largest workspace. So if memory is short, the number of sets is reduced
// before a candidate is excluded. The result is 0 if there is no memory for one set and the gate.
std::uint64_t count_of_sets(const SetMemory& memory);

// The conditions under which an Arena makes its sets.
struct ArenaTerms {
  std::uint64_t most_sets = 64;
  std::vector<std::uint64_t> workspaces = {};  // the workspaces of the candidates, in bytes
  // Inputs that the caller lends. An arena has several sets of operands. The second set consists of
  // the lent inputs; an input that is null is not lent, and the second set gets a copy of its own.
  // A candidate never writes to lent inputs. It reads them only after it has passed the gate with
  // the first set.
  Operands lent = {};
  // The limit of the memory that the arena and the gate may take. Empty: the free memory of the
  // device.
  std::optional<AvailableMemory> room = std::nullopt;
};

class Arena {
 public:
  // Makes count_of_sets() sets of operands, but at most `terms.most_sets`. The values are
  // distributed about as N(0, 1). They are not zero, because a device computes zeros faster than
  // real data. Throws Error(out_of_memory). If it is known in advance that memory does not suffice,
  // nothing is allocated.
  Arena(const Problem& problem, Site& site, std::uint64_t seed, const ArenaTerms& terms = {});

  std::size_t sets() const { return sets_.size(); }
  const Operands& operands(std::size_t set) const { return sets_[set]; }
  // The workspace. Before and behind it there are kWorkspaceGuard bytes of memory, which show
  // whether a candidate writes beyond it. Null before the first call of reserve_workspace.
  void* workspace() const;
  void reserve_workspace(std::uint64_t size);  // throws Error(out_of_memory)

 private:
  Site& site_;
  std::vector<Allocation> memory_;
  std::vector<Operands> sets_;
  Allocation workspace_;  // the size includes the guards before and behind the workspace
};

}  // namespace atc::conv
