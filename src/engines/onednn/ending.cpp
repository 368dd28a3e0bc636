#include "engines/onednn/ending.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <dnnl.hpp>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include "core/error.hpp"
#include "device/fork.hpp"

namespace atc::onednn {

namespace {

// At the end of the process, the exit handler waits at most kPatienceAtEnd for threads that use
// oneDNN's cache. A thread that wants to use the cache at that time waits at most kPatience.
constexpr std::chrono::seconds kPatienceAtEnd{20}, kPatience{2};

}  // namespace

struct CacheUse::Cache {
  // `of_parent` is the Cache object of the parent process if this process was made by a fork;
  // otherwise it is null. The pointer is kept so that leak checkers do not report the parent's
  // object.
  explicit Cache(Cache* of_parent) : before(of_parent) {}

  // Each object of CacheUse holds a shared lock on the mutex. At the end of the process, end()
  // locks the mutex exclusively.
  std::shared_timed_mutex mutex;
  std::atomic<std::thread::id> ending{};
  const unsigned forks = forks_behind();
  [[maybe_unused]] Cache* const before;
};

// After a fork, the parent's other threads do not exist in the child, so their CacheUse objects
// would hold their locks for ever. So the child gets a Cache object of its own. Cache objects are
// never destroyed, because they are used while the process ends.
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
  // The mutex is never unlocked, so no CacheUse object can be made any more.
  static_cast<void>(mine.mutex.try_lock_for(kPatienceAtEnd));
}

CacheUse::CacheUse() : cache_(&of_process()) {
  if (cache_->ending.load() == std::this_thread::get_id())
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
  // This thread waits for the mutex only for a limited time, because the ending process may still
  // have to join this thread in a destructor.
  if (!cache_->mutex.try_lock_shared_for(kPatience))
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
}

// The first CacheUse object that ends registers end() as an exit handler. Exit handlers run in the
// reverse order of their registration. oneDNN has made its cache by now, so end() runs before the
// cache is destroyed. oneDNN makes two further static objects when it needs them first: the
// instruction sets that it may use, and the hints about them. They are made here, so that end()
// also runs before these are destroyed.
CacheUse::~CacheUse() {
  static std::once_flag once;
  cache_->mutex.unlock_shared();
  std::call_once(once, [] {
    static_cast<void>(dnnl::get_effective_cpu_isa());
    static_cast<void>(dnnl::get_cpu_isa_hints());
    std::atexit(end);
  });
}

}  // namespace atc::onednn
