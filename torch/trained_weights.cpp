#include "trained_weights.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <unordered_map>

namespace atc_torch {

namespace {

// When this number of storages is remembered, sweep() removes the storages that no longer exist.
// sweep() runs again when the number of remembered storages has doubled since.
constexpr std::size_t kFirstSweep = 1024;
// The largest number of storages of weights that are remembered. If this number is reached by
// existing storages, all weights count as trained until forget_trained_weights() is called.
constexpr std::size_t kMost = std::size_t{1} << 16;

using Weak = c10::weak_intrusive_ptr<c10::StorageImpl>;

std::atomic<bool> watching{false};

struct Trained {
  std::mutex mutex;
  std::unordered_map<const c10::StorageImpl*, Weak> storages;
  std::size_t next_sweep = kFirstSweep;
  bool all = false;
};

Trained& trained() {
  // This object is never destroyed, because detached threads may use it until the process ends.
  static auto* const trained = new Trained;
  return *trained;
}

void sweep(Trained& known) {
  for (auto storage = known.storages.begin(); storage != known.storages.end();)
    storage = storage->second.expired() ? known.storages.erase(storage) : std::next(storage);
  known.all = known.all || known.storages.size() >= kMost;
  known.next_sweep = std::max(kFirstSweep, 2 * known.storages.size());
}

}  // namespace

void note_weights_in_use(const at::Tensor& w) {
  if (!watching.load(std::memory_order_relaxed)) return;
  if (!w.defined() || !w.is_cpu() || !w.requires_grad() || !w.has_storage()) return;
  Trained& known = trained();
  const std::lock_guard lock(known.mutex);
  if (known.all) return;
  // The map keeps a weak reference to the storage of the weights. As long as the weak reference
  // exists, no other storage gets the same address.
  const bool is_new =
      known.storages.emplace(w.storage().unsafeGetStorageImpl(), w.storage().getWeakStorageImpl())
          .second;
  if (is_new && known.storages.size() >= known.next_sweep) sweep(known);
}

bool is_trained(const at::Tensor& w) {
  watching.store(true, std::memory_order_relaxed);
  if (w.requires_grad()) return true;
  Trained& known = trained();
  const std::lock_guard lock(known.mutex);
  return known.all || known.storages.count(w.storage().unsafeGetStorageImpl()) != 0;
}

void forget_trained_weights() {
  std::unordered_map<const c10::StorageImpl*, Weak> dropped;
  Trained& known = trained();
  const std::lock_guard lock(known.mutex);
  dropped.swap(known.storages);
  known.next_sweep = kFirstSweep;
  known.all = false;
}

}  // namespace atc_torch
