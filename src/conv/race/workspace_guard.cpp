#include "conv/race/workspace_guard.hpp"

#include "core/format.hpp"

namespace atc::conv {

namespace {

// The byte that fills guards. It does not occur in the NaN with which the gate fills workspaces,
// nor in small integers. So a candidate that writes such values into a guard changes it.
constexpr unsigned char kPattern = 0xA5;

}  // namespace

WorkspaceGuard::WorkspaceGuard(Site& site, void* workspace, std::uint64_t size)
    : site_(site), size_(size) {
  if (workspace == nullptr || size == 0) return;
  before_ = static_cast<std::byte*>(workspace) - kWorkspaceGuard;
  behind_ = static_cast<std::byte*>(workspace) + size;
  site_.set(before_, kPattern, kWorkspaceGuard);
  site_.set(behind_, kPattern, kWorkspaceGuard);
  whole_ = site_.fingerprint(before_, kWorkspaceGuard);
}

std::string WorkspaceGuard::violation() const {
  if (before_ == nullptr) return "";
  const char* const where =
      site_.fingerprint(before_, kWorkspaceGuard) != whole_   ? "before the start"
      : site_.fingerprint(behind_, kWorkspaceGuard) != whole_ ? "behind the end"
                                                              : "";
  return *where == '\0' ? "" : format("it wrote {} of its workspace of {} bytes", where, size_);
}

}  // namespace atc::conv
