// Guards before and behind the workspace of a race. A candidate that writes into a guard is
// refused.
//
// A guard is plain memory with a pattern, and not a page without permissions: at the first stray
// write such a page would end the process, in the middle of a race and of the caller's program. A
// guard is larger than the region that oneDNN is known to write beyond its scratchpad (120 KiB), so
// that such a write reaches nothing else.
#pragma once

#include <cstdint>
#include <string>

#include "conv/race/site.hpp"

namespace atc::conv {

constexpr std::uint64_t kWorkspaceGuard = std::uint64_t{256} << 10;  // bytes on each side

class WorkspaceGuard {
 public:
  // Fills the guards. `workspace` belongs to an Arena and has at least `size` bytes. If it is null
  // or has no bytes, nothing is guarded.
  WorkspaceGuard(Site& site, void* workspace, std::uint64_t size);

  // Waits for the queued executions. Returns a text about the place where a guard was overwritten,
  // or "".
  std::string violation() const;

 private:
  Site& site_;
  void* before_ = nullptr;
  void* behind_ = nullptr;
  std::uint64_t size_;
  std::uint64_t whole_ = 0;  // fingerprint of an untouched guard
};

}  // namespace atc::conv
