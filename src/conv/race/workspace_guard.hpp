// Guards: memory before and behind the workspace of a race, which shows whether a candidate writes
// beyond its workspace. A candidate that writes into a guard is refused.
//
// A guard is ordinary memory with a pattern. It is not a page without permissions, because the
// first stray write to such a page would end the process, in the middle of the caller's program.
// oneDNN is known to write up to 120 KiB beyond its scratchpad. A guard is larger than this, so
// that such a write reaches no other memory.
#pragma once

#include <cstdint>
#include <string>

#include "conv/race/site.hpp"

namespace atc::conv {

constexpr std::uint64_t kWorkspaceGuard = std::uint64_t{256} << 10;  // on each side

class WorkspaceGuard {
 public:
  // Writes a pattern into the guards, the memory before and behind the first `size` bytes of
  // `workspace`. `workspace` must come from an Arena, which has reserved the memory of the guards.
  // If `workspace` is null or `size` is 0, nothing is guarded.
  WorkspaceGuard(Site& site, void* workspace, std::uint64_t size);

  // Waits for the queued executions. Returns a text about the place at which a guard was
  // overwritten; "" if no guard was overwritten.
  std::string violation() const;

 private:
  Site& site_;
  void* before_ = nullptr;
  void* behind_ = nullptr;
  std::uint64_t size_;
  std::uint64_t whole_ = 0;  // the hash of the bytes of a guard into which nothing was written
};

}  // namespace atc::conv
