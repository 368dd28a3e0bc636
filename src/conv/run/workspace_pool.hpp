// A pool of workspaces for executions on the CPU. Workspaces are kept between calls, because
// touching fresh pages in each call would often cost more than the convolution.
#pragma once

#include "core/allocator.hpp"

namespace atc::conv {

// A workspace that is taken from the pool, and goes back to it when the lease is destroyed.
class WorkspaceLease {
 public:
  WorkspaceLease(std::uint64_t size, DeviceId device);  // throws Error(out_of_memory)
  ~WorkspaceLease();
  WorkspaceLease(const WorkspaceLease&) = delete;
  WorkspaceLease& operator=(const WorkspaceLease&) = delete;
  void* data() const { return memory_.data(); }

 private:
  Allocation memory_;
};

void clear_workspace_pool() noexcept;  // frees the workspaces that no call is using

}  // namespace atc::conv
