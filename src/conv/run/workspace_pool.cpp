#include "conv/run/workspace_pool.hpp"

#include <mutex>
#include <utility>
#include <vector>

namespace atc::conv {

namespace {

// The size of the largest buffer that is kept, in bytes, and the number of buffers: one for each
// call that ran at the same time.
constexpr std::uint64_t kLargestKept = std::uint64_t{256} << 20;
constexpr std::size_t kMostKept = 64;

struct Pool {
  std::mutex mutex;
  std::vector<Allocation> idle;
};

Pool& pool() {
  static Pool* const pool = [] {
    auto* const made = new Pool;  // outlives detached threads
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
      memory_ = std::move(idle.back());  // takes the workspace that was used last, which is most
                                         // likely to be in the cache
      idle.pop_back();
    }
  }
  if (memory_.size() < size || !memory_.is_current()) {
    memory_ = Allocation();
    memory_ = Allocation(size, device);
  }
}

WorkspaceLease::~WorkspaceLease() {
  // If the memory is too large to be kept, or if its allocator was replaced meanwhile, the memory
  // goes back to its allocator when this object ends.
  if (memory_.size() == 0 || memory_.size() > kLargestKept || !memory_.is_current()) return;
  const std::lock_guard lock(pool().mutex);
  if (pool().idle.size() < kMostKept) pool().idle.push_back(std::move(memory_));
}

void clear_workspace_pool() noexcept {
  for (;;) {
    Allocation freed;  // outlives the lock
    const std::lock_guard lock(pool().mutex);
    if (pool().idle.empty()) return;
    freed = std::move(pool().idle.back());
    pool().idle.pop_back();
  }
}

}  // namespace atc::conv
