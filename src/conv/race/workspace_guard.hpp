// Guards before and behind the workspace of a race: a candidate that writes there is refused.
//
// A guard is plain memory with a pattern, and not a page without permissions: such a page would end
// the process at the first stray write, in the midst of a race and of the caller's program. It is
// larger than what oneDNN is known to write beyond its scratchpad (120 KiB), so that such a write
// reaches nothing else.
#pragma once

#include <cstdint>
#include <string>

#include "conv/race/site.hpp"

namespace atc::conv {

constexpr std::uint64_t kWorkspaceGuard = std::uint64_t{256} << 10;  // bytes on each side

class WorkspaceGuard {
 public:
  // Fills the guards. `workspace` is an Arena's and has at least `size` bytes; without a workspace
  // (null, or no bytes) nothing is guarded.
  WorkspaceGuard(Site& site, void* workspace, std::uint64_t size);

  // "", or a text about the place where a guard was overwritten. Waits for the queued executions.
  std::string violation() const;

 private:
  Site& site_;
  void* before_ = nullptr;
  void* behind_ = nullptr;
  std::uint64_t size_;
  std::uint64_t whole_ = 0;  // fingerprint of an untouched guard
};

}  // namespace atc::conv
