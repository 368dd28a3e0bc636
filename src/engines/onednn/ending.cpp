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

// Makes a primitive, and destroys it. If this oneDNN cannot make it, nothing is made.
template <typename Primitive, typename... Arguments>
void make(const Arguments&... arguments) {
  try {
    const typename Primitive::primitive_desc description(arguments...);
    const Primitive primitive(description);
  } catch (const dnnl::error&) {
  }
}

// Makes the static objects that oneDNN makes when it first needs them: its cache, the instruction
// sets that it may use, and a list of implementations for each kind of operation. The lists are
// made with a small primitive of each kind that atc uses. This takes some milliseconds, once.
void make_static_objects() {
  using Tag = dnnl::memory::format_tag;
  using dnnl::prop_kind;
  constexpr auto kType = dnnl::memory::data_type::f32;
  constexpr auto kDirect = dnnl::algorithm::convolution_direct;
  static_cast<void>(dnnl::get_primitive_cache_capacity());
  static_cast<void>(dnnl::get_effective_cpu_isa());
  static_cast<void>(dnnl::get_cpu_isa_hints());
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const dnnl::memory::dims one{1, 1}, side{1, 16, 3, 3};
  const dnnl::memory::desc x(side, kType, Tag::any), w({16, 16, 3, 3}, kType, Tag::any);
  const dnnl::memory::desc plain(side, kType, Tag::nchw), last(side, kType, Tag::nhwc);
  const dnnl::memory::desc matrix({16, 16}, kType, Tag::ab);
  using Forward = dnnl::convolution_forward;
  make<Forward>(engine, prop_kind::forward_training, kDirect, x, w, x, one, one, one);
  const Forward::primitive_desc hint(engine, prop_kind::forward_training, kDirect, x, w, x, one,
                                     one, one);
  make<dnnl::convolution_backward_data>(engine, kDirect, x, w, x, one, one, one, hint);
  make<dnnl::convolution_backward_weights>(engine, kDirect, x, w, x, one, one, one, hint);
  make<dnnl::deconvolution_forward>(engine, prop_kind::forward_training,
                                    dnnl::algorithm::deconvolution_direct, x, w, x, one, one, one);
  make<dnnl::reorder>(engine, plain, engine, last);
  make<dnnl::matmul>(engine, matrix, matrix, matrix);
}

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

// The first CacheUse object registers end() as an exit handler. Exit handlers and the destructors
// of static objects run in the reverse order of their registration. So oneDNN's static objects are
// made first. Then end() runs before they are destroyed, whatever a thread is doing when the
// process ends.
CacheUse::CacheUse() : cache_(&of_process()) {
  static std::once_flag once;
  std::call_once(once, [] {
    try {
      make_static_objects();
    } catch (const dnnl::error&) {
      // There is no memory, or this oneDNN has no convolution. Then the engine has no offers.
    }
    std::atexit(end);
  });
  if (cache_->ending.load() == std::this_thread::get_id())
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
  // This thread waits for the mutex only for a limited time, because the ending process may still
  // have to join this thread in a destructor.
  if (!cache_->mutex.try_lock_shared_for(kPatience))
    fail(Status::unsupported, "oneDNN makes nothing new while the process ends");
}

CacheUse::~CacheUse() { cache_->mutex.unlock_shared(); }

}  // namespace atc::onednn
