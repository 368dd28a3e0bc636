#include "conv/run/workspace_pool.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace atc::conv {

namespace {

// The size of the largest workspace that is kept, in bytes, and the largest number of kept
// workspaces. The pool does not become larger than the number of calls that ran at the same time.
constexpr std::uint64_t kLargestKept = std::uint64_t{256} << 20;
constexpr std::size_t kMostKept = 64;

struct Pool {
  std::mutex mutex;
  std::vector<Allocation> idle;
};

Pool& pool() {
  static Pool* const pool = [] {
    // This static object is never destroyed, because detached threads may still use it at the end
    // of the process.
    auto* const made = new Pool;
    made->idle.reserve(kMostKept);
    return made;
  }();
  return *pool;
}

}  // namespace

WorkspaceLease::WorkspaceLease(std::uint64_t size, DeviceId device) {
  {
    const std::lock_guard lock(pool().mutex);
    auto& idle = pool().idle;
    if (!idle.empty()) {
      // The workspace that was used last is taken, because it is the most likely to be in the
      // cache.
      memory_ = std::move(idle.back());
      idle.pop_back();
    }
  }
  if (memory_.size() < size || !memory_.is_current()) {
    memory_ = Allocation();
    memory_ = Allocation(size, device);
  }
}

WorkspaceLease::~WorkspaceLease() {
  // A workspace is freed, and not kept, in two cases: it is too large, or the process's allocator
  // was replaced since it was allocated.
  if (memory_.size() == 0 || memory_.size() > kLargestKept || !memory_.is_current()) return;
  const std::lock_guard lock(pool().mutex);
  if (pool().idle.size() < kMostKept) pool().idle.push_back(std::move(memory_));
}

void clear_workspace_pool() noexcept {
  for (;;) {
    // The variable is declared before the lock, so that the workspace is freed after the mutex is
    // released.
    Allocation freed;
    const std::lock_guard lock(pool().mutex);
    if (pool().idle.empty()) return;
    freed = std::move(pool().idle.back());
    pool().idle.pop_back();
  }
}

}  // namespace atc::conv
