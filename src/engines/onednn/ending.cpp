#include "engines/onednn/ending.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "core/error.hpp"
#include "device/fork.hpp"

namespace atc::onednn {

namespace {

constexpr std::chrono::seconds kPatience{2};

struct Cache {
  std::shared_timed_mutex
      mutex;  // scopes lock it shared, and the end of the process locks it exclusively
  std::atomic<std::thread::id> ending{};
  unsigned forks = 0;
};

Cache& cache() {
  static auto* const cache =
      new Cache;  // never destroyed, because it is used while the process ends
  return *cache;
}

// In a forked child the lock is not taken: threads that do not exist in the child never leave their
// scopes.
void end_use() {
  cache().ending = std::this_thread::get_id();
  if (cache().forks == forks_behind())
    static_cast<void>(cache().mutex.try_lock_for(kPatience));  // and is never unlocked
}

}  // namespace

CacheUse::CacheUse() {
  if (cache().ending.load() == std::this_thread::get_id())
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
  // The wait has a limit: a destructor that runs later may join this thread.
  if (!cache().mutex.try_lock_shared_for(kPatience))
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
}

// Exit handlers run in the reverse order of their registration. This one is registered when oneDNN
// has already made its cache, so it runs before the cache is destroyed.
CacheUse::~CacheUse() {
  static std::once_flag once;
  cache().mutex.unlock_shared();
  std::call_once(once, [] {
    cache().forks = forks_behind();
    std::atexit(end_use);
  });
}

}  // namespace atc::onednn
