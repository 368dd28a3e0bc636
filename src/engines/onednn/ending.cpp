#include "engines/onednn/ending.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "core/error.hpp"
#include "device/fork.hpp"

namespace atc::onednn {

namespace {

// How long the end of the process waits for threads that use the cache, and how long a thread that
// wants to use the cache waits for the end of the process.
constexpr std::chrono::seconds kPatienceAtEnd{20}, kPatience{2};

}  // namespace

struct CacheUse::Cache {
  // `of_parent` is the cache of the parent process, kept so that leak checkers find it.
  explicit Cache(Cache* of_parent) : before(of_parent) {}

  std::shared_timed_mutex
      mutex;  // scopes lock it shared, and the end of the process locks it exclusively
  std::atomic<std::thread::id> ending{};
  const unsigned forks = forks_behind();
  [[maybe_unused]] Cache* const before;
};

// After a fork, threads that do not exist in the child never leave their scopes. So the child has a
// cache of its own. Caches are never destroyed, because they are used while the process ends.
CacheUse::Cache& CacheUse::of_process() {
  static std::atomic<Cache*> current{nullptr};
  Cache* known = current.load();
  while (known == nullptr || known->forks != forks_behind()) {
    auto made = std::make_unique<Cache>(known);
    if (current.compare_exchange_strong(known, made.get())) return *made.release();
  }
  return *known;
}

void CacheUse::end() {
  Cache& mine = of_process();
  mine.ending = std::this_thread::get_id();
  static_cast<void>(mine.mutex.try_lock_for(kPatienceAtEnd));  // and is never unlocked
}

CacheUse::CacheUse() : cache_(&of_process()) {
  if (cache_->ending.load() == std::this_thread::get_id())
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
  // The wait has a limit: a destructor that runs later may join this thread.
  if (!cache_->mutex.try_lock_shared_for(kPatience))
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
}

// Exit handlers run in the reverse order of their registration. This one is registered when oneDNN
// has already made its cache, so it runs before the cache is destroyed.
CacheUse::~CacheUse() {
  static std::once_flag once;
  cache_->mutex.unlock_shared();
  std::call_once(once, [] { std::atexit(end); });
}

}  // namespace atc::onednn
